/** history: what happened, one line per commit of the registry, oldest first. */
import { formatInstant } from '../../domain/instant.ts';
import { parseOpTrailer } from '../../domain/registry/message.ts';
import type { HistoryEntry } from '../../ports.ts';
import { type Answer, type Call, ONLY_LOOKED, type Verb } from '../call.ts';
import { examples, registryFlags } from '../flags.ts';
import { wrongUse } from '../settings/pick.ts';
import { wirePast } from '../wire.ts';

const SHORT = 9;

async function act(call: Call): Promise<Answer> {
  const pod = call.given.text('pod');
  const limit = limitOf(call);
  const past = await wirePast(call);
  const entries = await past.log({ ...(pod === undefined ? {} : { pod }), limit });
  return {
    exitCode: 0,
    value: { registry: past.place, entries: entries.map(entryJson) },
    lines: (page) =>
      entries.length === 0
        ? [`nothing is recorded${pod === undefined ? '' : ` of ${pod}`} in ${past.place}`]
        : entries.map(
            ({ at, version, headline }) =>
              `${page.paint('quiet', `${formatInstant(at)} ${version.slice(0, SHORT)}`)} ${headline}`,
          ),
  };
}

function limitOf(call: Call): number {
  const text = call.given.text('limit') ?? '50';
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= 10_000) return limit;
  throw wrongUse('--limit', `"${text.slice(0, 40)}" is not a number from 1 to 10000`, 'Give such a number');
}

function entryJson({ version, at, headline, trailers }: HistoryEntry): Readonly<Record<string, unknown>> {
  const values = (wanted: string): string[] =>
    trailers.filter(([name]) => name === wanted).map(([, value]) => value);
  return {
    version,
    at: formatInstant(at),
    headline,
    ops: values('Podtrack-Op').map(parseOpTrailer),
    pods: values('Podtrack-Pod'),
    actors: values('Podtrack-Actor'),
    runs: values('Podtrack-Run'),
  };
}

export const history: Verb = {
  concernsPod: false,
  whenCut: ONLY_LOOKED,
  define(command) {
    command
      .option('--pod <id>', 'only commits about this pod')
      .option('--limit <count>', 'the newest so many (default 50)');
    registryFlags(command);
    examples(command, 'podtrack history', 'podtrack history --pod abc123def456gh --limit 200');
  },
  act,
};
