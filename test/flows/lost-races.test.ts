/** The end of a job whose registry answers, and whose every race is lost: tried again within its time, then handed over. */
import { describe, expect, it } from 'vitest';
import { patientRegistry } from '../../src/adapters/patient-registry.ts';
import { seen } from '../../src/domain/part.ts';
import type { KnownPod } from '../../src/flows/ending/end-unfenced.ts';
import { type FinishInput, finishJob, handOver } from '../../src/flows/ending/finish-job.ts';
import type { World } from '../../src/ports.ts';
import { anOwner, minutes } from '../domain/build.ts';
import { cycles, ended, ours, record, registerInput, type Stage, stage, verbs, verdicts } from './stage.ts';

const mine = anOwner({ uuid: 'u-p' });
const BUDGET_MS = 220_000;

async function known(on: Stage): Promise<KnownPod> {
  const armed = await ours(on, 'p');
  const { state } = await on.world.registry.read();
  return { record: armed, registryId: state.meta.registryId };
}

const finishing = (of: KnownPod): FinishInput => ({
  register: registerInput('p', {}, mine),
  entered: true,
  ending: 'teardown',
  keepForMs: minutes(30),
  localPath: null,
  pullBudgetMs: minutes(3),
  waitMs: minutes(3),
  known: of,
});

/** The world of post: races are run again until its budget ends. */
function patient(on: Stage): World {
  const { clock, chance, log, registry: store } = on.world;
  const until = clock.now() + BUDGET_MS;
  return { ...on.world, registry: patientRegistry({ store, until, clock, chance, log }) };
}

const ran = (on: Stage): number => on.said.filter(({ line }) => line.includes('every race was lost')).length;

function completed(on: Stage): void {
  on.owners.set(
    'u-p',
    seen({ state: 'completed', completedAt: on.clock.now() - minutes(5), conclusion: 'cancelled' }),
  );
}

describe('a post that loses every race', () => {
  it('tries again while its budget lasts: one fence, one end, nothing by the mark', async () => {
    const on = stage();
    const pod = await known(on);
    on.host.jammed = true;
    const relents = on.clock.sleep(90_000).then(() => {
      on.host.jammed = false;
    });
    const [outcome] = await Promise.all([finishJob(patient(on), finishing(pod)), relents]);
    expect(outcome).toMatchObject({ kind: 'done', reason: 'requested', detail: { verified: true } });
    expect(outcome.says).not.toContain('by its mark');
    expect(ended(on)).toEqual(['p']);
    expect((await verbs(on, 'p')).slice(2)).toEqual(['fence', 'fence', 'settle', 'confirm', 'settle']);
    expect(ran(on)).toBeGreaterThanOrEqual(4);
  });

  it('ends nothing by the mark of the pod: the registry answers, and somebody else may have won the fence', async () => {
    const on = stage();
    const pod = await known(on);
    on.host.jammed = true;
    const before = on.shell.calls.length;
    const error = await finishJob(patient(on), finishing(pod)).catch((what: unknown) => what);
    expect(error).toMatchObject({ failure: 'conflict' });
    expect(ended(on)).toEqual([]);
    expect(on.shell.calls.slice(before).filter(({ call }) => call.args[0] === 'status')).toEqual([]);
  });

  it('whose budget ends hands over by the queue, says so, and the next cycle ends the pod, verified', async () => {
    const on = stage();
    const pod = await known(on);
    on.host.jammed = true;
    const startedAt = on.clock.now();
    const world = patient(on);
    await finishJob(world, finishing(pod)).catch(() => null);
    expect(on.clock.now() - startedAt).toBe(BUDGET_MS);
    const outcome = await handOver(world, finishing(pod), 'every race for the registry was lost');
    expect(outcome).toMatchObject({ kind: 'handed-over', reason: 'out-of-time' });
    expect(outcome.says).toMatch(/every race for the registry was lost.*the reaper goes on from there/);
    expect(on.host.queue).toHaveLength(1);
    expect((await record(on, 'p')).notes.at(-1)).toContain('handed over by the post step: every race');

    on.host.jammed = false;
    completed(on);
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'orphan' });
    expect(await record(on, 'p')).toMatchObject({ status: 'terminated', end: { verified: true } });
    expect(on.host.queue).toEqual([]);
  });

  it('from the moment its artifacts are pulled: the fence is given back by the queue, and keeps no reaper waiting', async () => {
    const on = stage();
    const pod = await known(on);
    const { mirror } = on.world;
    const world = patient({
      ...on,
      world: {
        ...on.world,
        mirror: {
          ...mirror,
          pull: async (session, spec) => {
            on.host.jammed = true;
            return await mirror.pull(session, spec);
          },
        },
      },
    });
    const finished = await finishJob(world, finishing(pod));
    expect(finished).toMatchObject({ kind: 'released', reason: 'conflict' });
    expect(finished.says).toMatch(/it stays up: conflict: .*; the reaper tries again/);
    expect(await record(on, 'p')).toMatchObject({ status: 'active', fence: null });
    expect(ended(on)).toEqual([]);

    on.host.jammed = false;
    completed(on);
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'orphan' });
    expect(ended(on)).toEqual(['p']);
  });

  it('and is over time with its fence: the fence cannot lapse in time, so it is given back by the queue', async () => {
    const on = stage();
    const pod = await known(on);
    const { mirror } = on.world;
    const world: World = {
      ...on.world,
      mirror: {
        ...mirror,
        pull: async () => {
          on.host.jammed = true;
          return await new Promise(() => undefined);
        },
      },
    };
    finishJob(world, finishing(pod)).catch(() => null);
    await on.clock.sleep(BUDGET_MS);
    expect(await record(on, 'p')).toMatchObject({ status: 'terminating' });
    expect(await handOver(world, finishing(pod), 'a long pull')).toMatchObject({ kind: 'handed-over' });
    const left = await record(on, 'p');
    expect(left).toMatchObject({ status: 'active', fence: null });
    expect(left.notes.join('\n')).toContain('handed over by the post step: a long pull');
  });
});
