/** Cuts of a shipped door at what the outside sees: a request that does not arrive, a state that was written just before. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Cut, Effect } from './effects.ts';
import type { Run } from './runner.ts';
import { endClean, openScene, type Scene } from './scene.ts';
import { type Checkout, shippedCheckout } from './shipped-checkout.ts';
import { course, onlyJob } from './stand.ts';

const POD = 'cut0000pod';
const MOST_MS = 180_000;
const WRITE = 'github POST /api/v3/repos/acme/ml/git/';
const REGISTER = 'Run podtrack/register/register@v1';

let checkout: Checkout;
beforeAll(() => {
  checkout = shippedCheckout();
}, 300_000);
afterAll(() => checkout.remove());

/** Runs arm.yml with one cut; the scene is left open for the test to look at. */
async function cutRun(cutAt: (effect: Effect) => boolean, how: Cut) {
  let run: Run | null = null;
  let done = false;
  const scene: Scene = await openScene({
    pods: [POD],
    checkout,
    onRequest: (when, what) => run?.note({ when, what }),
  });
  run = await scene.example('arm', {
    inputs: { 'pod-id': POD },
    onEffect: (effect) => {
      if (done || !cutAt(effect)) return undefined;
      done = true;
      return how;
    },
  });
  const report = await run.finished;
  return { scene, report, job: onlyJob(report) };
}

it(
  'lost before its first write to GitHub arrives: nothing is written, the effect is the last, and the pod lives',
  async () => {
    const { scene, job, report } = await cutRun(
      ({ kind, when, what }) => kind === 'world' && when === 'before' && what.startsWith(WRITE),
      'lose-runner',
    );
    expect(course(job)).toEqual([`${REGISTER}: cancelled`]);
    expect(report.effects.at(-1)?.what).toContain(WRITE);
    expect(scene.github.seen.filter(({ label }) => label.startsWith('POST'))).toEqual([]);
    expect(await scene.record(POD)).toBeNull();
    expect(scene.hasPod(POD)).toBe(true);
    await endClean(scene);
  },
  MOST_MS,
);

it(
  'lost right after its first state was written: the state is seen, nothing of the pod is asked, the pod lives unregistered',
  async () => {
    const { scene, job, report } = await cutRun(
      ({ kind, when, what }) => kind === 'file' && when === 'after' && what === 'state',
      'lose-runner',
    );
    expect(course(job)).toEqual([`${REGISTER}: cancelled`]);
    expect(report.effects.at(-1)).toMatchObject({ kind: 'file', what: 'state' });
    expect(scene.hasPod(POD)).toBe(true);
    expect(await scene.record(POD)).toBeNull();
    await endClean(scene);
  },
  MOST_MS,
);
