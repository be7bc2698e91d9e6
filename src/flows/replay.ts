/** Replay: the verdicts that one commit recorded, computed again from what git holds of them. */
import { ConfigError } from '../domain/errors.ts';
import { type PodRecord, podId, podKey, type VerdictFacts } from '../domain/pod.ts';
import { type Replayed, readBasis, replayVerdict } from '../domain/policy/replay.ts';
import { parseRecord } from '../domain/registry/files.ts';
import { podPath } from '../domain/registry/layout.ts';
import type { Chance, HistoryEntry, RegistryPast } from '../ports.ts';

export type ReplayedPod = {
  readonly pod: string;
  readonly recorded: VerdictFacts;
  readonly replayed: Replayed;
};

export type Replay = { readonly commit: HistoryEntry; readonly pods: readonly ReplayedPod[] };

type Asked = { readonly past: RegistryPast; readonly chance: Pick<Chance, 'sha256'> };

/** Throws ConfigError where the commit is unknown or holds no verdict of the policy. */
export async function replay(asked: Asked, id: string): Promise<Replay> {
  const commit = await asked.past.commit(id);
  if (commit === null) throw unknownCommit(asked.past, id);
  const pods: ReplayedPod[] = [];
  for (const key of podsOf(commit)) {
    const replayed = await replayPod(asked, commit.version, key);
    if (replayed !== null) pods.push(replayed);
  }
  if (pods.length === 0) throw noVerdict(commit);
  return { commit, pods };
}

/** Trailers are anybody's text: only what can be a pod's key is looked for. */
function podsOf({ trailers }: HistoryEntry): readonly string[] {
  const keys = trailers.filter(([name]) => name === 'Podtrack-Pod').map(([, value]) => value);
  const isKey = (key: string): boolean => key.startsWith('runpod.') && podId.safeParse(key.slice(7)).success;
  return [...new Set(keys.filter(isKey))];
}

async function replayPod({ past, chance }: Asked, version: string, key: string): Promise<ReplayedPod | null> {
  const sha256 = (text: string): string => chance.sha256(text);
  const path = podPath(key, sha256);
  const texts = await past.versions(path, version);
  const records = texts.map((text): PodRecord | null => {
    const parsed = text === null ? null : parseRecord(path, text, sha256);
    return parsed?.kind === 'whole' ? parsed.value : null;
  });
  const [after, before] = records;
  const recorded = after?.lastVerdict ?? null;
  if (after === null || after === undefined || recorded === null) return null;
  if (JSON.stringify(before?.lastVerdict ?? null) === JSON.stringify(recorded)) return null;
  return { pod: after.id, recorded, replayed: ask(records.slice(1), recorded, podKey(after)) };
}

function ask(earlier: readonly (PodRecord | null)[], recorded: VerdictFacts, key: string): Replayed {
  const basis = readBasis(recorded);
  if (typeof basis === 'string') return { kind: 'no-basis', why: basis };
  const judged = earlier.find((record) => record?.rev === basis.rev) ?? null;
  if (judged !== null) return replayVerdict(judged, recorded);
  return { kind: 'no-basis', why: `the history holds no ${key} at rev ${basis.rev}, which was judged` };
}

function unknownCommit({ place }: RegistryPast, id: string): ConfigError {
  return new ConfigError('commit', {
    tried: `Looking up commit ${id.slice(0, 64)} in ${place}`,
    cameBack: 'the registry has no such commit, or several that begin so',
    state: 'Nothing was changed',
    next: 'podtrack history shows its commits',
  });
}

function noVerdict({ version, headline }: HistoryEntry): ConfigError {
  return new ConfigError('commit', {
    tried: `Replaying ${version.slice(0, 12)} (${headline})`,
    cameBack: 'it holds no new verdict',
    state: 'Nothing was changed',
    next: 'podtrack events --json shows which commits do: their ops are settle or fence, with a reason',
  });
}
