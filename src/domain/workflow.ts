/** What a repository's workflows say about their reaper: whether one is there, when it comes, and what would keep it away. */
import { firesIn30Days } from './cron.ts';
import type { Part } from './part.ts';

export type WorkflowJob = {
  readonly name: string;
  readonly environment: string | null;
  /** Its `if`; null = none. */
  readonly condition: string | null;
  /** The `uses` of its steps. */
  readonly uses: readonly string[];
};

export type Workflow = {
  readonly path: string;
  /** As `workflow_run` names it. */
  readonly name: string;
  /** `active`, `disabled_inactivity`, …; unseen where the token may not ask. */
  readonly state: Part<string>;
  readonly crons: readonly string[];
  /** Names of the workflows whose runs start it. */
  readonly listensTo: readonly string[];
  readonly jobs: readonly WorkflowJob[];
};

export type Finding = {
  /** `warn`: the reaper may stay away; `note`: worth knowing. */
  readonly grade: 'warn' | 'note';
  readonly says: string;
};

/** A step that runs one cycle: ours by its published name, by `$/`, `./` or under a fork's. */
const REAPS = /(?:^|\/)reap(?:@|$)/;

export function isReaper(job: WorkflowJob): boolean {
  return job.uses.some((uses) => REAPS.test(uses));
}

export function reapersIn(all: readonly Workflow[]): readonly Workflow[] {
  return all.filter(({ jobs }) => jobs.some(isReaper));
}

/** `needsReview`: by the name of an environment, as far as it could be asked. */
export function judgeReapers(
  all: readonly Workflow[],
  needsReview: ReadonlyMap<string, Part<boolean>>,
): readonly Finding[] {
  const reapers = reapersIn(all);
  if (reapers.length === 0) {
    return [warn('no workflow of this repository runs the reaper: add one like workflows-examples/reap.yml')];
  }
  const names = new Set(all.map(({ name }) => name));
  return reapers.flatMap((one) => [
    ...stateFindings(one),
    ...triggerFindings(one, names),
    ...one.jobs.filter(isReaper).flatMap((job) => jobFindings(one, job, needsReview)),
    ...minutesOf(one),
  ]);
}

function stateFindings({ path, state }: Workflow): Finding[] {
  if (state.kind === 'unseen')
    return [note(`${path}: whether it is switched on is unknown (${state.reason})`)];
  if (state.value === 'active') return [];
  return [warn(`${path}: GitHub says ${state.value}; switch it on again: gh workflow enable`)];
}

function triggerFindings({ path, crons, listensTo }: Workflow, names: ReadonlySet<string>): Finding[] {
  const missing = listensTo.filter((name) => !names.has(name));
  const deaf = missing.map((name) =>
    warn(`${path}: it listens to the workflow "${name}", and there is none of that name`),
  );
  if (crons.length > 0 || listensTo.length > missing.length) return deaf;
  return [...deaf, warn(`${path}: nothing starts it by itself: give it a schedule, or workflow_run`)];
}

function jobFindings(
  { path }: Workflow,
  { name, environment, condition }: WorkflowJob,
  needsReview: ReadonlyMap<string, Part<boolean>>,
): Finding[] {
  const findings: Finding[] = [];
  if (/\bgithub\.repository\b\s*[!=]=|[!=]=\s*github\.repository\b(?!_)/.test(condition ?? '')) {
    findings.push(
      warn(
        `${path}: job ${name} is guarded by the repository's name, and is skipped after a rename: compare github.repository_id`,
      ),
    );
  }
  const review = environment === null ? null : (needsReview.get(environment) ?? null);
  if (review?.kind === 'unseen')
    findings.push(
      note(`${path}: whether environment ${environment} waits for a person is unknown (${review.reason})`),
    );
  if (review?.kind === 'seen' && review.value)
    findings.push(
      warn(
        `${path}: job ${name} waits for a reviewer of environment ${environment}: keep the key in one without`,
      ),
    );
  return findings;
}

/** GitHub bills each job as a whole minute at least. */
function minutesOf({ path, crons, jobs }: Workflow): Finding[] {
  const fires = crons.map(firesIn30Days);
  if (crons.length === 0) return [];
  if (fires.some((count) => count === null))
    return [note(`${path}: its schedule (${crons.join('; ')}) could not be reckoned`)];
  const minutes = fires.reduce((sum: number, count) => sum + (count ?? 0), 0) * jobs.length;
  return [
    note(
      `${path}: its schedule takes at least ${minutes} billed minutes in 30 days, if GitHub fires them all`,
    ),
  ];
}

function warn(says: string): Finding {
  return { grade: 'warn', says };
}

function note(says: string): Finding {
  return { grade: 'note', says };
}
