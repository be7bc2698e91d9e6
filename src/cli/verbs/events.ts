/** events: what happened since a moment, one event per operation, for programs. */
import { formatDuration, parseDuration } from '../../domain/duration.ts';
import { parseInstant } from '../../domain/instant.ts';
import { eventsOf, type HistoryEvent } from '../../domain/registry/events.ts';
import { type Answer, type Call, ONLY_LOOKED, type Verb } from '../call.ts';
import { examples, registryFlags } from '../flags.ts';
import { wrongUse } from '../settings/pick.ts';
import { wirePast } from '../wire.ts';

/** Commits, which hold one event or many. */
const MOST_COMMITS = 100_000;

async function act(call: Call): Promise<Answer> {
  const pod = podOf(call);
  const { sinceAt, says } = sinceOf(call);
  const past = await wirePast(call);
  const wish = { sinceAt, limit: MOST_COMMITS, ...(pod === null ? {} : { pod }) };
  const events = eventsOf(await past.log(wish), pod);
  return {
    exitCode: 0,
    value: { registry: past.place, events },
    lines: (page) =>
      events.length === 0
        ? [`nothing happened ${says}`]
        : events.map(
            (event) => `${page.paint('quiet', `${event.at} ${event.version.slice(0, 9)}`)} ${line(event)}`,
          ),
  };
}

function line({ op, pod, rev, detail, actors, headline }: HistoryEvent): string {
  if (op === 'hand-edit' || op === 'unknown') return `${op}: ${headline}`;
  const parts = Object.entries(detail).map(([name, value]) => `${name}=${value}`);
  const who = actors.length === 0 ? '' : `by ${actors.join(', ')}`;
  return [op, pod, rev === null ? null : `rev ${rev}`, ...parts, who]
    .filter((part) => part !== null && part !== '')
    .join(' ');
}

function podOf({ given }: Call): string | null {
  const id = given
    .text('pod')
    ?.trim()
    .replace(/^runpod\./, '');
  if (id === undefined) return null;
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(id)) return `runpod.${id}`;
  throw wrongUse('--pod', `"${id.slice(0, 70)}" is not a pod id`, 'Give the id as RunPod shows it');
}

/** A moment with a zone, or how long ago. */
function sinceOf({ given, clock }: Call): { readonly sinceAt: number; readonly says: string } {
  const text = given.text('since');
  if (text === undefined)
    throw wrongUse(
      '--since',
      'no moment was given',
      'Give a time (2026-03-02T12:00:00Z) or a duration (90m, 2h, 7d)',
    );
  const at = parseInstant(text);
  if (at !== null) return { sinceAt: at, says: `since ${text}` };
  const agoMs = parseDuration(text, '--since');
  return { sinceAt: clock.now() - agoMs, says: `in the last ${formatDuration(agoMs)}` };
}

export const eventsVerb: Verb = {
  concernsPod: false,
  whenCut: ONLY_LOOKED,
  define(command) {
    command
      .option('--since <when>', 'a time with a zone, or how long ago (2h, 7d; a bare number is minutes)')
      .option('--pod <id>', 'only events of this pod');
    registryFlags(command);
    examples(command, 'podtrack events --since 24h', 'podtrack events --since 7d --json | jq ".events[].op"');
  },
  act,
};
