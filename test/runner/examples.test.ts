/** The example workflows, executed from the shipped dist as a user pastes them: against pods, GitHub's API and its artifacts. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { zipNames } from '../actions/zip.ts';
import { component, suiteWith } from '../components.ts';
import { startWork } from './at-work.ts';
import { endClean, openScene, type Scene, type SceneWish } from './scene.ts';
import { type Checkout, shippedCheckout } from './shipped-checkout.ts';
import { course, onlyJob, stepNamed } from './stand.ts';

const POD = 'train0pod1';
const MOST_MS = 180_000;
/** The bundle may have to be built first. */
const BUILD_MS = 300_000;

let checkout: Checkout;
beforeAll(() => {
  checkout = shippedCheckout();
}, BUILD_MS);
afterAll(() => checkout.remove());

let scene: Scene | null = null;
afterEach(async () => {
  await endClean(scene);
  scene = null;
});

async function open(wish: Partial<SceneWish> = {}): Promise<Scene> {
  scene = await openScene({ pods: [POD], checkout, ...wish });
  return scene;
}

function registersAndEnds(node: () => string): void {
  it(
    'register.yml: registered, armed, worked on, pulled, kept, ended; nothing secret is said',
    async () => {
      const on = await open({ runner: { node: node() } });
      const report = await on.runExample('register', { inputs: { 'pod-id': POD } });
      const job = onlyJob(report);
      expect(course(job), job.log.join('\n')).toEqual([
        'Run podtrack/register@v1: success',
        'Work on the pod: success',
        'Post Run podtrack/register@v1: success',
      ]);
      expect(stepNamed(job, 'Run podtrack/register@v1').children.map(({ uses }) => uses)).toEqual([
        '$/register',
        '$/arm',
      ]);
      expect(stepNamed(job, 'Work on the pod').raw.join()).toMatch(
        /^ssh -p \d+ root@127\.0\.0\.1 python train\.py$/,
      );
      expect(on.hasPod(POD)).toBe(false);
      expect(await on.record(POD)).toMatchObject({
        status: 'terminated',
        end: { verified: true, reason: 'requested' },
        owner: { label: `acme/ml#${report.id}`, job: 'train', checkRunId: String(job.checkRunId) },
      });
      const kept = on.results.artifacts().find(({ name }) => name === `podtrack-${POD}-1`);
      expect(zipNames(kept?.bytes ?? Buffer.alloc(0))).toEqual(['log/train.txt', 'model.bin']);
      expect(job.summary).toContain(`${POD} is registered`);
      expect(job.summary).toContain(`${POD} is settled`);
    },
    MOST_MS,
  );
}

describe('on the Node that runs the tests', () => {
  registersAndEnds(() => process.execPath);
});
suiteWith(['node24'], 'on Node 24', () => {
  registersAndEnds(() => component('node24') ?? '');
});

describe('a runner that does not know $/', () => {
  it(
    'arm.yml, the two-step form, does all of it',
    async () => {
      const on = await open({ runner: { knowsSelfReference: false } });
      const job = onlyJob(await on.runExample('arm', { inputs: { 'pod-id': POD } }));
      expect(course(job), job.log.join('\n')).toEqual([
        'Run podtrack/register/register@v1: success',
        'Run podtrack/register/arm@v1: success',
        'Work on the pod: success',
        'Post Run podtrack/register/register@v1: success',
      ]);
      expect(await on.record(POD)).toMatchObject({ status: 'terminated', end: { verified: true } });
    },
    MOST_MS,
  );

  it(
    'register.yml fails before any step, and the pod is not touched',
    async () => {
      const on = await open({ runner: { knowsSelfReference: false } });
      const job = onlyJob(await on.runExample('register', { inputs: { 'pod-id': POD } }));
      expect(job.steps).toEqual([]);
      expect(job.annotations[0]?.message).toContain("Unable to resolve self-reference '$/'");
      expect(on.world.requests()).toEqual([]);
    },
    MOST_MS,
  );
});

describe('beside a job that works', () => {
  it(
    'reap.yml lets its pod live; teardown.yml ends it by force; the job then finds nothing left to do',
    async () => {
      const on = await open();
      const work = await startWork(on, 'register', { inputs: { 'pod-id': POD } });
      const reap = onlyJob(await on.runExample('reap'));
      expect(reap.result, reap.log.join('\n')).toBe('success');
      expect(reap.steps[0]?.outputs).toMatchObject({ ended: '0', red: '0' });
      expect(on.hasPod(POD)).toBe(true);

      const inputs = { 'pod-id': POD, reason: 'runaway bill' };
      const teardown = onlyJob(await on.runExample('teardown', { inputs }));
      expect(teardown.result, teardown.log.join('\n')).toBe('success');
      expect(on.hasPod(POD)).toBe(false);

      on.releaseWork();
      const job = onlyJob(await work.finished);
      expect(job.result, job.log.join('\n')).toBe('success');
      expect(await on.record(POD)).toMatchObject({ status: 'terminated' });
    },
    MOST_MS,
  );

  it(
    'a cancel of register.yml is told to the work, and post ends the pod with its results kept',
    async () => {
      // The shell waits for its ssh and heeds no signal; the real limits would cost ten seconds.
      const on = await open({ runner: { limits: { sigintMs: 300, sigtermMs: 300, streamGraceMs: 300 } } });
      const work = await startWork(on, 'register', { inputs: { 'pod-id': POD } });
      work.cancel();
      const job = onlyJob(await work.finished);
      expect(course(job), job.log.join('\n')).toEqual([
        'Run podtrack/register@v1: success',
        'Work on the pod: cancelled',
        'Post Run podtrack/register@v1: success',
      ]);
      expect(job.result).toBe('cancelled');
      expect(job.log.join('\n')).toContain('the job ended with cancelled');
      expect(await on.record(POD)).toMatchObject({ status: 'terminated', end: { verified: true } });
    },
    MOST_MS,
  );

  it(
    'a lost machine runs no post: the pod lives, registered, with its switch armed',
    async () => {
      const on = await open();
      const work = await startWork(on, 'register', { inputs: { 'pod-id': POD } });
      work.lose();
      const job = onlyJob(await work.finished);
      expect(course(job)).toEqual(['Run podtrack/register@v1: success', 'Work on the pod: cancelled']);
      expect(on.hasPod(POD)).toBe(true);
      expect(await on.record(POD)).toMatchObject({ status: 'active', end: null });
      expect(await on.history()).toContainEqual(expect.stringMatching(/^arm /));
    },
    MOST_MS,
  );
});
