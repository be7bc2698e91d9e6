/** Stories of jobs whose key or pod changed under them: what the post step leaves wanted, and what the reaper makes of it. */
import { expect, it } from 'vitest';
import { ownerDeadlineAt } from '../../src/domain/deadlines.ts';
import { seen } from '../../src/domain/part.ts';
import { reportCycle } from '../../src/domain/report.ts';
import { actingOwner } from '../../src/flows/acting.ts';
import { finishJob, handOver } from '../../src/flows/ending/finish-job.ts';
import { anOwner, minutes, NOW } from '../domain/build.ts';
import { cycles, ended, ours, put, record, registerInput, type Stage, stage, verdicts } from './stage.ts';

/** As when a key was rotated: the planted one is a key no more. */
function rotateKey(on: Stage, id: string): void {
  const pod = on.pods.get(id);
  if (pod !== undefined) pod.key = 'refused';
}

const mine = anOwner({ uuid: 'u-p' });
const jobOwner = anOwner({ uuid: 'u-p', job: 'train' });
/** The rest of what a post step is given. */
const LEFT = {
  keepForMs: minutes(30),
  localPath: null,
  pullBudgetMs: minutes(3),
  waitMs: minutes(3),
  known: null,
};

it('C63 (d): a key of the provider that was rotated meanwhile: post is red with the end pending, the reaper ends it with the new key', async () => {
  const on = stage();
  const armed = await ours(on, 'p', { switched: { util: '97' } });
  const { state } = await on.world.registry.read();
  on.provider.fail('get', 'unauthorized', { times: 1 });
  const outcome = await finishJob(on.world, {
    register: registerInput('p', { acting: actingOwner(mine, null) }, mine),
    entered: true,
    ending: 'teardown',
    keepForMs: minutes(30),
    localPath: null,
    pullBudgetMs: minutes(3),
    waitMs: minutes(3),
    known: { record: armed, registryId: state.meta.registryId },
  });
  expect(outcome).toMatchObject({ kind: 'failed', reason: 'provider-unseen' });
  expect(outcome.says).toMatch(/it may still bill: .*unauthorized.*its end stays wanted/);
  expect(ended(on)).toEqual([]);
  on.clock.jump(minutes(5));
  expect(verdicts(await cycles(on, 1))).toEqual({ p: 'requested' });
  expect(await record(on, 'p')).toMatchObject({ status: 'terminated', end: { verified: true } });
});

it('C63 (d): the reaper tells of the planted key that the provider no longer takes, and plants one that works', async () => {
  const on = stage();
  await ours(on, 'p', { switched: { util: '97' } });
  rotateKey(on, 'p');
  on.owners.set('u-p', seen({ state: 'in-progress' }));
  const first = await cycles(on, 1);
  const { alarms } = reportCycle(first);
  expect(alarms).toContainEqual({
    code: 'switch-key-refused',
    grade: 'warn',
    says: expect.stringContaining('no longer takes the key on p: its switch could not end it'),
  });
  expect(first.outcomes).toContainEqual(
    expect.objectContaining({
      order: 're-arm',
      kind: 'done',
      says: expect.stringContaining('no longer takes the key'),
    }),
  );
  expect(verdicts(first)).toEqual({ p: 'gpu-busy' });
  expect(reportCycle(await cycles(on, 1)).alarms.map(({ code }) => code)).not.toContain('switch-key-refused');
});

it('C63 (d): a refused key is told beside the end by the owner deadline, and passes for no restart without a switch', async () => {
  const on = stage();
  const { deadlines } = await ours(on, 'p', { switched: { util: '97' } });
  rotateKey(on, 'p');
  on.clock.jump(ownerDeadlineAt(deadlines) - on.clock.now() + minutes(1));
  const only = await cycles(on, 1);
  expect(verdicts(only)).toEqual({ p: 'owner-deadline' });
  expect(reportCycle(only).alarms.map(({ code }) => code)).toContain('switch-key-refused');
  expect(await record(on, 'p')).toMatchObject({ status: 'terminated', end: { verified: true } });
});

it.each<[string, { job: string | null }, (on: Stage) => Promise<unknown>, boolean]>([
  ['was lost with its runner', { job: 'train' }, async () => undefined, true],
  ['was never to come: the pod is the whole run\u2019s', { job: null }, async () => undefined, false],
  [
    'came, and handed over what it could not finish',
    { job: 'train' },
    async (on) => {
      const handed = {
        register: registerInput('p', {}, jobOwner),
        entered: true,
        ending: 'teardown' as const,
      };
      await handOver(on.world, { ...handed, ...LEFT }, 'out of time');
    },
    false,
  ],
])(
  'C39 (a): a pod whose job is over is ended; its row says if the post step %s',
  async (_what, { job }, post, missing) => {
    const on = stage();
    await ours(on, 'p', { switched: { util: '97' }, owner: { uuid: 'u-p', job } });
    await post(on);
    on.owners.set('u-p', seen({ state: 'completed', completedAt: NOW, conclusion: 'cancelled' }));
    on.clock.jump(minutes(5));
    const cycle = await cycles(on, 1);
    expect(verdicts(cycle)).toEqual({ p: 'orphan' });
    const [row] = reportCycle(cycle).rows;
    expect(row?.troubles.some((says) => says.startsWith('post step missing: job train is over'))).toBe(
      missing,
    );
    expect(row?.grade).toBe(missing ? 'warn' : 'ok');
  },
);

it('C04: a pod that moved to a new id: the old row is lost by double absence, the new pod is told as its likely successor and lives', async () => {
  const on = stage();
  put(on, 'somebodys', { name: 'elsewhere' });
  await ours(on, 'old', { pod: { name: 'train' }, owner: { uuid: 'u-old' } });
  on.owners.set('u-old', seen({ state: 'in-progress' }));
  on.provider.pods.delete('old');
  put(on, 'new', { name: 'train', createdAt: on.clock.now(), startedAt: on.clock.now() });
  const first = await cycles(on, 1);
  expect((await record(on, 'old')).status).toBe('active');
  const told = reportCycle(first).alarms.filter(({ code }) => code === 'successor');
  expect(told.map(({ grade, says }) => [grade, says])).toEqual([
    ['warn', expect.stringMatching(/old is missing, and new bears its name/)],
  ]);
  on.clock.jump(minutes(11));
  await cycles(on, 2, minutes(11));
  expect(await record(on, 'old')).toMatchObject({ status: 'lost', end: { verified: false } });
  expect(ended(on)).toEqual([]);
  expect((await on.provider.get('new')).kind).toBe('present');
});
