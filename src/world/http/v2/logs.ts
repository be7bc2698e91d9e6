/** /v2/pods/{id}/logs: lines as server-sent events, first what was, then what comes, until the client hangs up. */
import { z } from 'zod';
import { parseInstant, rfc3339 } from '../../model/instant.ts';
import { notFound } from '../../model/outcome.ts';
import type { PodState } from '../../model/pod-state.ts';
import { seenPod } from '../../model/sight.ts';
import { checkQuery } from '../body-check.ts';
import { type Call, idOf } from '../call.ts';
import { problem, type Reply, refusal } from '../reply.ts';

const LOOK_EVERY_MS = 250;
const CURSOR = /^(?<instant>[^/]+)(?:\/(?<seq>\d+))?$/;

const logsQuery = z.object({
  source: z.enum(['container', 'system']).optional(),
  tail: z.coerce.number().int().min(0).max(5000).default(100),
  since: z.string().optional(),
});

interface Line {
  readonly at: number;
  readonly seq: number;
  readonly source: 'container' | 'system';
  readonly line: string;
}

/** A line's number is its place in its own source, so that later lines of the other source cannot shift it. */
function linesOf(call: Call, pod: PodState, source: 'container' | 'system' | undefined): Line[] {
  const numbered = (from: 'container' | 'system', lines: readonly { at: number; line: string }[]) =>
    lines.map(({ at, line }, i) => ({ at, seq: i + 1, source: from, line }));
  const container = source === 'system' ? [] : numbered('container', call.lookout.containerLog(pod));
  const system = source === 'container' ? [] : numbered('system', pod.systemLog);
  return [...container, ...system].sort((a, b) => a.at - b.at || a.seq - b.seq);
}

const second = (at: number) => Math.floor(at / 1000);

/** Lines after a cursor `<instant>/<seq>`; an instant alone gives everything from its second on. */
function after(lines: readonly Line[], cursor: string): readonly Line[] | null {
  const found = CURSOR.exec(cursor)?.groups;
  const at = parseInstant(found?.['instant'] ?? '');
  if (at === null) return null;
  const seq = found?.['seq'];
  return lines.filter((line) => {
    if (seq === undefined || second(line.at) !== second(at)) return second(line.at) >= second(at);
    return line.seq > Number(seq);
  });
}

function eventText(line: Line): string {
  const ts = rfc3339(line.at);
  const data = JSON.stringify({ ts, source: line.source, line: line.line });
  return `id: ${ts}/${String(line.seq).padStart(12, '0')}\ndata: ${data}\n\n`;
}

export function podLogs(call: Call): Reply {
  const pod = seenPod(call.world, idOf(call));
  if (pod === null) return refusal(notFound());
  const asked = checkQuery(logsQuery, call.request.query);
  if (!asked.ok) return asked.reply;
  const { source, since, tail } = asked.value;
  const header = call.request.headers['last-event-id'];
  const cursor = (Array.isArray(header) ? header[0] : header) ?? since;
  const all = linesOf(call, pod, source);
  const backlog =
    cursor === undefined ? all.slice(all.length - Math.min(tail, all.length)) : after(all, cursor);
  if (backlog === null) {
    return problem(422, 'Request validation failed.', { errors: ['since: value is not a valid date-time'] });
  }
  const headers = {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-cache',
    Connection: 'keep-alive',
    'X-Accel-Buffering': 'no',
  };
  return {
    status: 200,
    headers,
    body: null,
    stream: (response) => follow(call, { pod, source, all, backlog }, (text) => response.write(text)),
  };
}

interface Followed {
  readonly pod: PodState;
  readonly source: 'container' | 'system' | undefined;
  readonly all: readonly Line[];
  readonly backlog: readonly Line[];
}

function follow(call: Call, what: Followed, write: (text: string) => void): () => void {
  const { pod, source } = what;
  let told = { container: 0, system: 0 };
  const count = (lines: readonly Line[]) => ({
    container: lines.filter((line) => line.source === 'container').length,
    system: lines.filter((line) => line.source === 'system').length,
  });
  told = count(what.all);
  for (const line of what.backlog) write(eventText(line));
  return call.lookout.every(LOOK_EVERY_MS, () => {
    const lines = linesOf(call, pod, source);
    for (const line of lines) if (line.seq > told[line.source]) write(eventText(line));
    told = count(lines);
  });
}
