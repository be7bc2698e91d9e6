/** What the server and "Set up job" put together for one job: machine, token, masks, contexts, environment. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { REAL_LIMITS } from './child.ts';
import type { JobDocument, WorkflowDocument } from './documents.ts';
import type { createEffects } from './effects.ts';
import { type Plain, plainText, type Texts, textsOf, valueIn } from './expressions.ts';
import { type JobCore, WorkerGone } from './job-core.ts';
import { type Job, obeyCut, startJob } from './job-run.ts';
import { createMachine, type Machine } from './machine.ts';
import { createMasks } from './masks.ts';
import type { Leg } from './matrix.ts';
import type { RunnerOptions, StartWish } from './options.ts';
import type { Repositories } from './repositories.ts';
import type { LegPart } from './run.ts';

export type Desk = {
  readonly options: RunnerOptions;
  readonly machines: Machine[];
  nextRunId: number;
  nextCheckRunId: number;
};

/** One attempt of a run, as its jobs need it. */
export type Course = {
  readonly desk: Desk;
  readonly workflow: WorkflowDocument;
  readonly file: string;
  readonly wish: StartWish;
  readonly id: number;
  readonly attempt: number;
  readonly effects: ReturnType<typeof createEffects>;
};

const SHA = '5ca1ab1e'.repeat(5);

function repositoryOf({ github }: RunnerOptions): string {
  return plainText(github?.['repository'] ?? 'acme/ml');
}

function githubOf(course: Course): { readonly [name: string]: Plain } {
  const { desk, workflow, wish, file } = course;
  const repository = repositoryOf(desk.options);
  const path = `.github/workflows/${basename(file)}`;
  return {
    actor: 'octocat',
    actor_id: '583231',
    triggering_actor: 'octocat',
    server_url: 'http://github.localhost',
    api_url: 'http://github.localhost/api/v3',
    graphql_url: 'http://github.localhost/api/graphql',
    repository,
    repository_owner: repository.split('/')[0] ?? '',
    repository_id: '7654321',
    repository_owner_id: '1234567',
    ref: 'refs/heads/main',
    ref_name: 'main',
    ref_type: 'branch',
    ref_protected: false,
    head_ref: '',
    base_ref: '',
    sha: SHA,
    workflow: workflow.name,
    workflow_ref: `${repository}/${path}@refs/heads/main`,
    workflow_sha: SHA,
    retention_days: '90',
    event_name: wish.event ?? workflow.events[0] ?? 'push',
    run_id: String(course.id),
    run_number: '1',
    run_attempt: String(course.attempt),
    ...desk.options.github,
  };
}

/** Inputs of a dispatch: what was given, else the default; a boolean stays one. */
function dispatchInputs(course: Course): { readonly [name: string]: Plain } {
  const { workflow, wish } = course;
  for (const name of Object.keys(wish.inputs ?? {}))
    if (!workflow.inputs.has(name)) throw new Error(`Unexpected inputs provided: ["${name}"]`);
  return Object.fromEntries(
    [...workflow.inputs].map(([name, { kind, fallback }]) => {
      const given = wish.inputs?.[name] ?? fallback ?? (kind === 'boolean' ? false : '');
      return [name, given];
    }),
  );
}

/** Unlisted permissions are none once any is listed; a fork's are never more than read. */
function permissionsOf(course: Course, document: JobDocument): Plain {
  const given = document.permissions ?? course.workflow.permissions ?? { contents: 'read', packages: 'read' };
  if (course.wish.fork !== true || typeof given !== 'object' || given === null)
    return course.wish.fork === true ? 'read-all' : given;
  return Object.fromEntries(Object.keys(given).map((name) => [name, 'read']));
}

function runnerContext(machine: Machine): { readonly [name: string]: Plain } {
  return {
    os: 'Linux',
    arch: 'X64',
    name: machine.name,
    environment: 'github-hosted',
    temp: machine.temp,
    tool_cache: machine.toolCache,
    workspace: dirname(machine.workspace),
  };
}

function defaultsOf(
  course: Course,
  document: JobDocument,
  scope: Parameters<typeof valueIn>[1],
): JobCore['defaults'] {
  const [outer, inner] = [course.workflow.defaults, document.defaults]
    .map((token) => valueIn(token, scope))
    .map((value) => (value as { run?: { readonly [name: string]: Plain } } | null)?.run ?? {});
  const run: { readonly [name: string]: Plain } = { ...outer, ...inner };
  const text = (name: string): string | null => (run[name] === undefined ? null : plainText(run[name]));
  return { shell: text('shell'), workingDirectory: text('working-directory') };
}

function repositoriesOf(options: RunnerOptions, github: { readonly [name: string]: Plain }): Repositories {
  return {
    checkouts: options.checkouts ?? {},
    standIns: options.standIns ?? {},
    workflow: {
      folder: options.workflowCheckout ?? '/nonexistent/workflow-checkout',
      name: plainText(github['repository']),
      ref: plainText(github['sha']),
    },
    knowsSelfReference: options.knowsSelfReference ?? true,
  };
}

function openMachine(course: Course): Machine {
  const { machines } = course.desk;
  const repository = repositoryOf(course.desk.options);
  const machine = createMachine(
    `Hosted Agent ${machines.length + 1}`,
    repository,
    course.desk.options.machinesIn,
  );
  machines.push(machine);
  return machine;
}

/** Where "Set up job" writes the webhook's payload. */
function writeEvent(machine: Machine, event: Plain): string {
  const folder = join(machine.temp, '_github_workflow');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'event.json');
  writeFileSync(file, JSON.stringify(event));
  return file;
}

export function contextsOf(course: Course): { readonly [name: string]: Plain } {
  const { desk, wish } = course;
  const inputs = dispatchInputs(course);
  return {
    github: { ...githubOf(course), event: { ...wish.payload, inputs } },
    inputs,
    vars: desk.options.vars ?? {},
    secrets: wish.fork === true ? {} : (desk.options.secrets ?? {}),
  };
}

export function beginJob(course: Course, document: JobDocument, leg: Leg, part: LegPart): Job {
  const { desk, wish } = course;
  const { options } = desk;
  const machine = openMachine(course);
  const token = `ghs_${randomBytes(18).toString('hex')}`;
  const permissions = permissionsOf(course, document);
  const known = contextsOf(course);
  const github = known['github'] as { readonly [name: string]: Plain };
  const masks = createMasks();
  const secrets = { ...(known['secrets'] as Texts), GITHUB_TOKEN: token, github_token: token };
  for (const secret of Object.values(secrets)) masks.add(secret);
  const runtimeToken = options.serviceEnv?.['ACTIONS_RUNTIME_TOKEN'];
  if (runtimeToken !== undefined) masks.add(runtimeToken);
  const contexts = {
    ...known,
    secrets,
    github: {
      ...github,
      token,
      job: document.key,
      workspace: machine.workspace,
      event_path: writeEvent(machine, github['event'] ?? {}),
    },
    runner: runnerContext(machine),
    strategy: part.strategy,
    matrix: leg.matrix,
    needs: part.needs,
  };
  const scope = { contexts, status: 'success' as const, cancelled: false };
  const workflowEnv = textsOf(course.workflow.env, scope);
  const env = {
    ...workflowEnv,
    ...textsOf(document.env, { ...scope, contexts: { ...contexts, env: workflowEnv } }),
  };
  let vanish: () => void = () => undefined;
  const gone = new Promise<never>((_resolve, reject) => {
    vanish = () => {
      core.isGone = true;
      reject(new WorkerGone());
    };
  });
  gone.catch(() => undefined);
  const core: JobCore = {
    key: document.key,
    machine,
    masks,
    limits: { ...REAL_LIMITS, ...options.limits },
    repositories: repositoriesOf(options, github),
    node: options.node ?? process.execPath,
    hostEnv: {
      PATH: process.env['PATH'] ?? '',
      ...(options.home === null ? {} : { HOME: options.home ?? machine.home }),
      ...options.hostEnv,
    },
    serviceEnv: options.serviceEnv ?? {},
    contexts,
    defaults: defaultsOf(course, document, scope),
    checkRunId: desk.nextCheckRunId++,
    effects: course.effects,
    record: { masks, onLine: wish.onLine ?? (() => undefined) },
    wrongNestedInputs: options.wrongNestedInputs ?? false,
    obey: (cut) => obeyCut(job, cut),
    status: 'success',
    env,
    path: [],
    posts: [],
    stopping: null,
    onStop: [],
    gone,
    isGone: false,
  };
  options.forge?.tokenIssued?.(token, permissions);
  const { checkRunId } = core;
  options.forge?.jobChanged?.({ runId: course.id, checkRunId, status: 'in_progress', conclusion: null });
  const job = startJob({ document, name: part.name, core, hooks: wish, permissions, token }, vanish);
  const finished = job.finished
    .finally(() => options.forge?.tokenEnded?.(token))
    .then((report) => {
      const conclusion = core.status;
      options.forge?.jobChanged?.({ runId: course.id, checkRunId, status: 'completed', conclusion });
      return report;
    });
  return { ...job, finished };
}
