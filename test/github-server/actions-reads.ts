/** The REST routes about Actions: runs, attempts, jobs, workflows, environments. */
import { notFound, type Reply, readOnly } from './refusals.ts';
import type { Repository } from './repository.ts';
import type { Call } from './rest-reads.ts';
import { runGit } from './run-git.ts';
import type { Job, Run } from './switches.ts';

const ok = (body: unknown): Reply => ({ status: 200, body });

/** Behind the permission "actions: read". */
export function withActions(answer: (call: Call) => Promise<Reply>): (call: Call) => Promise<Reply> {
  return async (call) => (call.repository.switches.mayReadActions ? await answer(call) : readOnly());
}

function runBody(repository: Repository, id: string, run: Run, attempt: number): unknown {
  const older = attempt < run.attempt;
  const now = new Date(repository.now()).toISOString();
  return {
    id: Number(id),
    run_attempt: attempt,
    status: older ? 'completed' : run.status,
    conclusion: older ? 'failure' : run.conclusion,
    updated_at: run.updatedAt ?? now,
    repository: { id: repository.id, full_name: repository.name },
  };
}

function found({ repository, caught }: Call): { run: Run; attempt: number } | null {
  const [id = '', wanted] = caught;
  const run = repository.switches.runs.get(Number(id));
  if (run === undefined) return null;
  const attempt = wanted === undefined ? run.attempt : Number(wanted);
  return attempt < 1 || attempt > run.attempt ? null : { run, attempt };
}

export async function getRun(call: Call): Promise<Reply> {
  const at = found(call);
  return at === null ? notFound() : ok(runBody(call.repository, call.caught[0] ?? '', at.run, at.attempt));
}

export async function listRuns({ repository, query }: Call): Promise<Reply> {
  const { runs } = repository.switches;
  const most = Number(query.get('per_page') ?? 30);
  const rows = [...runs].slice(0, most).map(([id, run]) => runBody(repository, String(id), run, run.attempt));
  return ok({ total_count: runs.size, workflow_runs: rows });
}

function jobBody(job: Job): unknown {
  return { id: job.id, status: job.status, conclusion: job.conclusion, completed_at: job.completedAt };
}

export async function listJobs(call: Call): Promise<Reply> {
  const at = found(call);
  if (at === null) return notFound();
  const jobs = at.run.jobs ?? [];
  const most = Number(call.query.get('per_page') ?? 30);
  const from = (Number(call.query.get('page') ?? 1) - 1) * most;
  return ok({ total_count: jobs.length, jobs: jobs.slice(from, from + most).map(jobBody) });
}

export async function getEnvironment({ repository, caught }: Call): Promise<Reply> {
  const name = decodeURIComponent(caught[0] ?? '');
  const environment = repository.switches.environments.get(name);
  if (environment === undefined) return notFound();
  const rules = environment.reviewers ? [{ id: 1, type: 'required_reviewers', reviewers: [] }] : [];
  return ok({ id: 1, name, protection_rules: rules });
}

export async function listWorkflows({ repository }: Call): Promise<Reply> {
  const args = ['ls-tree', '-r', '--name-only', 'refs/heads/main', '.github/workflows/'];
  const { exitCode, stdout } = await runGit(repository.folder, args);
  const paths = exitCode === 0 ? stdout.split('\n').filter((path) => /\.ya?ml$/.test(path)) : [];
  const rows = paths.map((path, index) => ({
    id: index + 1,
    name: path,
    path,
    state: repository.switches.workflowStates.get(path) ?? 'active',
  }));
  return ok({ total_count: rows.length, workflows: rows });
}
