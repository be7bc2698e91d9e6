/** Who would end the pod if the job were lost: what register says of it, and what it may refuse over. */
import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/domain/duration.ts';
import { Refusal } from '../../src/domain/errors.ts';
import { seen, unseen } from '../../src/domain/part.ts';
import { reap } from '../../src/flows/reap.ts';
import { register } from '../../src/flows/register.ts';
import { anOwner, minutes, NOW } from '../domain/build.ts';
import { cycles, ended, ours, put, reapOptions, registerInput, type Stage, stage } from './stage.ts';

async function refusal(on: Stage, freshReaperMs: number | null): Promise<unknown> {
  put(on, 'p', { createdAt: NOW, startedAt: NOW });
  const runStartedAt = NOW - minutes(1);
  return await register(on.world, registerInput('p', { freshReaperMs, runStartedAt })).catch(
    (error: unknown) => error,
  );
}

describe('C64: require-fresh-reaper', () => {
  it('refuses where no sweep was ever made, names input and mend, and touches neither pod nor registry', async () => {
    const on = stage();
    const error = await refusal(on, 2 * HOUR_MS);
    expect(error).toBeInstanceOf(Refusal);
    expect(String(error)).toMatch(
      /require-fresh-reaper \(2 h\).*there was none yet.*Run the reaper workflow/s,
    );
    expect((await on.world.registry.read()).version).toBeNull();
    expect(ended(on)).toEqual([]);
    expect(on.provider.calls.filter((call) => /^(stop|terminate|start)/.test(call))).toEqual([]);
  });

  it('is satisfied by a sweep, refuses when that is too old, and is off unless asked for', async () => {
    const on = stage();
    await ours(on, 'other');
    await cycles(on, 1);
    on.clock.jump(minutes(119));
    expect(await refusal(on, 2 * HOUR_MS)).toMatchObject({ how: 'registered' });
    on.clock.jump(minutes(2));
    expect(String(await refusal(on, 2 * HOUR_MS))).toContain('was 2 h 1 min ago');
    expect(await refusal(on, null)).toMatchObject({ how: 'already-mine' });
  });

  it('none of a-d renews it: a run that did not sweep leaves the mark as old as it was', async () => {
    const on = stage();
    await ours(on, 'other');
    await cycles(on, 1);
    const mark = async () => (await on.world.registry.read()).sweep.lastFullSweepAt;
    const before = await mark();
    on.clock.jump(3 * HOUR_MS);
    // A run that dies before its first step, waits, or is skipped asks nobody anything; one that only looks, or cannot read the account, says so.
    await reap(on.world, reapOptions({ dryRun: true }));
    on.provider.fail('list', 'timed-out', { times: 1 });
    await reap(on.world, reapOptions());
    expect(await mark()).toBe(before);
    await reap(on.world, reapOptions());
    expect(await mark()).not.toBe(before);
  });
});

describe('C59: the owner question at register', () => {
  const warningsOf = async (on: Stage, owner = anOwner({ uuid: 'u-p' })): Promise<string> => {
    put(on, 'p', { createdAt: on.clock.now(), startedAt: on.clock.now() });
    return (await register(on.world, registerInput('p', {}, owner))).warnings.join();
  };

  it('is asked once, and what it lacks is said while somebody can grant it; the job begins all the same', async () => {
    const on = stage();
    on.owners.set('u-p', unseen('this token may not ask for it: grant "actions: read"'));
    expect(await warningsOf(on)).toMatch(/whether this run is over cannot be asked.*actions: read/);
  });

  it('says nothing where it was answered, and is not asked for an emulator that names no run (C65)', async () => {
    const on = stage();
    on.owners.set('u-p', seen({ state: 'in-progress' }));
    expect(await warningsOf(on)).toBe('');
    const laptop = stage();
    expect(
      await warningsOf(laptop, anOwner({ uuid: 'u-p', key: null, label: 'mine', labelGiven: true })),
    ).toBe('');
  });
});

describe('C59: an owner of whom nothing is known', () => {
  it('keeps a busy pod, and does not keep an overdue one', async () => {
    const on = stage();
    await ours(on, 'busy');
    await ours(on, 'overdue', { register: { killInMs: minutes(30) } });
    for (const id of ['busy', 'overdue'])
      on.owners.set(`u-${id}`, unseen('the quota of this token is spent'));
    on.clock.jump(minutes(40));
    await cycles(on, 1);
    expect(ended(on)).toEqual(['overdue']);
  });

  it('e: a deleted run is an orphan only by spaced sightings', async () => {
    const on = stage();
    await ours(on, 'p', { switched: { util: '90' } });
    on.owners.set('u-p', seen({ state: 'missing' }));
    await cycles(on, 2);
    expect(ended(on)).toEqual([]);
    await cycles(on, 4, minutes(10));
    expect(ended(on)).toEqual(['p']);
  });
});
