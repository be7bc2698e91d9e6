/** Pods of many jobs and pods that change hands, as the examples matrix.yml and claim.yml do it, from the shipped dist. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { component, suiteWith } from '../components.ts';
import { startWork } from './at-work.ts';
import { endClean, openScene, type Scene, type SceneWish } from './scene.ts';
import { type Checkout, shippedCheckout } from './shipped-checkout.ts';
import { course, onlyJob } from './stand.ts';

const PODS = ['leg0a00000pod', 'leg0b00000pod', 'leg0c00000pod'];
const [A = '', B = '', C = ''] = PODS;
const inputs = { 'pod-ids': JSON.stringify(PODS) };
const MOST_MS = 180_000;

let checkout: Checkout;
beforeAll(() => {
  checkout = shippedCheckout();
}, 300_000);
afterAll(() => checkout.remove());

let scene: Scene | null = null;
afterEach(async () => {
  await endClean(scene);
  scene = null;
});

async function open(wish: Partial<SceneWish> = {}): Promise<Scene> {
  scene = await openScene({ pods: PODS, checkout, ...wish });
  return scene;
}

/** How often each pod was asked to end. */
function ends(on: Scene): Readonly<Record<string, number>> {
  const deletes = on.world.requests().filter(({ method }) => method === 'DELETE');
  return Object.fromEntries(PODS.map((id) => [id, deletes.filter(({ podId }) => podId === id).length]));
}

function onNode(node: () => string): void {
  it(
    'matrix.yml: one commit enters all pods, each leg takes on its own and ends it with its results kept, nothing is left',
    async () => {
      const on = await open({ runner: { node: node() } });
      const report = await on.runExample('matrix', { inputs });
      expect(report.conclusion, report.jobs.flatMap(({ log }) => log).join('\n')).toBe('success');
      expect(report.jobs.map(({ key }) => key)).toEqual(['plan', 'train', 'train', 'train', 'clean']);
      const history = await on.history();
      expect(history.filter((subject) => subject.includes('register'))).toEqual(['3 changes: register ×3']);
      expect(history.filter((subject) => subject.startsWith('reclaim'))).toHaveLength(3);
      expect(ends(on)).toEqual({ [A]: 1, [B]: 1, [C]: 1 });
      for (const id of PODS)
        expect(await on.record(id)).toMatchObject({
          status: 'terminated',
          end: { verified: true },
          owner: { job: 'train', matrix: JSON.stringify({ 'pod-id': id }), label: `acme/ml#${report.id}` },
        });
      const kept = on.results.artifacts().map(({ name }) => name);
      expect(kept).toEqual(expect.arrayContaining(PODS.map((id) => `podtrack-${id}-1`)));
    },
    MOST_MS,
  );

  it(
    'claim.yml: a pod whose run was lost changes hands, is armed anew, worked on, and ended by the run that took it',
    async () => {
      const on = await open({ pods: [A], runner: { node: node() } });
      const lost = await startWork(on, 'register', { inputs: { 'pod-id': A } });
      lost.lose();
      await lost.finished;
      on.releaseWork();
      expect(on.hasPod(A)).toBe(true);
      const report = await on.runExample('claim', { inputs: { 'pod-id': A } });
      const job = onlyJob(report);
      expect(course(job), job.log.join('\n')).toEqual([
        'Run podtrack/register/setup@v1: success',
        'Take the pod over: success',
        'Run podtrack/register@v1: success',
        'Work on the pod: success',
        'Post Run podtrack/register@v1: success',
      ]);
      expect(on.hasPod(A)).toBe(false);
      expect(await on.record(A)).toMatchObject({
        status: 'terminated',
        end: { verified: true },
        owner: { label: `acme/ml#${report.id}`, job: 'evaluate' },
      });
    },
    MOST_MS,
  );
}

describe('on the Node that runs the tests', () => {
  onNode(() => process.execPath);
});
suiteWith(['node24'], 'on Node 24', () => {
  onNode(() => component('node24') ?? '');
});

describe('when not all goes well', () => {
  it(
    'matrix.yml: a leg whose machine is lost leaves its pod to the last job; its siblings end their own and nothing else',
    async () => {
      const on = await open();
      const run = await startWork(on, 'matrix', { inputs }, PODS.length);
      const legs = run.jobs();
      expect(legs.map(({ key }) => key)).toEqual(['train', 'train', 'train']);
      legs.find(({ name }) => name.includes(B))?.lose();
      on.releaseWork();
      const report = await run.finished;
      expect(report.sums).toMatchObject({ train: { result: 'failure' }, clean: { result: 'success' } });
      expect(ends(on)).toEqual({ [A]: 1, [B]: 1, [C]: 1 });
      const ended = await Promise.all(PODS.map(async (id) => await on.record(id)));
      expect(ended.map((record) => record?.['owner'])).toMatchObject([
        { job: 'train' },
        { job: 'clean' },
        { job: 'train' },
      ]);
      expect(ended).toMatchObject(PODS.map(() => ({ status: 'terminated', end: { verified: true } })));
      const clean = report.jobs.find(({ key }) => key === 'clean');
      expect(clean?.summary).toContain('1 pod(s) settled');
    },
    MOST_MS,
  );

  it(
    'matrix.yml cancelled while it works: each leg ends its own pod, and the last job finds nothing left',
    async () => {
      const on = await open({ runner: { limits: { sigintMs: 300, sigtermMs: 300, streamGraceMs: 300 } } });
      const run = await startWork(on, 'matrix', { inputs }, PODS.length);
      run.cancel();
      const report = await run.finished;
      expect(report.conclusion).toBe('cancelled');
      expect(ends(on)).toEqual({ [A]: 1, [B]: 1, [C]: 1 });
      expect(PODS.filter((id) => on.hasPod(id))).toEqual([]);
    },
    MOST_MS,
  );

  it(
    'register.yml: a re-run after a lost machine reclaims the pod, works on it and ends it, under the same run',
    async () => {
      const on = await open({ pods: [A] });
      const first = await startWork(on, 'register', { inputs: { 'pod-id': A } });
      first.lose();
      const before = await first.finished;
      on.releaseWork();
      const second = await first.rerun('failed').finished;
      expect(second).toMatchObject({ id: before.id, attempt: 2, conclusion: 'success' });
      const job = onlyJob(second);
      expect(job.log.join('\n')).toContain(`${A}: reclaimed from an earlier process of acme/ml#${before.id}`);
      expect(await on.record(A)).toMatchObject({
        status: 'terminated',
        end: { verified: true },
        owner: { attempt: 2, label: `acme/ml#${before.id}` },
      });
    },
    MOST_MS,
  );

  it(
    'claim.yml: the pod of a run that is at work is refused with what to do, not touched, and ended by its own run',
    async () => {
      const on = await open({ pods: [A] });
      const work = await startWork(on, 'register', { inputs: { 'pod-id': A } });
      const thief = onlyJob(await on.runExample('claim', { inputs: { 'pod-id': A } }));
      expect(thief.result).toBe('failure');
      expect(thief.log.join('\n')).toMatch(/may still be at work.*hand-over/s);
      expect(on.hasPod(A)).toBe(true);
      on.releaseWork();
      const report = await work.finished;
      expect(report.conclusion).toBe('success');
      expect(await on.record(A)).toMatchObject({ owner: { label: `acme/ml#${report.id}` } });
    },
    MOST_MS,
  );
});
