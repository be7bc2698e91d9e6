/** replay: the verdicts of one commit, computed again from what git recorded, beside what was recorded. */
import { formatInstant } from '../../domain/instant.ts';
import type { VerdictFacts } from '../../domain/pod.ts';
import { saysEvidence } from '../../domain/report/explain.ts';
import { type ReplayedPod, replay } from '../../flows/replay.ts';
import { type Answer, type Call, ONLY_LOOKED, type Page, type Verb } from '../call.ts';
import { examples, registryFlags } from '../flags.ts';
import { wirePast } from '../wire.ts';

async function act(call: Call): Promise<Answer> {
  const past = await wirePast(call);
  const { commit, pods } = await replay({ past, chance: call.chance }, (call.args[0] ?? '').toLowerCase());
  const same = pods.every(isSame);
  return {
    // A verdict that does not come out again is unverified; so is one that cannot be asked for.
    exitCode: same ? 0 : 1,
    value: {
      registry: past.place,
      commit: commit.version,
      at: formatInstant(commit.at),
      headline: commit.headline,
      same,
      pods: pods.map(podJson),
    },
    lines: (page) => [
      `${page.paint('quiet', `${formatInstant(commit.at)} ${commit.version.slice(0, 9)}`)} ${commit.headline}`,
      ...pods.flatMap((pod) => podLines(pod, page)),
    ],
  };
}

const isSame = ({ replayed }: ReplayedPod): boolean => replayed.kind === 'asked' && replayed.same;

const verdictJson = ({ at, kind, reason, evidence }: VerdictFacts) => ({
  at: formatInstant(at),
  kind,
  reason,
  evidence,
});

function podJson(of: ReplayedPod): Readonly<Record<string, unknown>> {
  const { pod, recorded, replayed } = of;
  return {
    pod,
    same: isSame(of),
    recorded: verdictJson(recorded),
    recomputed: replayed.kind === 'asked' ? verdictJson(replayed.recomputed) : null,
    why: replayed.kind === 'asked' ? null : replayed.why,
    basis: recorded.basis ?? null,
  };
}

function says({ kind, reason, evidence }: VerdictFacts): string {
  const rests = Object.entries(evidence).map(([name, value]) => saysEvidence(name, value));
  return `${kind}, ${reason}${rests.length === 0 ? '' : ` (${rests.join(', ')})`}`;
}

function podLines({ pod, recorded, replayed }: ReplayedPod, page: Page): readonly string[] {
  const first = `  recorded    ${says(recorded)}`;
  if (replayed.kind === 'no-basis')
    return [
      `${pod}: ${page.paint('red', 'cannot be computed again')}`,
      first,
      `  because     ${replayed.why}`,
    ];
  const result = replayed.same ? page.paint('ok', 'the same verdict') : page.paint('red', 'another verdict');
  return [`${pod}: ${result}`, first, `  recomputed  ${says(replayed.recomputed)}`];
}

export const replayVerb: Verb = {
  concernsPod: false,
  whenCut: ONLY_LOOKED,
  define(command) {
    command.argument('<commit>', 'a commit of the registry, or the beginning of its id');
    registryFlags(command);
    examples(command, 'podtrack replay 3f9c21ab7', 'podtrack replay 3f9c21ab7 --json');
  },
  act,
};
