/** Commit messages: a subject for `git log --oneline`, trailers for programs. Form: docs/facts/registry.md. */
import { HEADLINE_LENGTH, keyOf } from './change.ts';
import type { RegistryEvent } from './ops.ts';
import { cut, oneLine } from './plain-text.ts';
import type { RefusedLate } from './queue.ts';

/**
 * Builders that watch every branch are asked to pass by. It stands in the body: there the known builders look
 * too, and the subject stays readable.
 */
const SKIP = '[skip ci]';

const MAX_VALUE = 120;

/** A value as one word: what could end the word, the line or forge a mention is percent-encoded. */
export function encodeWord(text: string): string {
  const whole = text.replace(/\p{Cs}/gu, '\u{fffd}');
  return whole.replace(/[^\x21-\x7e]|[%@]/gu, (char) => encodeURIComponent(char));
}

/** The inverse of `encodeWord`; a word that was not made by it comes back as it is. */
export function decodeWord(word: string): string {
  return word.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}

/** `register pod=runpod.abc rev=1 key=… gpu=…`; absent parts are `-`. */
function opLine(event: RegistryEvent): string {
  const detail = Object.entries(event.detail)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => ` ${name}=${encodeWord(cut(String(value), MAX_VALUE))}`);
  return `${event.op} pod=${event.pod ?? '-'} rev=${event.rev ?? '-'} key=${encodeWord(event.key)}${detail.join('')}`;
}

function subject(events: readonly RegistryEvent[], what: string | null): string {
  const [only] = events;
  if (what !== null || only === undefined) return cut(oneLine(what ?? 'nothing'), HEADLINE_LENGTH);
  if (events.length === 1) return cut(oneLine(only.headline), HEADLINE_LENGTH);
  const counts = new Map<string, number>();
  for (const { op } of events) counts.set(op, (counts.get(op) ?? 0) + 1);
  const words = [...counts].map(([op, count]) => (count === 1 ? op : `${op} ×${count}`)).join(', ');
  return cut(`${events.length} changes: ${words}`, HEADLINE_LENGTH);
}

const unique = (lines: readonly string[]): readonly string[] => [...new Set(lines)];

/** `extend pod=runpod.abc key=… because=not-later queued=…`: an op that left the queue without effect. */
function refusedLine({ id, op, because }: RefusedLate): string {
  const pod = op !== null && 'pod' in op ? keyOf(op.pod) : '-';
  const key = op === null ? '-' : encodeWord(op.key);
  return `${op?.op ?? '-'} pod=${pod} key=${key} because=${encodeWord(cut(because, MAX_VALUE))} queued=${encodeWord(cut(id, MAX_VALUE))}`;
}

/** `what` replaces the subject where a commit holds no event (the first one, a probe). */
export function commitMessage(
  events: readonly RegistryEvent[],
  seq: number,
  what: string | null = null,
  refused: readonly RefusedLate[] = [],
): string {
  const actors = events.map(({ actor }) => oneLine(`${actor.kind} ${actor.label ?? ''}`));
  const runs = events.flatMap(({ actor }) => (actor.run === null ? [] : [oneLine(actor.run)]));
  const pods = events.flatMap(({ pod }) => (pod === null ? [] : [pod]));
  const trailers = [
    ...events.map((event) => `Podtrack-Op: ${opLine(event)}`),
    ...refused.map((each) => `Podtrack-Refused: ${refusedLine(each)}`),
    ...unique(pods).map((pod) => `Podtrack-Pod: ${pod}`),
    ...unique(runs).map((run) => `Podtrack-Run: ${run}`),
    ...unique(actors).map((actor) => `Podtrack-Actor: ${actor}`),
    `Podtrack-Seq: ${seq}`,
  ];
  const more =
    events.length > 1 && what === null ? [...events.map((event) => `- ${oneLine(event.headline)}`), ''] : [];
  return [subject(events, what), '', ...more, SKIP, '', ...trailers, ''].join('\n');
}

/** A message of ours has a last paragraph of trailers; in any other message there are none. */
export function parseMessage(message: string): {
  readonly headline: string;
  readonly trailers: readonly (readonly [string, string])[];
} {
  const paragraphs = message.trimEnd().split(/\n{2,}/);
  const headline = (paragraphs[0] ?? '').split('\n')[0] ?? '';
  const last = paragraphs.length < 2 ? [] : (paragraphs.at(-1) ?? '').split('\n');
  const trailers = last.map((line) => /^([A-Za-z][A-Za-z0-9-]*): (.*)$/.exec(line));
  const whole = trailers.every((match) => match !== null);
  if (!whole || !last.some((line) => line.startsWith('Podtrack-'))) return { headline, trailers: [] };
  return {
    headline,
    trailers: trailers.flatMap((match) =>
      match === null ? [] : [[match[1] ?? '', match[2] ?? ''] as const],
    ),
  };
}

/** The parts of a `Podtrack-Op` trailer: `{op, pod, rev, key, …}`, words decoded. */
export function parseOpTrailer(value: string): Readonly<Record<string, string>> {
  const [op = '', ...words] = value.split(' ');
  const parts = words.flatMap((word): [string, string][] => {
    const at = word.indexOf('=');
    return at <= 0 ? [] : [[word.slice(0, at), decodeWord(word.slice(at + 1))]];
  });
  return Object.fromEntries([['op', op], ...parts]);
}
