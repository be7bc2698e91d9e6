/** One job with three pods, from the shipped dist: success, cancel, a pod that goes, one that is refused, a re-run. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startWork } from './at-work.ts';
import { endClean, openScene, type Scene, type SceneWish } from './scene.ts';
import { type Checkout, shippedCheckout } from './shipped-checkout.ts';
import { course, jobOf, onlyJob, stepNamed } from './stand.ts';

const PODS = ['job0a00000pod', 'job0b00000pod', 'job0c00000pod'];
const [, B = '', C = ''] = PODS;
const MOST_MS = 240_000;

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

const yaml = (ids: readonly string[], more = ''): string =>
  jobOf(
    `- uses: podtrack/register@v1
  id: pods
  with:
    pod-ids: |
${ids.map((id) => `      ${id}`).join('\n')}
    api-key: \${{ secrets.RUNPOD_API_KEY }}
    ssh-key: \${{ secrets.PODTRACK_SSH_KEY }}
    remote-path: /workspace/results
${more}- name: Work on the pods
  env:
    PODS: \${{ steps.pods.outputs.pod-ids }}
  run: |
    echo "$PODS" "$PODTRACK_POD_IDS"
    ssh -p 22 work`,
    'permissions:\n  contents: write',
  );

async function open(wish: Partial<SceneWish> = {}): Promise<Scene> {
  scene = await openScene({ pods: PODS, checkout, ...wish });
  return scene;
}

/** Comes back while the job works. */
async function working(on: Scene, file: string) {
  return await startWork({ ...on, example: (_, wish) => on.start(file, wish) }, 'several', {});
}

const isUp = (on: Scene): readonly boolean[] => PODS.map((id) => on.hasPod(id));
const rows = async (on: Scene): Promise<unknown> => await Promise.all(PODS.map((id) => on.record(id)));
const ENDED = { status: 'terminated', end: { verified: true } };

it(
  'a success: one commit enters them, each is armed, and each ends with its results kept and a row in one table',
  async () => {
    const on = await open();
    const job = onlyJob(await (await on.start(yaml(PODS))).finished);
    expect(course(job), job.log.join('\n')).toEqual([
      'Run podtrack/register@v1: success',
      'Work on the pods: success',
      'Post Run podtrack/register@v1: success',
    ]);
    const history = await on.history();
    expect(history[0]).toBe('3 changes: register ×3');
    expect(history.filter((subject) => subject.includes('register'))).toHaveLength(1);
    expect(stepNamed(job, 'Work on the pods').log.join('\n')).toContain(PODS.join(' '));
    expect(await rows(on)).toMatchObject(PODS.map(() => ({ ...ENDED, switch: { credential: 'injected' } })));
    expect(isUp(on)).toEqual([false, false, false]);
    const kept = on.results.artifacts().map(({ name }) => name);
    expect(kept).toEqual(expect.arrayContaining(PODS.map((id) => `podtrack-${id}-1`)));
    expect(job.summary).toContain('3 pod(s) settled');
    for (const id of PODS) expect(job.summary).toMatch(new RegExp(`^\\| ${id} \\|.*verified and kept`, 'm'));
  },
  MOST_MS,
);

it(
  'a cancel at work while one pull never ends: the two others end verified, that one is left to the reaper by name',
  async () => {
    const limits = { sigintMs: 300, sigtermMs: 300, streamGraceMs: 300, cancelBudgetMs: 90_000 };
    const on = await open({
      pod: { files: { '/workspace/results/model.bin': { size: 2_000_000 } } },
      runner: { limits },
    });
    const run = await working(on, yaml(PODS, '    post-budget: 30s\n'));
    on.hosts.stallTransfer(B, 100_000);
    run.cancel();
    const job = onlyJob(await run.finished);
    const post = stepNamed(job, 'Post Run podtrack/register@v1');
    expect(post, job.log.join('\n')).toMatchObject({ finished: true, conclusion: 'failure', signal: null });
    expect(isUp(on)).toEqual([false, true, false]);
    expect(await rows(on)).toMatchObject([ENDED, { end: null }, ENDED]);
    expect(job.summary).toContain('1 of 3 pods ARE NOT SETTLED');
    expect(post.log.join('\n')).toMatch(new RegExp(`${B}: (it stays up|not finished)`));
  },
  MOST_MS,
);

it(
  'a pod that goes while the job works: the others end verified, and it is told apart as one whose end is not proven yet',
  async () => {
    const on = await open();
    const run = await working(on, yaml(PODS));
    on.world.disturb(C, 'vanish');
    on.releaseWork();
    const job = onlyJob(await run.finished);
    expect(isUp(on)).toEqual([false, false, false]);
    expect(job.result).toBe('failure');
    expect(await rows(on)).toMatchObject([ENDED, ENDED, { end: null }]);
    expect(job.summary).toMatch(
      new RegExp(`1 of 3 pods ARE NOT SETTLED[^]*${C} \\|.*the provider shows no such pod`),
    );
  },
  MOST_MS,
);

it(
  'one that is another run’s: it is named, no row is written and nothing is asked of the others, post is quiet',
  async () => {
    const on = await open();
    const theirs = await working(on, yaml([B]));
    const history = await on.history();
    const job = onlyJob(await (await on.start(yaml(PODS))).finished);
    expect(course(job)).toEqual([
      'Run podtrack/register@v1: failure',
      'Work on the pods: skipped',
      'Post Run podtrack/register@v1: success',
    ]);
    const said = job.log.join('\n');
    expect(said).toMatch(
      new RegExp(`${B}: it belongs to acme/ml#${theirs.id}.*None of the 3 pods was touched`),
    );
    expect(await on.history()).toEqual(history);
    expect(isUp(on)).toEqual([true, true, true]);
    on.releaseWork();
    await theirs.finished;
    expect(isUp(on)).toEqual([true, false, true]);
  },
  MOST_MS,
);

it(
  'a re-run after the machine was lost reclaims all of them in one commit, and ends them',
  async () => {
    const on = await open();
    const first = await working(on, yaml(PODS));
    first.lose();
    await first.finished;
    on.releaseWork();
    const second = await first.rerun('failed').finished;
    const job = onlyJob(second);
    expect(job.result, job.log.join('\n')).toBe('success');
    expect(await on.history()).toContain('3 changes: reclaim ×3');
    expect(await rows(on)).toMatchObject(PODS.map(() => ({ ...ENDED, owner: { attempt: 2 } })));
    for (const id of PODS) expect(job.log.join('\n')).toContain(`${id}: reclaimed from an earlier process`);
  },
  MOST_MS,
);
