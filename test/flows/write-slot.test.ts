/** A matrix that begins together: legs write one after the other, and an entry that had to be queued holds like any other. */
import { describe, expect, it } from 'vitest';
import { actingOwner } from '../../src/flows/acting.ts';
import { extendBy } from '../../src/flows/move-deadline.ts';
import { reap } from '../../src/flows/reap.ts';
import { register } from '../../src/flows/register.ts';
import { anOwner, minutes, NOW } from '../domain/build.ts';
import {
  answering,
  cycles,
  ended,
  ours,
  put,
  reapOptions,
  record,
  registerInput,
  stage,
  verdicts,
} from './stage.ts';

const young = { createdAt: NOW - minutes(10), startedAt: NOW - minutes(9) };

const stranger = anOwner({
  uuid: 'other',
  label: 'x/y#1',
  key: { server: 'https://forge.example', repositoryId: '99', runId: '1' },
});

describe('the leg of a large matrix', () => {
  it('writes at its turn, and says how to spare the wait', async () => {
    const on = stage();
    put(on, 'p', young);
    const before = on.clock.now();
    await register(on.world, registerInput('p'), { index: 120, total: 256 });
    expect(on.clock.now() - before).toBe(96_000);
    expect(on.said.map(({ line }) => line)).toContain(
      'waiting 96 s for write slot 120/256; use register-many to avoid this',
    );
  });

  it('waits for nobody where its pod is entered already, as register-many leaves it', async () => {
    const on = stage();
    put(on, 'p', young);
    await register(on.world, registerInput('p'));
    const before = on.clock.now();
    const again = await register(on.world, registerInput('p'), { index: 120, total: 256 });
    expect([again.how, on.clock.now() - before]).toEqual(['already-mine', 0]);
  });

  it('sees what became of the registry while it waited', async () => {
    const on = stage();
    put(on, 'p', young);
    const { clock } = on.world;
    const world = {
      ...on.world,
      clock: {
        ...clock,
        sleep: async (durationMs: number) => {
          await register(on.world, registerInput('p', {}, stranger));
          await clock.sleep(durationMs);
        },
      },
    };
    await expect(register(world, registerInput('p'), { index: 9, total: 256 })).rejects.toMatchObject({
      gate: 'needs-claim',
    });
  });
});

describe('an entry that could only be queued', () => {
  it('counts at once: the job goes on, and the next cycle folds it before it judges', async () => {
    const on = stage();
    await ours(on, 'first');
    put(on, 'p', young);
    answering(on, 'p', { util: '97' });
    on.host.jammed = true;
    const { record: entered, how } = await register(on.world, registerInput('p'));
    expect([how, entered.rev]).toEqual(['registered', 1]);
    on.host.jammed = false;
    const { plan } = await reap(on.world, reapOptions());
    expect(plan.pods.map((pod) => pod.record.id).sort()).toEqual(['first', 'p']);
    expect(on.host.queue).toEqual([]);
    expect(
      on.host.commits.some(({ message }) => /Podtrack-Op: register pod=runpod\.p .*queued=/.test(message)),
    ).toBe(true);
  });

  it('and one that a dry run sees is judged and left in the queue', async () => {
    const on = stage();
    await ours(on, 'first');
    put(on, 'p', young);
    on.host.jammed = true;
    await register(on.world, registerInput('p'));
    on.host.jammed = false;
    const commits = on.host.commits.length;
    const { plan } = await reap(on.world, { ...reapOptions(), dryRun: true });
    expect(plan.pods.map((pod) => pod.record.id).sort()).toEqual(['first', 'p']);
    expect([on.host.commits.length, on.host.queue.length]).toEqual([commits, 1]);
  });

  it('an extend that waits keeps the pod up past the deadline that it moved', async () => {
    const on = stage();
    const mine = anOwner({ uuid: 'u-p' });
    await ours(on, 'p', { switched: { util: '97' } });
    on.host.jammed = true;
    const act = { acting: actingOwner(mine, null), owner: mine, podId: 'p' };
    await extendBy(on.world, { ...act, byMs: minutes(120) });
    on.host.jammed = false;
    on.clock.jump(minutes(125));
    await cycles(on, 2);
    expect([ended(on), (await record(on, 'p')).status]).toEqual([[], 'active']);
  });

  it('while no commit can be made nobody is fenced, and so nobody is ended', async () => {
    const on = stage();
    await ours(on, 'p');
    await cycles(on, 3);
    on.clock.jump(minutes(5));
    on.host.jammed = true;
    const cycle = await reap(on.world, reapOptions());
    const { outcomes } = cycle;
    expect(verdicts(cycle)['p']).toBe('idle');
    expect(ended(on)).toEqual([]);
    expect(outcomes.map(({ kind }) => kind)).not.toContain('done');
  });
});
