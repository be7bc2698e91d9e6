/** The end of a job's pod while its registry fails: the mark on the pod decides, and the reaper settles the row. */
import { describe, expect, it } from 'vitest';
import { WorldError, type WorldFailure } from '../../src/domain/errors.ts';
import type { KnownPod } from '../../src/flows/ending/end-unfenced.ts';
import { type FinishInput, finishJob } from '../../src/flows/ending/finish-job.ts';
import type { Keep, RegistryStore, World } from '../../src/ports.ts';
import { anOwner, minutes } from '../domain/build.ts';
import { worldError } from '../fakes/scripted-provider.ts';
import {
  cycles,
  ended,
  ours,
  type PodWish,
  put,
  record,
  registerInput,
  type Stage,
  stage,
  verbs,
} from './stage.ts';

const mine = anOwner({ uuid: 'u-p' });

function failing(failure: WorldFailure): () => Promise<never> {
  const told = {
    tried: 'Asking the registry',
    cameBack: failure === 'unauthorized' ? 'the token was refused (401 Bad credentials)' : 'no answer',
    state: 'Nothing was written',
    next: 'Give a valid token',
  };
  return () => Promise.reject(new WorldError(failure, told));
}

/** The world with a registry whose `acts` fail; the others still work. */
function without(on: Stage, acts: readonly ('read' | 'submit')[], failure: WorldFailure): World {
  const broken = Object.fromEntries(acts.map((act) => [act, failing(failure)]));
  return { ...on.world, registry: { ...on.world.registry, ...broken } satisfies RegistryStore };
}

const BOTH = ['read', 'submit'] as const;

async function known(on: Stage, wish: PodWish = {}): Promise<KnownPod> {
  const armed = await ours(on, 'p', wish);
  const { state } = await on.world.registry.read();
  return { record: armed, registryId: state.meta.registryId };
}

const finishing = (of: KnownPod | null, over: Partial<FinishInput> = {}): FinishInput => ({
  register: registerInput('p', {}, mine),
  entered: true,
  ending: 'teardown',
  keepForMs: minutes(30),
  localPath: null,
  pullBudgetMs: minutes(3),
  waitMs: minutes(3),
  known: of,
  ...over,
});

describe('a registry that answers nobody when the job ends', () => {
  it('C63 (c): no token is left: pulled, verified, mark read twice, ended, confirmed; the reaper settles the row', async () => {
    const on = stage();
    const pod = await known(on);
    const before = on.shell.calls.length;
    const outcome = await finishJob(without(on, BOTH, 'unauthorized'), finishing(pod));
    expect(outcome).toMatchObject({ kind: 'done', detail: { verified: true, rowLeft: true } });
    expect(outcome.says).toMatch(
      /by its mark, without a fence; 1 artifact file\(s\) verified .*DELETE accepted, then GET 404.*row is left to the reaper \(the token was refused.*to mend: Give a valid token/,
    );
    expect(ended(on)).toEqual(['p']);
    const asked = on.shell.calls.slice(before).map(({ call }) => call.args[0]);
    expect(asked.filter((verb) => verb === 'status')).toHaveLength(2);
    expect(on.shell.openNow()).toBe(0);
    expect(await record(on, 'p')).toMatchObject({ status: 'active', fence: null });

    put(on, 'somebodys');
    on.clock.jump(minutes(20));
    await cycles(on, 3, minutes(11));
    expect(await record(on, 'p')).toMatchObject({ status: 'lost', end: { reason: 'lost-absent' } });
    expect(ended(on)).toEqual(['p']);
  });

  it.each(['registry-unreadable', 'registry-rewound', 'rate-limited'] as const)(
    '%s: the pod is ended all the same',
    async (failure) => {
      const on = stage();
      const pod = await known(on);
      expect(await finishJob(without(on, BOTH, failure), finishing(pod))).toMatchObject({ kind: 'done' });
      expect(ended(on)).toEqual(['p']);
    },
  );

  it('C43: a registry that is read and not written does not stop the teardown', async () => {
    const on = stage();
    const pod = await known(on);
    const outcome = await finishJob(without(on, ['submit'], 'write-refused'), finishing(pod));
    expect(outcome).toMatchObject({ kind: 'done', detail: { rowLeft: true } });
    expect(ended(on)).toEqual(['p']);
  });

  it('C45 (b): the network is back before the end: the row is settled as terminated, by a fence', async () => {
    const on = stage();
    const pod = await known(on);
    let answers = false;
    const away = failing('registry-unreadable');
    const { registry } = on.world;
    const world: World = {
      ...on.world,
      registry: { ...registry, read: () => (answers ? registry.read() : away()) },
      keep: {
        keep: async (copy) => {
          answers = true;
          return await on.world.keep.keep(copy);
        },
      },
    };
    expect(await finishJob(world, finishing(pod))).toMatchObject({
      kind: 'done',
      detail: { rowLeft: false },
    });
    expect(await record(on, 'p')).toMatchObject({ status: 'terminated', end: { verified: true } });
    expect(await verbs(on, 'p')).toEqual(['register', 'arm', 'fence', 'confirm', 'settle']);
  });
});

describe('stands down', () => {
  /** The reason, once it is shown that nothing was ended and that the mend was told. */
  const stoodDown = async (on: Stage, pod: KnownPod): Promise<string> => {
    const outcome = await finishJob(without(on, BOTH, 'registry-unreadable'), finishing(pod));
    expect(outcome).toMatchObject({ kind: 'failed' });
    expect(outcome.says).toMatch(/stays up: the registry failed .*to mend: Give a valid token/);
    expect(ended(on)).toEqual([]);
    return outcome.reason;
  };
  const marked = (on: Stage, mark: { registryId?: string; ownerUuid?: string }): void => {
    const pod = on.pods.get('p');
    if (pod !== undefined) pod.mark = { ...pod.mark, ...mark };
  };

  it.each([
    ['another registry', { registryId: 'f'.repeat(32) }],
    ['a later attempt of the job', { ownerUuid: 'u-attempt-2' }],
  ])('where the mark names %s', async (_whose, mark) => {
    const on = stage();
    const pod = await known(on);
    marked(on, mark);
    expect(await stoodDown(on, pod)).toBe('mark-differs');
    expect(on.pulled).toEqual([]);
  });

  it('where the mark changes hands during the pull', async () => {
    const on = stage();
    const pod = await known(on);
    const keep = { ...on.world.keep };
    Object.assign(on.world.keep, {
      keep: (copy: Parameters<Keep['keep']>[0]) => {
        marked(on, { ownerUuid: 'u-attempt-2' });
        return keep.keep(copy);
      },
    });
    expect(await stoodDown(on, pod)).toBe('mark-differs');
    expect(on.pulled).toEqual(['p']);
  });

  it('where no mark can be read: nothing was armed, or nobody gets in', async () => {
    const unarmed = stage();
    expect(await stoodDown(unarmed, await known(unarmed, { armed: false }))).toBe('mark-unread');
    const shut = stage();
    const pod = await known(shut);
    const door = shut.pods.get('p');
    if (door !== undefined) door.door = 'no-route';
    expect(await stoodDown(shut, pod)).toBe('mark-unread');
  });

  it('where the artifacts are not verified, or change while their copy is brought away', async () => {
    const on = stage();
    const pod = await known(on);
    on.pulls.set('p', 'short');
    expect(await stoodDown(on, pod)).toBe('not-saved');
    on.pulls.clear();
    const keep = { ...on.world.keep };
    Object.assign(on.world.keep, {
      keep: async (copy: Parameters<Keep['keep']>[0]) => {
        await on.clock.sleep(minutes(8));
        on.files.set('p', { 'out.txt': 'a later result' });
        return await keep.keep(copy);
      },
    });
    expect(await stoodDown(on, pod)).toBe('not-saved');
  });

  it('where the provider does not answer, or shows another pod under the id', async () => {
    const on = stage();
    const pod = await known(on);
    const other = {
      ...pod,
      record: { ...pod.record, createdAt: (pod.record.createdAt ?? 0) - minutes(600) },
    };
    expect(await stoodDown(on, other)).toBe('id-reused');
    on.provider.fail('get', worldError('server-error'));
    expect(await stoodDown(on, pod)).toBe('provider-unseen');
  });

  it('where the record is another owner’s by now, although its registry takes no write', async () => {
    const on = stage();
    const pod = await known(on);
    const stranger = finishing(pod, { register: registerInput('p', {}, anOwner({ uuid: 'u-old' })) });
    const outcome = await finishJob(without(on, ['submit'], 'write-refused'), stranger);
    expect(outcome).toMatchObject({ reason: 'not-mine' });
    expect(ended(on)).toEqual([]);
  });

  it('where main was cut before its record stood, or a keep was asked for: the failure is told as it is', async () => {
    const on = stage();
    const pod = await known(on);
    const world = without(on, BOTH, 'registry-unreadable');
    await expect(finishJob(world, finishing(null))).rejects.toMatchObject({ failure: 'registry-unreadable' });
    await expect(finishJob(world, finishing(pod, { ending: 'keep' }))).rejects.toBeInstanceOf(WorldError);
    expect(ended(on)).toEqual([]);
  });
});
