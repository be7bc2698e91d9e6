/** One cut: the job of register.yml against its own world, cut at one point; then whoever comes after; then what is left. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Cut } from '../runner/effects.ts';
import type { RunningJob } from '../runner/job-run.ts';
import type { Run, RunReport } from '../runner/runner.ts';
import { openScene, type Scene } from '../runner/scene.ts';
import type { Leak } from '../runner/secret-scan.ts';
import { type Ground, RUN_ID } from './ground.ts';
import { endsIn, overtakenIn } from './history.ts';
import { isKept } from './kept.ts';
import { nameOf, type Place, type Point, placing } from './points.ts';

export const POD = 'cuttrain0pod';
const MINUTE_MS = 60_000;
/** Past the grace of an orphan, the life of a fence and the grace of a stray; then past the space between two sightings. */
const PASSES_MS = [35 * MINUTE_MS, 50 * MINUTE_MS, 65 * MINUTE_MS] as const;
/** What a worker leaves behind ends by itself in less: post has a budget of 240 s. */
const MOST_QUIET_MS = 300_000;
const MOST_DEADLINE_MS = 120_000;
const SLOW_MS = 1_000;

type Entry = Awaited<ReturnType<Scene['record']>>;
type Party = 'job' | 'reaper' | 'switch';

export type Death = {
  readonly at: number;
  /** Whether its results lay whole in a lasting place at that moment. */
  readonly kept: boolean;
  readonly during: string;
};

/** What one cut run leaves to be judged. */
export type Trace = {
  readonly point: Point | null;
  readonly places: readonly Place[];
  readonly wasCut: boolean;
  readonly death: Death | null;
  /** Who sent DELETE, with the answers, oldest first. */
  readonly deletes: readonly { readonly by: Party; readonly status: number | null }[];
  readonly record: Entry;
  /** Rows of the ledger that tell of its end. */
  readonly ends: number;
  /** Fences that were taken while another was in force. */
  readonly overtaken: readonly string[];
  readonly history: readonly string[];
  readonly passes: number;
  /** Secrets that were found in what the job, the reapers and the pod have produced. */
  readonly leaks: readonly Leak[];
  /** Of the job and of every reaper, in order. */
  readonly log: readonly string[];
  readonly tookMs: number;
};

type Course = {
  readonly ground: Ground;
  readonly point: Point | null;
  readonly places: Place[];
  readonly log: string[];
  run: Run | null;
  job: RunningJob | null;
  wasCut: boolean;
  during: string;
  death: Death | null;
  relayed: number;
  passes: number;
};

function silences(cut: Cut | undefined): boolean {
  return cut === 'kill-step' || cut === 'lose-runner';
}

async function open(course: Course): Promise<Scene> {
  const { ground } = course;
  const tell = (when: 'before' | 'after', what: string): Cut | undefined => course.run?.note({ when, what });
  const scene = await openScene({
    pods: [POD],
    pod: { createdAt: '-10m', env: { PODTRACK_STAMP: ground.stamp() } },
    // With an empty list the reaper concludes nothing from absence.
    neighbours: [{ id: 'elsewhere0pod', name: 'elsewhere', ports: [] }],
    checkout: ground.checkout,
    processes: ground.processes,
    onRequest: (when, what) => {
      if (when === 'after' && what === `runpod DELETE /v2/pods/${POD}`) course.relayed += 1;
      return what.startsWith('github') ? undefined : tell(when, what);
    },
  });
  scene.github.switches.moment = ({ label, phase }) => silences(tell(phase, label));
  scene.hosts.watchSsh(POD, (when, what) => silences(tell(when, what)));
  scene.world.onPod(({ kind, podId }) => {
    if (kind !== 'terminated' || podId !== POD) return;
    course.death ??= { at: Date.now(), kept: isKept(scene.results), during: course.during };
  });
  await ground.plant(scene);
  return scene;
}

/** Runs the job, cut at the point, to what is its end. */
async function runJob(course: Course, scene: Scene): Promise<RunReport> {
  const { ground, point } = course;
  const place = placing();
  course.run = await scene.start(ground.workflow(point?.rescue ?? 'reaper'), {
    inputs: { 'pod-id': POD },
    onJob: (job) => {
      course.job = job;
    },
    onEffect: (effect) => {
      const here = place(effect);
      course.places.push(here);
      if (course.wasCut || point === null || nameOf(here) !== nameOf(point.place)) return undefined;
      course.wasCut = true;
      // What goes on by itself goes on long enough for the reaper to meet it.
      if (point.cut === 'crash-worker' && scene.hasPod(POD)) scene.hosts.delaySsh(POD, { execMs: SLOW_MS });
      return point.cut;
    },
  });
  const report = await course.run.finished;
  course.log.push('== the job', ...report.jobs.flatMap(({ log }) => log));
  return report;
}

async function reap(course: Course, scene: Scene, laterMs: number): Promise<void> {
  course.during = `reaper +${laterMs / MINUTE_MS} min`;
  const run = await scene.start(course.ground.reaper(scene, laterMs));
  const { jobs } = await run.finished;
  course.log.push(`== ${course.during}`, ...jobs.flatMap(({ log }) => log));
}

async function until(isSo: () => boolean, mostMs: number): Promise<void> {
  const end = Date.now() + mostMs;
  while (!isSo() && Date.now() < end) await wait(100);
}

/** What goes on without its worker comes to its end; a reaper that meets it there must not disturb it. */
async function whatIsLeft(course: Course, scene: Scene, { jobs }: RunReport): Promise<void> {
  // GitHub has not noticed yet that the worker is gone: its token lives on.
  if (course.point?.cut === 'crash-worker')
    for (const { token } of jobs) scene.github.switches.tokens.set(token, 'write');
  const { machine } = course.job?.core ?? { machine: null };
  const isQuiet = (): boolean => (machine?.entries.size ?? 0) === 0;
  if (course.point?.cut === 'crash-worker' && !isQuiet()) await reap(course, scene, 0);
  course.during = 'left alone';
  await until(isQuiet, MOST_QUIET_MS);
  for (const { token } of jobs) scene.github.switches.tokens.delete(token);
  if (scene.hasPod(POD)) scene.hosts.delaySsh(POD, { execMs: 0 });
}

function isOver(record: Entry): boolean {
  return record === null || record['status'] === 'terminated' || record['status'] === 'lost';
}

/** The reaper comes until the pod is gone and its record says so. */
async function rescue(course: Course, scene: Scene): Promise<void> {
  if (course.point?.rescue === 'deadline') {
    course.during = 'the deadline';
    await until(() => course.death !== null, MOST_DEADLINE_MS);
  }
  for (const laterMs of PASSES_MS) {
    if (!scene.hasPod(POD) && isOver(await scene.record(POD))) return;
    if (scene.hasPod(POD)) course.passes += 1;
    await reap(course, scene, laterMs);
  }
}

/** Every DELETE that reached RunPod. The switch says its name; of the others the job's came past the relay. */
function deletesOf(course: Course, scene: Scene): Trace['deletes'] {
  const all = scene.world
    .requests()
    .filter(({ operation, podId }) => operation === 'deletePod' && podId === POD)
    .map((request) => ({ ...request, bySwitch: request.userAgent.startsWith('podtrack-switch') }));
  let jobs = course.relayed - all.filter(({ bySwitch, method }) => bySwitch && method === 'DELETE').length;
  return all.map(({ bySwitch, status }) => {
    if (!bySwitch) jobs -= 1;
    return { by: bySwitch ? 'switch' : jobs >= 0 ? 'job' : 'reaper', status };
  });
}

/** `point` null = the uncut run. */
export async function cutRun(ground: Ground, point: Point | null): Promise<Trace> {
  const startedAt = Date.now();
  const course: Course = {
    ground,
    point,
    places: [],
    log: [],
    run: null,
    job: null,
    wasCut: false,
    during: 'the job',
    death: null,
    relayed: 0,
    passes: 0,
  };
  const scene = await open(course);
  try {
    const report = await runJob(course, scene);
    const { conclusion } = report;
    const updatedAt = new Date(Date.now() - 5 * MINUTE_MS).toISOString();
    scene.github.switches.runs.set(RUN_ID, { status: 'completed', conclusion, attempt: 1, updatedAt });
    await whatIsLeft(course, scene, report);
    await rescue(course, scene);
    const { places, wasCut, death, passes, log } = course;
    const overtaken = await overtakenIn(scene.github, POD);
    const [record, history, leaks] = [await scene.record(POD), await scene.history(), await scene.leaks()];
    const [deletes, ends] = [deletesOf(course, scene), await endsIn(scene.github, POD)];
    log.push('== the registry', ...history, JSON.stringify(record, null, 1));
    log.push('== RunPod was asked', ...scene.world.requests().map((each) => JSON.stringify(each)));
    const tookMs = Date.now() - startedAt;
    const told = { deletes, record, ends, overtaken, history, leaks };
    return { point, places, wasCut, death, passes, log, tookMs, ...told };
  } finally {
    await scene.close();
  }
}
