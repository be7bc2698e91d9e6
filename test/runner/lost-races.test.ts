/** Post while everybody else's commits come first: it goes on within its budget, by its fence, and not by the mark on the pod. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Scripted } from '../github-server/switches.ts';
import { endClean, openScene, type Scene } from './scene.ts';
import { onlyJob } from './stand.ts';

const POD = 'racing00pod';
/** The six tries of one round, and two of the next. */
const LOST = 8;

const stale: Scripted = {
  status: 200,
  body: {
    data: { createCommitOnBranch: null },
    errors: [
      {
        type: 'STALE_DATA',
        path: ['createCommitOnBranch'],
        message: 'Expected branch to point to "0" but it did not. Pull and try again.',
      },
    ],
  },
};

let scene: Scene;
beforeEach(async () => {
  scene = await openScene({ pods: [POD] });
}, 300_000);
afterEach(() => endClean(scene));

it('six races lost are not the end of it: the next round takes the fence, and the pod is ended verified', async () => {
  const { faults } = scene.github.switches;
  const onPosts = (): void =>
    void faults.push({ when: 'graphql createCommitOnBranch', what: stale, times: LOST });
  const job = onlyJob(await scene.runExample('register', { inputs: { 'pod-id': POD }, onPosts }));
  const said = job.log.join('\n');
  expect(job.result, said).toBe('success');
  expect(said).toMatch(/every race was lost \(.*\); again, \d+ s are left for it/);
  expect(said).not.toContain('the mark on the pod decides');
  expect(faults.map(({ times }) => times)).toEqual([0]);
  expect(scene.hasPod(POD)).toBe(false);
  expect(await scene.record(POD)).toMatchObject({ status: 'terminated', end: { verified: true } });
  expect((await scene.history()).filter((subject) => subject.includes('fence'))).not.toEqual([]);
}, 180_000);
