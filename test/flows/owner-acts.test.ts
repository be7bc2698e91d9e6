/** What an owner may do with his pod, and what nobody else may: claim, extend, keep, pet, beat, sync, probe. */
import { describe, expect, it } from 'vitest';
import type { ConfigError, Refusal } from '../../src/domain/errors.ts';
import type { Owner } from '../../src/domain/owner.ts';
import { seen } from '../../src/domain/part.ts';
import { actingOwner } from '../../src/flows/acting.ts';
import { type ClaimInput, claim } from '../../src/flows/claim.ts';
import { heartbeat, jobHeartbeat } from '../../src/flows/heartbeat.ts';
import { extendBy, keepFor, type OwnerAct } from '../../src/flows/move-deadline.ts';
import { petPod } from '../../src/flows/pet-pod.ts';
import { probe } from '../../src/flows/probe.ts';
import { sync } from '../../src/flows/sync.ts';
import { anOwner, minutes, NOW } from '../domain/build.ts';
import { cycles, ended, ours, put, record, type Stage, stage, verdicts } from './stage.ts';

const mine = anOwner({ uuid: 'u-p' });
const other = anOwner({
  uuid: 'u-other',
  label: 'acme/ml#8',
  key: { server: 'https://github.com', repositoryId: '501', runId: '8' },
});
const actOf = (owner: Owner, podId = 'p'): OwnerAct => ({
  acting: actingOwner(owner, null),
  owner,
  podId,
});

async function thrown(work: Promise<unknown>): Promise<Refusal | ConfigError> {
  const error = await work.then(
    () => null,
    (what: unknown) => what,
  );
  if (error instanceof Error && 'told' in error) return error as Refusal | ConfigError;
  throw new Error(`no error that tells came of it: ${String(error)}`);
}

const claiming = (on: Stage, of: Partial<ClaimInput> = {}, owner: Owner = other) =>
  claim(on.world, {
    acting: actingOwner(owner, null),
    owner,
    podId: 'p',
    killInMs: null,
    forcedBecause: null,
    ...of,
  });

describe('claim', () => {
  it.each([
    ['in progress', seen({ state: 'in-progress' as const })],
    ['of whom nothing is known', null],
    ['whose run cannot be found', seen({ state: 'missing' as const })],
  ])('of a pod with an owner %s needs force, and force a reason that stays', async (_what, liveness) => {
    const on = stage();
    await ours(on, 'p', { switched: { util: '97' } });
    if (liveness !== null) on.owners.set('u-p', liveness);
    const before = await record(on, 'p');
    expect(await thrown(claiming(on))).toMatchObject({ gate: 'not-claimable' });
    expect(await record(on, 'p')).toEqual(before);
    const taken = await claiming(on, { forcedBecause: 'she left for the day' });
    expect(taken.owner.uuid).toBe('u-other');
    expect(taken.notes.at(-1)).toMatch(/claimed by force: she left for the day/);
  });

  it('of an owner who is provably over needs nothing', async () => {
    const on = stage();
    await ours(on, 'p');
    on.owners.set('u-p', seen({ state: 'completed', completedAt: NOW, conclusion: 'success' }));
    expect((await claiming(on)).owner.uuid).toBe('u-other');
  });

  it('without an arm is made good by the next cycle: the mark names who owns the pod, with its limits as they are', async () => {
    const on = stage();
    await ours(on, 'p', { switched: { util: '97' } });
    const { deadlines } = await claiming(on, { forcedBecause: 'she left for the day' });
    expect(on.pods.get('p')?.mark.ownerUuid).toBe('u-p');
    const first = await cycles(on, 1);
    expect(first.outcomes.map(({ order, kind, says }) => [order, kind, says])).toContainEqual([
      're-arm',
      'done',
      'armed again (its mark names a former owner), with the time left',
    ]);
    expect(on.pods.get('p')?.mark.ownerUuid).toBe('u-other');
    expect((await record(on, 'p')).deadlines).toEqual(deadlines);
    expect((await cycles(on, 1)).outcomes.map(({ order }) => order)).not.toContain('re-arm');
  });

  it('of my own former process needs nothing; of a sibling that may still run it needs force', async () => {
    const on = stage();
    await ours(on, 'p');
    expect((await claiming(on, {}, anOwner({ uuid: 'u-2', attempt: 2 }))).owner.uuid).toBe('u-2');
    const sibling = anOwner({ uuid: 'u-3', attempt: 2, job: 'other-job' });
    expect(await thrown(claiming(on, {}, sibling))).toMatchObject({ gate: 'not-claimable' });
  });

  it('of what is mine already changes nothing', async () => {
    const on = stage();
    await ours(on, 'p');
    const commits = on.host.commits.length;
    await claiming(on, {}, mine);
    expect(on.host.commits.length).toBe(commits);
  });

  it('keeps the limits unless kill-in is given, and never passes a given absolute one', async () => {
    const on = stage();
    const before = await ours(on, 'p', { register: { killAbsoluteMs: minutes(180) } });
    const after = await claiming(on, { forcedBecause: 'x' });
    expect(after.deadlines).toEqual(before.deadlines);
    const again = anOwner({ uuid: 'u-3', label: 'third', labelGiven: true });
    const late = { forcedBecause: 'x', killInMs: minutes(181) };
    expect(await thrown(claiming(on, late, again))).toMatchObject({ gate: 'not-claimable' });
    const fits = await claiming(on, { ...late, killInMs: minutes(170) }, again);
    expect(fits.deadlines).toMatchObject({
      ownerSetAt: NOW + minutes(170),
      absoluteDeadlineAt: NOW + minutes(180),
    });
  });

  it('takes over a hand-over and ends its keep: the pod is not killed at the hour of the hand-over (case C67)', async () => {
    const on = stage();
    await ours(on, 'p', { register: { killInMs: minutes(300) }, switched: { util: '97' } });
    await keepFor(on.world, { ...actOf(mine), forMs: minutes(60), reason: 'for run 8' });
    on.owners.set('u-p', seen({ state: 'completed', completedAt: NOW, conclusion: 'success' }));
    on.clock.jump(minutes(30));
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'kept' });
    await claiming(on);
    on.clock.jump(minutes(60));
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'gpu-busy' });
    expect(ended(on)).toEqual([]);
  });

  it('of a hand-over whose owner deadline has passed warns how long the pod lives', async () => {
    const on = stage();
    await ours(on, 'p', { register: { killInMs: minutes(30), killAbsoluteMs: minutes(300) } });
    await keepFor(on.world, { ...actOf(mine), forMs: minutes(120), reason: 'hand-over' });
    on.clock.jump(minutes(60));
    await claiming(on);
    expect(on.said.at(-1)?.line).toMatch(/owner deadline has passed; it lives for 1 h more/);
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'kept' });
  });

  it('that nobody makes ends the pod at the end of the hand-over (case C67)', async () => {
    const on = stage();
    await ours(on, 'p', { register: { killInMs: minutes(300) } });
    await keepFor(on.world, { ...actOf(mine), forMs: minutes(60), reason: 'for run 8' });
    on.clock.jump(minutes(61));
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'keep-ended' });
    expect(ended(on)).toEqual(['p']);
  });

  it('of a pod that is ended or unknown says so', async () => {
    const on = stage();
    await ours(on, 'p', { register: { killInMs: minutes(10), killAbsoluteMs: minutes(20) } });
    on.clock.jump(minutes(21));
    await cycles(on, 1);
    expect(await thrown(claiming(on))).toMatchObject({ gate: 'not-claimable' });
    expect(await thrown(claiming(on, { podId: 'nobody' }))).toMatchObject({ input: 'pod-id' });
  });
});

describe('only the owner', () => {
  const acts: readonly [string, (on: Stage, act: OwnerAct) => Promise<unknown>][] = [
    ['extends', (on, act) => extendBy(on.world, { ...act, byMs: minutes(10) })],
    ['keeps', (on, act) => keepFor(on.world, { ...act, forMs: minutes(10), reason: 'x' })],
    ['pets', (on, act) => petPod(on.world, { ...act, byMs: minutes(10) })],
    ['beats', (on, act) => heartbeat(on.world, act)],
    ['beats on the pod', (on, act) => jobHeartbeat(on.world, act)],
    [
      'syncs',
      (on, act) =>
        sync(on.world, {
          ...act,
          choice: null,
          localPath: null,
          budgetMs: minutes(5),
          onProgress: () => undefined,
        }),
    ],
  ];

  it.each(acts)('%s: another owner, and an earlier process of the same, are refused', async (_what, doIt) => {
    const on = stage();
    await ours(on, 'p');
    const [before, opened] = [await record(on, 'p'), on.shell.opened.length];
    for (const owner of [other, anOwner({ uuid: 'u-0' })]) {
      expect(await thrown(doIt(on, actOf(owner)))).toMatchObject({ gate: 'other-owner' });
    }
    expect(await record(on, 'p')).toEqual(before);
    expect(on.shell.opened.length).toBe(opened);
    await doIt(on, actOf(mine));
  });
});

describe('extend', () => {
  it('moves record and switch alike, and reads back what the pod says', async () => {
    const on = stage();
    await ours(on, 'p');
    const moved = await extendBy(on.world, { ...actOf(mine), byMs: minutes(60) });
    expect(moved.record.deadlines.ownerSetAt).toBe(NOW + minutes(180));
    expect(moved.petted).toMatchObject({ kind: 'seen', value: { stopInMs: minutes(195) } });
  });

  it('that the switch did not take says so, and when it fires', async () => {
    const on = stage();
    await ours(on, 'p');
    const pod = on.pods.get('p');
    if (pod !== undefined) pod.deaf = true;
    const moved = await extendBy(on.world, { ...actOf(mine), byMs: minutes(60) });
    expect(moved.petted).toMatchObject({ kind: 'unseen' });
    expect(moved.stopBefore).toBe(NOW + minutes(135));
  });

  it('past a given absolute deadline is refused with the time left, and nothing moves', async () => {
    const on = stage();
    await ours(on, 'p', { register: { killAbsoluteMs: minutes(150) } });
    const before = await record(on, 'p');
    const error = await thrown(extendBy(on.world, { ...actOf(mine), byMs: minutes(60) }));
    expect(error).toMatchObject({ gate: 'beyond-absolute' });
    expect(error.told.state).toMatch(/2 h 30 min are left/);
    expect(await record(on, 'p')).toEqual(before);
  });

  it('after the deadline counts from now', async () => {
    const on = stage();
    await ours(on, 'p');
    on.clock.jump(minutes(125));
    const moved = await extendBy(on.world, { ...actOf(mine), byMs: minutes(60) });
    expect(moved.record.deadlines.ownerSetAt).toBe(NOW + minutes(185));
  });
});

describe('keep', () => {
  it('is cut to the absolute deadline, and the switch is told the new stop (case C67)', async () => {
    const on = stage();
    await ours(on, 'p', { register: { killAbsoluteMs: minutes(120), killInMs: minutes(60) } });
    const kept = await keepFor(on.world, { ...actOf(mine), forMs: minutes(600), reason: 'debug' });
    expect(kept).toMatchObject({ kind: 'done', detail: { stopAt: NOW + minutes(120) } });
    expect(kept.says).toMatch(/kept for 2 h/);
    expect(on.pods.get('p')?.planted?.stopAtMs).toBe(NOW + minutes(120));
  });

  it('that the switch did not take is not called kept', async () => {
    const on = stage();
    await ours(on, 'p', { register: { killInMs: minutes(60), killAbsoluteMs: minutes(300) } });
    const pod = on.pods.get('p');
    if (pod !== undefined) pod.deaf = true;
    const kept = await keepFor(on.world, { ...actOf(mine), forMs: minutes(120), reason: 'debug' });
    expect(kept.kind).toBe('failed');
    expect(kept.says).toMatch(/its own switch still fires in 1 h 15 min/);
  });

  it('rests orphan, idle and owner verdicts, and not the absolute deadline (case C67)', async () => {
    const on = stage();
    await ours(on, 'p', { register: { killInMs: minutes(20), killAbsoluteMs: minutes(90) } });
    on.owners.set('u-p', seen({ state: 'completed', completedAt: NOW, conclusion: 'failure' }));
    await keepFor(on.world, { ...actOf(mine), forMs: minutes(30), reason: 'failed' });
    on.clock.jump(minutes(1));
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'kept' });
    on.clock.jump(minutes(21));
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'kept' });
    expect(ended(on)).toEqual([]);
    on.clock.jump(minutes(9));
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'keep-ended' });
    expect((await record(on, 'p')).end).toMatchObject({ reason: 'keep-ended', verified: true });
  });

  it('never passes the absolute deadline, whatever was kept', async () => {
    const on = stage();
    await ours(on, 'p', { register: { killInMs: minutes(20), killAbsoluteMs: minutes(40) } });
    await keepFor(on.world, { ...actOf(mine), forMs: minutes(600), reason: 'x' });
    on.clock.jump(minutes(40));
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'absolute-deadline' });
    expect(ended(on)).toEqual(['p']);
  });
});

describe('pet', () => {
  it('moves the stop of the switch and no deadline of the record', async () => {
    const on = stage();
    const before = await ours(on, 'p');
    const petted = await petPod(on.world, { ...actOf(mine), byMs: minutes(140) });
    expect(petted.petted).toMatchObject({ kind: 'seen', value: { stopInMs: minutes(140) } });
    expect((await record(on, 'p')).deadlines).toEqual(before.deadlines);
  });

  it('never brings the stop nearer, and never past the absolute deadline', async () => {
    const on = stage();
    await ours(on, 'p');
    const near = await petPod(on.world, { ...actOf(mine), byMs: minutes(5) });
    expect(near.petted).toMatchObject({ value: { stopInMs: minutes(135) } });
    const far = await petPod(on.world, { ...actOf(mine), byMs: minutes(900) });
    expect(far.petted).toMatchObject({ value: { stopInMs: minutes(150) } });
  });

  it('is not said where the switch did not act on it, or was never armed', async () => {
    const on = stage();
    await ours(on, 'p');
    const pod = on.pods.get('p');
    if (pod !== undefined) pod.deaf = true;
    expect(await petPod(on.world, { ...actOf(mine), byMs: minutes(5) })).toMatchObject({
      petted: { kind: 'unseen', reason: expect.stringMatching(/not-acted-on/) },
    });
    await ours(on, 'q', { armed: false });
    const quiet = actOf(anOwner({ uuid: 'u-q' }), 'q');
    expect(await thrown(petPod(on.world, { ...quiet, byMs: 1 }))).toMatchObject({ gate: 'not-armed' });
  });

  it('is not sent to another pod that bears the id by now', async () => {
    const on = stage();
    await ours(on, 'p');
    put(on, 'p', { createdAt: NOW - minutes(1) });
    const opened = on.shell.opened.length;
    expect(await thrown(petPod(on.world, { ...actOf(mine), byMs: 1 }))).toMatchObject({ gate: 'not-shown' });
    expect(on.shell.opened.length).toBe(opened);
  });
});

describe('heartbeat', () => {
  it('makes at most one commit in five minutes', async () => {
    const on = stage();
    await ours(on, 'p');
    const commits = on.host.commits.length;
    for (let beat = 0; beat < 7; beat += 1) {
      await heartbeat(on.world, actOf(mine));
      on.clock.jump(minutes(1));
    }
    expect(on.host.commits.length - commits).toBe(2);
  });

  it('of the job makes none', async () => {
    const on = stage();
    await ours(on, 'p');
    const commits = on.host.commits.length;
    await jobHeartbeat(on.world, actOf(mine));
    expect(on.host.commits.length).toBe(commits);
    expect(on.shell.calls.at(-1)?.call.args).toEqual(['beat']);
  });
});

describe('sync', () => {
  const syncing = (on: Stage) =>
    sync(on.world, {
      ...actOf(mine),
      choice: null,
      localPath: null,
      budgetMs: minutes(5),
      onProgress: () => undefined,
    });

  it('records what was pulled and ends nothing', async () => {
    const on = stage();
    await ours(on, 'p');
    expect((await syncing(on)).unverified).toBeNull();
    expect((await record(on, 'p')).lastMirror).toMatchObject({ files: 1, verified: true });
    expect(ended(on)).toEqual([]);
  });

  it('says why a copy does not count, and keeps the last good one as the measure', async () => {
    const on = stage();
    await ours(on, 'p');
    await syncing(on);
    on.files.set('p', {});
    expect((await syncing(on)).unverified).toMatch(/folder is empty/);
    expect((await record(on, 'p')).lastMirror).toMatchObject({ files: 1, verified: true });
  });
});

describe('probe', () => {
  it('takes six samples, tells, and changes nothing', async () => {
    const on = stage();
    await ours(on, 'p');
    const commits = on.host.commits.length;
    const probed = await probe(on.world, 'p');
    expect(probed.activity).toMatchObject({ kind: 'idle', samples: 6 });
    expect(on.host.commits.length).toBe(commits);
    expect(on.shell.openNow()).toBe(0);
  });

  it('of a pod that does not open is an answer too', async () => {
    const on = stage();
    await ours(on, 'p');
    const pod = on.pods.get('p');
    if (pod !== undefined) pod.door = 'refused-login';
    expect(await probe(on.world, 'p')).toMatchObject({
      activity: null,
      look: { kind: 'unseen', failure: 'refused-login' },
    });
  });
});
