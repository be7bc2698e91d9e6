/** The last lines of a container's log, read from an event stream that never ends by itself. */
import { stripVTControlCharacters } from 'node:util';
import { createParser } from 'eventsource-parser';
import type { Redact } from '../redact.ts';
import type { Ask, Body } from './exchange.ts';
import type { Line } from './options.ts';
import { answerError, oddAnswer } from './refusals.ts';
import { podUrl } from './rest.ts';
import { persist } from './retry.ts';
import { logEvent } from './schemas.ts';

/** RunPod's own bound of `tail`. */
const LONGEST_TAIL = 5000;
const LONGEST_LINE = 4096;

const HIDDEN = /(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A pod's words on a person's terminal: no colours, no cursor moves, no hidden or reversing characters. */
function calm(line: string): string {
  return stripVTControlCharacters(line).replace(HIDDEN, '').slice(0, LONGEST_LINE);
}

type Chunk = { readonly done: boolean; readonly text: string };

/** The next piece, or the end when the stream stays silent for `waitMs`. */
async function nextChunk(reading: Promise<Chunk>, waitMs: number): Promise<Chunk> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<Chunk>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, waitMs), { done: true, text: '' });
  });
  return Promise.race([reading, silence]).finally(() => clearTimeout(timer));
}

/**
 * Reads until `tail` events came, or silence, time or size are used up; a cut after some text is an end. A log
 * without a line yet stays open and silent, so the first line gets only twice the time of the next.
 */
async function readEvents(line: Line, body: Body, tail: number): Promise<string> {
  const { logQuietMs, logTotalMs, largestLog } = line.limits;
  const decoder = new TextDecoder();
  const chunks = body[Symbol.asyncIterator]();
  const endAt = performance.now() + logTotalMs;
  let text = '';
  let events = 0;
  try {
    while (events < tail && text.length < largestLog) {
      const left = Math.min(text === '' ? 2 * logQuietMs : logQuietMs, endAt - performance.now());
      const reading = chunks.next().then(
        ({ done, value }): Chunk => ({
          done: done === true,
          text: done === true ? '' : decoder.decode(value, { stream: true }),
        }),
        (cause: unknown): Chunk => {
          if (text === '') throw cause;
          return { done: true, text: '' };
        },
      );
      const chunk = await nextChunk(reading, left);
      if (chunk.done) break;
      text += chunk.text;
      events += chunk.text.match(/^data:/gm)?.length ?? 0;
    }
  } finally {
    body.on('error', () => undefined).destroy();
  }
  return text;
}

/** Lines of the container alone; null where events came and none had the shape of a log line. */
function linesIn(text: string, redact: Redact): readonly string[] | null {
  const lines: string[] = [];
  let events = 0;
  const parser = createParser({
    onEvent: ({ data }) => {
      events += 1;
      const read = logEvent.safeParse(jsonOrNull(data));
      if (read.success && (read.data.source ?? 'container') === 'container')
        lines.push(calm(redact(read.data.line)));
    },
  });
  parser.feed(`${text}\n\n`);
  return events > 0 && lines.length === 0 ? null : lines;
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Newest last, at most `tail`, without our own key. Throws WorldError like every read. */
export async function logLines(line: Line, id: string, tail: number): Promise<readonly string[]> {
  const wanted = Math.min(LONGEST_TAIL, Math.max(0, Math.floor(tail)));
  const url = podUrl(line, id, '/logs');
  if (wanted === 0) return [];
  url.searchParams.set('source', 'container');
  url.searchParams.set('tail', String(wanted));
  const ask: Ask = {
    tried: `Reading the log of pod ${id}`,
    method: 'GET',
    url,
    accept: 'text/event-stream, application/problem+json',
    repeatable: true,
    state: `Nothing was learned from the log of pod ${id}`,
    read: (body) => readEvents(line, body, wanted),
  };
  const { answer } = await persist(line, ask);
  if (answer.status !== 200 || !answer.contentType.startsWith('text/event-stream'))
    throw answerError(line, ask, answer);
  const lines = linesIn(answer.text, line.redact);
  if (lines === null) throw oddAnswer(ask, answer, 'an event stream without log lines');
  return lines.slice(-wanted);
}
