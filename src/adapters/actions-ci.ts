/** Owner liveness on GitHub: each run is asked by its id once, and only while token and quota allow it. */
import pLimit from 'p-limit';
import type { Owner, OwnerLiveness } from '../domain/owner.ts';
import { type Env, serverName } from '../domain/owner-from-env.ts';
import { type Part, seen, unseen } from '../domain/part.ts';
import type { Ci, Clock } from '../ports.ts';
import { type Asking, newAsking } from './actions-ci/asking.ts';
import { askRun, type RunQuestion } from './actions-ci/run.ts';

export type ActionsCiOptions = {
  readonly env: Env;
  /** Needs "actions: read". Sent to this job's own server and nowhere else; null = nobody can be asked. */
  readonly token: string | null;
  readonly userAgent: string;
  readonly clock: Clock;
};

const GITHUB = 'https://github.com';
const AT_ONCE = 4;

type Group = RunQuestion & { readonly server: string };

/**
 * One question per run, not per pod; a second one for its jobs while the run goes on. What cannot be answered is
 * unseen with the reason, and no verdict rests on it. Facts: docs/facts/github-actions.md.
 */
export function actionsCi({ env, token, userAgent, clock }: ActionsCiOptions): Ci {
  const server = serverName(env['GITHUB_SERVER_URL']?.trim() || GITHUB);
  const apiUrl = apiOf(env, server);
  const asking =
    token === null ? null : newAsking({ apiUrl, token, userAgent, clock, right: 'actions: read' });
  const limit = pLimit(AT_ONCE);
  return {
    async liveness(owners) {
      const groups = groupsOf(owners);
      const answers = new Map(
        await Promise.all(
          [...groups].map(
            async ([name, group]) =>
              [name, await limit(() => askGroup(asking, group, { server, owners }))] as const,
          ),
        ),
      );
      return owners.map((owner, index) => answers.get(nameOf(owner) ?? '')?.[index] ?? NO_KEY);
    },
  };
}

const NO_KEY: Part<OwnerLiveness> = unseen('it names no run on a forge that could be asked for');

/** By index of the owner. */
type Answers = Readonly<Record<number, Part<OwnerLiveness>>>;

async function askGroup(
  asking: Asking | null,
  group: Group,
  { server, owners }: { readonly server: string; readonly owners: readonly Owner[] },
): Promise<Answers> {
  const mine = owners.flatMap((owner, index) =>
    nameOf(owner) === groupName(group) ? [{ owner, index }] : [],
  );
  const all = (answer: Part<OwnerLiveness>): Answers =>
    Object.fromEntries(mine.map(({ index }) => [index, answer]));
  if (asking === null) return all(unseen('there is no token, or no API of GitHub to ask'));
  if (group.server !== server) return all(unseen(`its run is on ${group.server}, not on ${server}`));
  const run = await askRun(asking, group);
  if (run.kind === 'unseen') return all(run);
  const { liveness, jobs } = run.value;
  return Object.fromEntries(
    mine.map(({ owner, index }) => [index, seen(jobs.get(owner.checkRunId ?? '') ?? liveness)]),
  );
}

function groupsOf(owners: readonly Owner[]): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  for (const { key, attempt, checkRunId } of owners) {
    if (key === null) continue;
    const group = { ...key, attempt, withJobs: checkRunId !== null };
    const name = groupName(group);
    groups.set(name, { ...group, withJobs: group.withJobs || (groups.get(name)?.withJobs ?? false) });
  }
  return groups;
}

function nameOf({ key, attempt }: Owner): string | null {
  return key === null ? null : groupName({ ...key, attempt, withJobs: false });
}

function groupName({ server, repositoryId, runId, attempt }: Group): string {
  return [server, repositoryId, runId, attempt ?? '-'].join(' ');
}

/** The runner names it; elsewhere it follows from the server. */
function apiOf(env: Env, server: string): string {
  const told = (env['GITHUB_API_URL'] ?? '').trim().replace(/\/+$/, '');
  if (told !== '') return told;
  return server === GITHUB ? 'https://api.github.com' : `${server}/api/v3`;
}
