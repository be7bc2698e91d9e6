/** Stories of jobs whose key or pod changed under them: what the post step leaves wanted, and what the reaper makes of it. */
import { expect, it } from 'vitest';
import { seen } from '../../src/domain/part.ts';
import { reportCycle } from '../../src/domain/report.ts';
import { actingOwner } from '../../src/flows/acting.ts';
import { finishJob } from '../../src/flows/ending/finish-job.ts';
import { anOwner, minutes } from '../domain/build.ts';
import { cycles, ended, ours, put, record, registerInput, stage, verdicts } from './stage.ts';

const mine = anOwner({ uuid: 'u-p' });

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
