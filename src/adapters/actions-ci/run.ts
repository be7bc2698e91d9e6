/** What GitHub says of one attempt of one run, and of its jobs while it goes on. */
import { z } from 'zod';
import type { OwnerLiveness } from '../../domain/owner.ts';
import { type Part, seen, unseen } from '../../domain/part.ts';
import type { Asking, Told } from './asking.ts';

export type RunQuestion = {
  readonly repositoryId: string;
  readonly runId: string;
  /** null = not known; the latest counts. */
  readonly attempt: number | null;
  /** Whether some owner names his job. */
  readonly withJobs: boolean;
};

export type RunAnswer = {
  readonly liveness: OwnerLiveness;
  /** By job id, which is the check run's; only of jobs that are over. */
  readonly jobs: ReadonlyMap<string, OwnerLiveness>;
};

const id = z.union([z.number(), z.bigint(), z.string()]).transform(String);
const when = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
const run = z.object({
  id,
  status: z.string(),
  conclusion: z.string().nullish(),
  updated_at: when,
  repository: z.object({ id }),
});
const jobPage = z.object({
  total_count: z.number(),
  jobs: z.array(
    z.object({ id, status: z.string(), conclusion: z.string().nullish(), completed_at: when.nullish() }),
  ),
});
const runPage = z.object({ workflow_runs: z.array(z.object({ repository: z.object({ id }) })) });

const NO_JOBS: RunAnswer['jobs'] = new Map();
const PER_PAGE = 100;
/** A matrix has at most 256 legs. */
const MOST_PAGES = 4;

export async function askRun(asking: Asking, question: RunQuestion): Promise<Part<RunAnswer>> {
  const told = await asking.ask(question.repositoryId, pathOf(question));
  if (told.kind === 'unknown') return unseen(told.why);
  if (told.kind === 'not-there') return await missing(asking, question);
  const read = run.safeParse(told.body);
  if (!read.success) return unseen('GitHub answered in a shape that nobody knows');
  const { data } = read;
  if (data.id !== question.runId || data.repository.id !== question.repositoryId)
    return unseen('GitHub answered about another run');
  if (data.status === 'completed') {
    const conclusion = data.conclusion ?? null;
    // GitHub names no end of an attempt; its last change is never before it.
    return seen({
      liveness: { state: 'completed', completedAt: data.updated_at, conclusion },
      jobs: NO_JOBS,
    });
  }
  const jobs = question.withJobs ? await endedJobs(asking, question) : NO_JOBS;
  return seen({ liveness: { state: 'in-progress' }, jobs });
}

function pathOf({ runId, attempt }: RunQuestion): string {
  return `/actions/runs/${runId}${attempt === null ? '' : `/attempts/${attempt}`}`;
}

/** Without an answer about the jobs the run's own state counts: nobody is ended for it. */
async function endedJobs(asking: Asking, question: RunQuestion): Promise<RunAnswer['jobs']> {
  const ended = new Map<string, OwnerLiveness>();
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const path = `${pathOf(question)}/jobs?per_page=${PER_PAGE}&page=${page}`;
    const told = await asking.ask(question.repositoryId, path);
    const read = jobPage.safeParse(told.kind === 'body' ? told.body : null);
    if (!read.success) return ended;
    for (const job of read.data.jobs) {
      if (job.status !== 'completed' || job.completed_at == null) continue;
      const conclusion = job.conclusion ?? null;
      ended.set(job.id, { state: 'completed', completedAt: job.completed_at, conclusion });
    }
    if (page * PER_PAGE >= read.data.total_count) return ended;
  }
  return ended;
}

/** A 404 says "deleted" only where the run itself is away too, and the token provably may list runs there. */
async function missing(asking: Asking, question: RunQuestion): Promise<Part<RunAnswer>> {
  const { repositoryId } = question;
  if (question.attempt !== null) {
    const whole = await asking.ask(repositoryId, pathOf({ ...question, attempt: null }));
    if (whole.kind === 'unknown') return unseen(whole.why);
    if (whole.kind === 'body') return unseen('GitHub shows the run, but not this attempt of it');
  }
  const proof = await asking.mayList(repositoryId, async () =>
    provedBy(await asking.ask(repositoryId, '/actions/runs?per_page=1'), repositoryId),
  );
  return proof.kind === 'unseen' ? proof : seen({ liveness: { state: 'missing' }, jobs: NO_JOBS });
}

function provedBy(told: Told, repositoryId: string): Part<true> {
  if (told.kind === 'unknown') return unseen(told.why);
  const read = runPage.safeParse(told.kind === 'body' ? told.body : null);
  const listed =
    read.success && read.data.workflow_runs.some(({ repository }) => repository.id === repositoryId);
  return listed ? seen(true) : unseen('a 404, and it is not proven that this token may list runs there');
}
