/** Arming by hand: limits into the record first, a pet window only where something beats, and only for the owner. */
import { describe, expect, it } from 'vitest';
import { actingOwner } from '../../src/flows/acting.ts';
import { armPod } from '../../src/flows/arm-pod.ts';
import type { OwnerAct } from '../../src/flows/move-deadline.ts';
import { anOwner, minutes, NOW } from '../domain/build.ts';
import { ended, KEYS, ours, record, stage, verbs } from './stage.ts';

const act = (id: string): OwnerAct => {
  const owner = anOwner({ uuid: `u-${id}` });
  return { acting: actingOwner(owner, null), owner, podId: id };
};

/** Another process of nobody's: its uuid is in no record. */
const stranger = (id: string): OwnerAct => ({ ...act('somebody-else'), podId: id });

const none = { keys: KEYS, petWindowMs: null, killInMs: null, killAbsoluteMs: null };

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

  it('says before the job runs that results could not be copied, on a pod that is armed all the same', async () => {
    const on = stage();
    await ours(on, 'a', { armed: false });
    await ours(on, 'none', { armed: false, register: { noArtifacts: true, remotePath: null } });
    for (const id of ['a', 'none']) on.pulls.set(id, 'no-tools');
    const refused = { gate: 'no-way-to-copy', message: expect.stringContaining('lacks tar') as string };
    await expect(armPod(on.world, act('a'), none)).rejects.toMatchObject(refused);
    expect(on.pods.get('a')?.installs).toHaveLength(1);
    expect((await armPod(on.world, act('none'), none)).facts).toMatchObject({ tool: 'curl' });
  });

  it('is refused to everybody but the owner, and nothing is sent or written', async () => {
    const on = stage();
    await ours(on, 'a');
    const before = await verbs(on, 'a');
    const calls = on.shell.calls.length;
    await expect(armPod(on.world, stranger('a'), none)).rejects.toMatchObject({
      name: 'Refusal',
      gate: 'other-owner',
    });
    expect(await verbs(on, 'a')).toEqual(before);
    expect(on.shell.calls.length).toBe(calls);
    expect(ended(on)).toEqual([]);
  });
});
