/** The acts of an owner from outside a cycle: each moves what it says, tells the switch, and says no more than was read back. */
import { describe, expect, it } from 'vitest';
import { ownerDeadlineAt, stopAt } from '../../src/domain/deadlines.ts';
import { formatStamp } from '../../src/domain/stamp.ts';
import { acknowledge } from '../../src/flows/acknowledge.ts';
import { actingOwner, actingReaper } from '../../src/flows/acting.ts';
import { armPod } from '../../src/flows/arm-pod.ts';
import { heartbeat } from '../../src/flows/heartbeat.ts';
import { extendBy, keepFor, type OwnerAct } from '../../src/flows/move-deadline.ts';
import { petPod } from '../../src/flows/pet-pod.ts';
import { probe } from '../../src/flows/probe.ts';
import { reconcileAccount } from '../../src/flows/reconcile.ts';
import { sync } from '../../src/flows/sync.ts';
import { teardownOwn } from '../../src/flows/teardown-own.ts';
import { anOwner, minutes, NOW } from '../domain/build.ts';
import { ended, KEYS, ours, put, reapOptions, record, type Stage, stage, verbs } from './stage.ts';

const ownerOf = (id: string) => anOwner({ uuid: `u-${id}` });

function act(id: string): OwnerAct {
  return { acting: actingOwner(ownerOf(id), null), owner: ownerOf(id), podId: id };
}

const stranger = (id: string): OwnerAct => ({ ...act('somebody-else'), podId: id });

const none = { keys: KEYS, petWindowMs: null, killInMs: null, killAbsoluteMs: null };

function end(on: Stage, id: string, of: { force?: string; skipPull?: boolean } = {}) {
  return teardownOwn(on.world, {
    ...act(id),
    forcedBecause: of.force ?? null,
    skipPull: of.skipPull ?? false,
    localPath: null,
    pullBudgetMs: minutes(5),
    waitMs: 0,
  });
}

describe('an owner act on a pod of somebody else', () => {
  it.each<[string, (on: Stage) => Promise<unknown>]>([
    ['arm', (on) => armPod(on.world, stranger('a'), none)],
    ['pet', (on) => petPod(on.world, { ...stranger('a'), byMs: minutes(30) })],
    ['extend', (on) => extendBy(on.world, { ...stranger('a'), byMs: minutes(30) })],
    ['keep', (on) => keepFor(on.world, { ...stranger('a'), forMs: minutes(30), reason: 'x' })],
    ['heartbeat', (on) => heartbeat(on.world, stranger('a'))],
    [
      'teardown by force',
      (on) =>
        teardownOwn(on.world, {
          ...stranger('a'),
          forcedBecause: 'mine now',
          skipPull: true,
          localPath: null,
          pullBudgetMs: 1000,
          waitMs: 0,
        }),
    ],
  ])('%s is refused, and nothing is sent or written', async (_what, tried) => {
    const on = stage();
    await ours(on, 'a');
    const before = await verbs(on, 'a');
    const calls = on.shell.calls.length;
    await expect(tried(on)).rejects.toMatchObject({ name: 'Refusal', gate: 'other-owner' });
    expect(await verbs(on, 'a')).toEqual(before);
    expect(on.shell.calls.length).toBe(calls);
    expect(ended(on)).toEqual([]);
  });
});

describe('extend', () => {
  it('moves the owner deadline from where it was, and the switch reads the new stop back', async () => {
    const on = stage();
    const before = await ours(on, 'a');
    const moved = await extendBy(on.world, { ...act('a'), byMs: minutes(60) });
    expect(ownerDeadlineAt(moved.record.deadlines)).toBe(ownerDeadlineAt(before.deadlines) + minutes(60));
    expect(moved.petted?.kind).toBe('seen');
    expect(on.pods.get('a')?.planted?.stopAtMs).toBe(stopAt(moved.record.deadlines));
  });

  it('a switch that does not act is told, with the stop at which it still fires', async () => {
    const on = stage();
    const before = await ours(on, 'a');
    const pod = on.pods.get('a');
    if (pod !== undefined) pod.deaf = true;
    const moved = await extendBy(on.world, { ...act('a'), byMs: minutes(60) });
    expect(moved.petted?.kind).toBe('unseen');
    expect(moved.stopBefore).toBe(stopAt(before.deadlines));
  });

  it('past a cap that was given it is refused with the time left', async () => {
    const on = stage();
    await ours(on, 'a', { register: { killAbsoluteMs: minutes(130) } });
    await expect(extendBy(on.world, { ...act('a'), byMs: minutes(60) })).rejects.toMatchObject({
      gate: 'beyond-absolute',
    });
  });
});

describe('arm', () => {
  it('takes a nearer owner deadline and a cap into the record before it plants them', async () => {
    const on = stage();
    await ours(on, 'a');
    const wish = { ...none, killInMs: minutes(30), killAbsoluteMs: minutes(40) };
    const armed = await armPod(on.world, act('a'), wish);
    expect(armed.record.deadlines).toMatchObject({
      ownerSetAt: NOW + minutes(30),
      absoluteDeadlineAt: NOW + minutes(40),
      absoluteGiven: true,
    });
    expect(on.pods.get('a')?.planted?.absoluteAtMs).toBe(NOW + minutes(40));
    expect((await verbs(on, 'a')).slice(-2)).toEqual(['claim', 'arm']);
    const calls = on.shell.calls.length;
    const later = { ...none, killAbsoluteMs: minutes(90) };
    await expect(armPod(on.world, act('a'), later)).rejects.toMatchObject({ gate: 'beyond-absolute' });
    expect(on.shell.calls.length).toBe(calls);
  });

  it('refuses a pet window where nothing beats, and takes it where something does', async () => {
    const on = stage();
    await ours(on, 'a', { armed: false });
    const wish = { ...none, petWindowMs: minutes(10) };
    await expect(armPod(on.world, act('a'), wish)).rejects.toMatchObject({ gate: 'pet-window' });
    expect(on.pods.get('a')?.installs).toEqual([]);
    const pod = on.pods.get('a');
    if (pod !== undefined) pod.heartbeatAgeS = 30;
    expect((await armPod(on.world, act('a'), wish)).facts.petWindowMs).toBe(minutes(10));
  });

  it('does not plant on a pod that the account no longer shows, and leaves its limits alone', async () => {
    const on = stage();
    await ours(on, 'a');
    const before = await record(on, 'a');
    on.provider.pods.delete('a');
    const wish = { ...none, killInMs: minutes(30) };
    await expect(armPod(on.world, act('a'), wish)).rejects.toMatchObject({ gate: 'not-shown' });
    expect((await record(on, 'a')).deadlines).toEqual(before.deadlines);
  });
});

describe('pet, keep and heartbeat', () => {
  it('a pet moves the stop and no deadline of the record', async () => {
    const on = stage();
    const before = await ours(on, 'a', { register: { killInMs: minutes(10), killAbsoluteMs: minutes(120) } });
    const petted = await petPod(on.world, { ...act('a'), byMs: minutes(60) });
    expect(petted.petted).toMatchObject({ kind: 'seen', value: { stopInMs: minutes(60) } });
    expect((await record(on, 'a')).deadlines).toEqual(before.deadlines);
  });

  it('a pod that was never armed cannot be petted', async () => {
    const on = stage();
    await ours(on, 'a', { armed: false });
    await expect(petPod(on.world, { ...act('a'), byMs: minutes(5) })).rejects.toMatchObject({
      gate: 'not-armed',
    });
  });

  it('a keep is cut to the cap and read back from the switch', async () => {
    const on = stage();
    await ours(on, 'a', { register: { killAbsoluteMs: minutes(125) } });
    const kept = await keepFor(on.world, { ...act('a'), forMs: minutes(600), reason: 'look' });
    expect(kept).toMatchObject({ kind: 'done', order: 'keep' });
    expect((await record(on, 'a')).deadlines.keepUntilAt).toBe(NOW + minutes(125));
  });

  it('one heartbeat in five minutes makes a commit', async () => {
    const on = stage();
    await ours(on, 'a');
    expect((await heartbeat(on.world, act('a'))).committed).toBe(true);
    expect((await heartbeat(on.world, act('a'))).committed).toBe(false);
    on.clock.jump(minutes(6));
    expect((await heartbeat(on.world, act('a'))).committed).toBe(true);
  });
});

describe('probe and sync', () => {
  it('a probe looks six times and writes nothing', async () => {
    const on = stage();
    await ours(on, 'a', { switched: { util: '97' } });
    const before = await verbs(on, 'a');
    const probed = await probe(on.world, 'a');
    expect(probed.activity).toEqual({ kind: 'busy', by: 'gpu-busy' });
    expect(on.pods.get('a')?.probes.at(-1)?.args).toContain('samples=6');
    expect(await verbs(on, 'a')).toEqual(before);
    expect(on.shell.openNow()).toBe(0);
  });

  it('a sync records what was pulled, and a short pull as not verified', async () => {
    const on = stage();
    await ours(on, 'a');
    const input = { ...act('a'), localPath: null, budgetMs: minutes(5), onProgress: () => undefined };
    expect((await sync(on.world, input)).unverified).toBeNull();
    expect((await record(on, 'a')).lastMirror).toMatchObject({ files: 1, verified: true });
    on.pulls.set('a', 'short');
    expect((await sync(on.world, input)).unverified).toContain('refused');
    expect((await record(on, 'a')).lastMirror?.verified).toBe(false);
  });

  it('a failed pull leaves the record of the last good one', async () => {
    const on = stage();
    await ours(on, 'a');
    const input = { ...act('a'), localPath: null, budgetMs: minutes(5), onProgress: () => undefined };
    await sync(on.world, input);
    on.pulls.set('a', 'stalls');
    await expect(sync(on.world, input)).rejects.toMatchObject({ failure: 'timed-out' });
    expect((await record(on, 'a')).lastMirror?.verified).toBe(true);
  });
});

describe('teardown on request', () => {
  it('does not end a pod whose artifacts cannot be verified; by force it does', async () => {
    const on = stage();
    await ours(on, 'a');
    on.pulls.set('a', 'short');
    expect(await end(on, 'a')).toMatchObject({ kind: 'released', reason: 'not-saved' });
    expect(ended(on)).toEqual([]);
    expect(await end(on, 'a', { force: 'nothing of worth' })).toMatchObject({ kind: 'done' });
    expect(ended(on)).toEqual(['a']);
    expect(await record(on, 'a')).toMatchObject({
      status: 'terminated',
      end: { reason: 'forced', verified: false },
    });
  });

  it('reopens a record that says terminated when the provider shows the pod, and then ends it', async () => {
    const on = stage();
    await ours(on, 'a');
    await end(on, 'a');
    put(on, 'a', { createdAt: (await record(on, 'a')).createdAt });
    expect(await end(on, 'a', { skipPull: true })).toMatchObject({ kind: 'done', reason: 'pull-skipped' });
    expect(await verbs(on, 'a')).toContain('reopen');
    expect(ended(on)).toEqual(['a', 'a']);
  });

  it('says of a pod that is gone that there is nothing to do', async () => {
    const on = stage();
    await ours(on, 'a');
    await end(on, 'a');
    expect(await end(on, 'a')).toMatchObject({ kind: 'done', reason: 'already-ended' });
    expect(ended(on)).toEqual(['a']);
  });
});

describe('reconcile', () => {
  async function withStray(): Promise<Stage> {
    const on = stage();
    await ours(on, 'mine', { switched: { util: '97' } });
    const { registryId } = (await on.world.registry.read()).state.meta;
    const stamp = { registryId, repositoryId: null, runId: null, mintedAt: NOW - minutes(61), ttlAt: NOW };
    put(on, 'stray', { stamp: formatStamp({ ...stamp, nonce: 'aabbccddeeff0011' }) });
    put(on, 'foreign', { createdAt: NOW - minutes(60 * 24 * 9) });
    return on;
  }
  const options = (terminateStrays: boolean) => ({
    ...reapOptions({ acting: actingReaper('person', null) }),
    terminateStrays,
  });

  it('only looks, whatever it finds', async () => {
    const on = await withStray();
    const before = on.host.commits.length;
    const cycle = await reconcileAccount(on.world, options(false));
    expect(cycle.plan.strays.map((stray) => stray.pod.id)).toEqual(['stray']);
    expect(cycle.plan.foreign.map((foreign) => foreign.pod.id)).toEqual(['foreign']);
    expect(on.host.commits.length).toBe(before);
    expect(ended(on)).toEqual([]);
  });

  it('ends a stray on request after two spaced looks of its own, and nothing else', async () => {
    const on = await withStray();
    await reconcileAccount(on.world, options(true));
    expect(ended(on)).toEqual([]);
    on.clock.jump(minutes(11));
    await reconcileAccount(on.world, options(true));
    expect(ended(on)).toEqual(['stray']);
  });
});

describe('acknowledge', () => {
  it('needs a registry, and leaves its reason in the history', async () => {
    const on = stage();
    const acting = actingOwner(ownerOf('a'), null);
    const input = { acting, what: 'breaker' as const, tip: null, reason: 'really twelve' };
    await expect(acknowledge(on.world, input)).rejects.toMatchObject({
      name: 'ConfigError',
      input: 'registry',
    });
    await ours(on, 'a');
    await acknowledge(on.world, input);
    const { state } = await on.world.registry.read();
    expect(state.meta.acknowledged.breakerAt).toBe(on.clock.now());
    expect(on.host.commits.at(-1)?.message).toContain('really twelve');
  });
});
