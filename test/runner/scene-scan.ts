/** Everything that a scene has produced, scanned for every secret that was used in it. */
import type { FolderPodHosts } from '../../src/world/pods/folder-pod-hosts.ts';
import type { WorldHandle } from '../../src/world/serve.ts';
import type { Stand as GithubStand } from '../github-server/asking.ts';
import { runGit } from '../github-server/run-git.ts';
import type { RunningJob } from './job-run.ts';
import type { StartWish } from './options.ts';
import type { ResultsService } from './results-server.ts';
import type { Run, RunReport } from './runner.ts';
import { type Exhibit, type Leak, type Secret, scan, secretOf } from './secret-scan.ts';
import type { StepReport } from './step-record.ts';
import { environments, filesBelow, type Witness, watchArguments, watchRequests } from './witness.ts';

export type Scanned = {
  readonly world: WorldHandle;
  readonly hosts: FolderPodHosts;
  readonly github: GithubStand;
  readonly results: ResultsService;
  /** All but those that the runner and the world make. */
  readonly secrets: readonly Secret[];
  /** What it must share with scenes that run beside it: one look at processes, and which addresses are its own; null = it is alone. */
  readonly beside: { readonly processes: Witness; readonly origins: readonly string[] } | null;
};

export type SceneScan = {
  /** Adds a look at pods and machines while the job works and before its posts. */
  watched(wish: StartWish): StartWish;
  /** Takes its report down, and those of its further attempts. */
  followed(run: Run): Run;
  /** Everything until now; none is what is to be. */
  leaks(): Promise<readonly Leak[]>;
  close(): void;
};

/** On the pod its own key, where the provider puts it and where the switch keeps it in memory: nowhere else. */
export const ON_POD =
  /^pod \S+ (environment of |\/etc\/rp_environment$|\/proc\/1\/environ$|\/dev\/shm\/[^/]+\/(credential|wgetrc)(\.\w+)?$)/;
/** The runner's own file of saved state, beside which the sealed secrets lie. */
const IN_STATE = /_runner_file_commands\/save_state_/;

function stepExhibits(name: string, step: StepReport): Exhibit[] {
  const where = `${name}, step "${step.name}" (${step.stage})`;
  const { 'secrets-key': _, ...state } = step.state;
  // What the process wrote itself, for masks must not be what keeps a secret; but for the words that set them.
  const raw = step.raw.filter((line) => !line.startsWith('::add-mask::'));
  const told = { outputs: step.outputs, env: step.env, state, annotations: step.annotations };
  return [
    { where: `${where} log`, text: step.log.join('\n') },
    { where: `${where} unmasked output`, text: raw.join('\n') },
    { where: `${where} summary`, text: step.summary },
    ...Object.entries(told).map(([what, value]) => ({
      where: `${where} ${what}`,
      text: JSON.stringify(value),
    })),
    ...step.children.flatMap((child) => stepExhibits(name, child)),
  ];
}

function sealingKeys(name: string, steps: readonly StepReport[]): Secret[] {
  return steps.flatMap(({ state, children }) => [
    ...(state['secrets-key'] === undefined
      ? []
      : [secretOf(`sealing key of ${name}`, state['secrets-key'], IN_STATE)]),
    ...sealingKeys(name, children),
  ]);
}

/** Files and commit messages, those too that no ref leads to any more. */
export async function registryExhibits(folder: string): Promise<Exhibit[]> {
  const git = async (...args: readonly string[]): Promise<string> => (await runGit(folder, args)).stdout;
  const objects = await git('cat-file', '--batch-all-objects', '--batch');
  return [
    { where: 'registry: every object ever written', text: objects },
    { where: 'registry: refs', text: await git('for-each-ref') },
  ];
}

export function resultsExhibits(results: ResultsService): Exhibit[] {
  return [
    {
      where: 'names of artifacts',
      text: results
        .artifacts()
        .map(({ name }) => name)
        .join('\n'),
    },
    { where: 'names of caches', text: results.caches().join('\n') },
  ];
}

async function serverExhibits({ github, results }: Scanned): Promise<Exhibit[]> {
  return [
    ...(await registryExhibits(github.folder)),
    ...github.seen.map(({ label, body }) => ({ where: `body of ${label}`, text: body })),
    ...resultsExhibits(results),
  ];
}

export function podExhibits({ world, hosts }: Pick<Scanned, 'world' | 'hosts'>): Exhibit[] {
  const running = [...world.world.pods.values()].filter(({ status }) => status === 'RUNNING');
  return running.flatMap(({ id }) => [
    ...filesBelow(`pod ${id}`, hosts.folder(id)),
    ...environments(`pod ${id}`, hosts.processes(id)),
  ]);
}

function machineExhibits({ name, core: { machine } }: RunningJob): Exhibit[] {
  const { temp, home, workspace, toolCache } = machine;
  return [temp, home, workspace, toolCache].flatMap((folder) => filesBelow(`machine of ${name}`, folder));
}

function reportExhibits({ jobs }: RunReport): Exhibit[] {
  return jobs.flatMap(({ name, steps, log, summary, annotations, outputs }) => [
    { where: `log of ${name}`, text: log.join('\n') },
    { where: `page of ${name}`, text: summary + JSON.stringify({ annotations, outputs }) },
    ...steps.flatMap((step) => stepExhibits(name, step)),
  ]);
}

function hostOf(address: string): string {
  return new URL(address).host;
}

export function scanOf(scene: Scanned): SceneScan {
  const { world } = scene;
  const { beside } = scene;
  const requests = watchRequests(beside === null ? null : new Set(beside.origins.map(hostOf)));
  const processes = beside?.processes ?? watchArguments();
  const seenBefore = processes.exhibits().length;
  const jobs: RunningJob[] = [];
  const exhibits: Exhibit[] = [];
  const secrets: Secret[] = [
    ...scene.secrets,
    ...[...world.world.pods.keys()].map((id) => secretOf(`key of pod ${id}`, world.podKey(id), ON_POD)),
  ];
  const look = (): void => {
    exhibits.push(...podExhibits(scene), ...jobs.flatMap(machineExhibits));
  };
  const watched = (wish: StartWish): StartWish => ({
    ...wish,
    async onJob(job) {
      jobs.push(job);
      const { token } = job.core.contexts['github'] as { token: string };
      secrets.push(secretOf(`token of ${job.name}`, token));
      await wish.onJob?.(job);
    },
    async onPosts(job) {
      look();
      await wish.onPosts?.(job);
    },
    onLine(line, step) {
      if (line.startsWith('ssh -p')) look();
      wish.onLine?.(line, step);
    },
  });
  const heard = (report: RunReport): RunReport => {
    for (const { name, steps } of report.jobs) secrets.push(...sealingKeys(name, steps));
    exhibits.push(...reportExhibits(report));
    return report;
  };
  const followed = (run: Run): Run => ({
    ...run,
    finished: run.finished.then(heard),
    rerun: (which, wish) => followed(run.rerun(which, wish === undefined ? wish : watched(wish))),
  });
  return {
    watched,
    followed,
    async leaks() {
      look();
      const seen = [...requests.exhibits(), ...processes.exhibits().slice(seenBefore)];
      return scan([...exhibits, ...seen, ...(await serverExhibits(scene))], secrets);
    },
    close() {
      requests.close();
      if (beside === null) processes.close();
    },
  };
}
