/** Post after a cancel, while the results never stop coming: it ends by itself inside its budget and hands the pod over. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startWork } from '../runner/at-work.ts';
import { endClean, openScene, type Scene } from '../runner/scene.ts';
import { onlyJob, stepNamed } from '../runner/stand.ts';

const POD = 'endless0pod';
const BUDGET_MS = 20_000;
/** What the runner would leave it: far more, so that it is seen to end by itself. */
const RUNNER_MS = 90_000;

const register = fileURLToPath(new URL('../../workflows-examples/register.yml', import.meta.url));
const budgeted = readFileSync(register, 'utf8').replace(
  'kill-in: 2h',
  `kill-in: 2h\n          post-budget: ${BUDGET_MS / 1000}s`,
);

let scene: Scene;
beforeEach(async () => {
  scene = await openScene({
    pods: [POD],
    pod: { files: { '/workspace/results/model.bin': { size: 4_000_000 } } },
    runner: { limits: { sigintMs: 300, sigtermMs: 300, streamGraceMs: 300, cancelBudgetMs: RUNNER_MS } },
  });
}, 300_000);
afterEach(() => endClean(scene));

it('gives the pod back within its budget and says that it is up; the next cycle ends it, verified', async () => {
  const work = await startWork(
    { ...scene, example: (_, wish) => scene.runner.start(budgeted, wish) },
    'register',
    { inputs: { 'pod-id': POD } },
  );
  scene.hosts.stallTransfer(POD, 100_000);
  const cancelledAt = Date.now();
  work.cancel();
  const job = onlyJob(await work.finished);
  const tookMs = Date.now() - cancelledAt;
  const post = stepNamed(job, 'Post Run podtrack/register@v1');
  expect(post.finished, job.log.join('\n')).toBe(true);
  expect(tookMs).toBeLessThan(BUDGET_MS);
  expect(post).toMatchObject({ conclusion: 'failure', signal: null });
  expect(post.log.join('\n')).toContain(`${POD}: it stays up: timed-out`);
  expect(post.log.join('\n')).toContain('the reaper tries again');
  expect(scene.hasPod(POD)).toBe(true);
  const record = await scene.record(POD);
  expect(record).toMatchObject({
    status: 'active',
    fence: null,
    end: null,
    notes: [expect.stringMatching(/^released: timed-out/)],
  });

  scene.hosts.stallTransfer(POD, null);
  const updatedAt = new Date(Date.now() - 300_000).toISOString();
  const run = { status: 'completed', conclusion: 'cancelled', attempt: 1, updatedAt };
  scene.github.switches.runs.set(work.id, run);
  const reap = onlyJob(await scene.runExample('reap'));
  expect(reap.result, reap.log.join('\n')).toBe('success');
  expect(scene.hasPod(POD)).toBe(false);
  expect(await scene.record(POD)).toMatchObject({ status: 'terminated', end: { verified: true } });
}, 180_000);
