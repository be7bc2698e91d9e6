/** The policy as a table: one row per rule, and what must hold for every input. */
import { describe, expect, it } from 'vitest';
import { seen, unseen } from '../../src/domain/part.ts';
import { decide } from '../../src/domain/policy/decide.ts';
import type { DecideInput } from '../../src/domain/policy/input.ts';
import { REASONS, type Reason } from '../../src/domain/policy/reasons.ts';
import { NO_SIGHTINGS } from '../../src/domain/registry/sweep.ts';
import {
  anInput,
  anObservation,
  aPod,
  aRecord,
  armedSwitch,
  aVisit,
  beat,
  gpuAt,
  minutes,
  NOW,
  noVisit,
  sighted,
  someDeadlines,
} from './build.ts';

type Row = { readonly when: string; readonly input: Partial<DecideInput>; readonly reason: Reason };

const fence = (of: {
  until: number;
  step?: 'fenced' | 'deleted';
  holder?: string;
  reason?: string;
  inferred?: boolean;
}) => ({
  holder: 'reaper:a',
  reason: 'idle',
  rev: 1,
  at: NOW - minutes(5),
  inferred: true,
  step: 'fenced' as const,
  ...of,
});
const absent = (good: boolean) => ({
  kind: 'absent' as const,
  listedAway: good ? seen(true as const) : unseen('list was empty'),
});
const shown = (of: Parameters<typeof aPod>[0]) => ({ kind: 'present' as const, pod: aPod(of) });
const owner = (agoMs: number) =>
  seen({ state: 'completed' as const, completedAt: NOW - agoMs, conclusion: 'failure' });
const lapsed = { ownerSetAt: NOW - minutes(1) };
const idleFor = (count: number, overMin: number) => ({
  ...NO_SIGHTINGS,
  idle: sighted(count, minutes(overMin)),
});
const awayFor = (count: number, overMin: number) => ({
  ...NO_SIGHTINGS,
  unreachable: sighted(count, minutes(overMin)),
});
const routeless = anObservation({ visit: noVisit('no-route') });

const ROWS: readonly Row[] = [
  {
    when: 'another process holds a fence in force',
    input: { record: aRecord({ status: 'terminating', fence: fence({ until: NOW + 1 }) }) },
    reason: 'fence-held',
  },
  {
    when: 'a fence has lapsed, its old verdict binds nobody',
    input: {
      record: aRecord({ status: 'terminating', fence: fence({ until: NOW }) }),
      observation: anObservation({ visit: aVisit({ heartbeat: beat(1) }) }),
    },
    reason: 'heartbeat-fresh',
  },
  {
    when: 'our DELETE was accepted and GET says absent, although the list is unreadable',
    input: {
      record: aRecord({ status: 'terminating', fence: fence({ until: NOW + 1, step: 'deleted' }) }),
      observation: anObservation({ provider: absent(false) }),
    },
    reason: 'terminated',
  },
  {
    when: 'our DELETE was accepted and the pod lingers as TERMINATED',
    input: {
      record: aRecord({ status: 'terminating', fence: fence({ until: NOW + 1, step: 'deleted' }) }),
      observation: anObservation({ provider: shown({ status: 'TERMINATED' }) }),
    },
    reason: 'terminated',
  },
  {
    when: 'our DELETE was accepted minutes ago and the pod lingers, busy as it may look',
    input: {
      record: aRecord({
        status: 'terminating',
        fence: fence({ until: NOW - minutes(9), step: 'deleted' }),
      }),
      observation: anObservation({ visit: aVisit({ heartbeat: beat(1) }) }),
    },
    reason: 'still-shown',
  },
  {
    when: 'our DELETE was accepted long ago and the pod is still there: that DELETE was lost',
    input: {
      record: aRecord({
        status: 'terminating',
        fence: fence({ until: NOW - minutes(10), step: 'deleted' }),
      }),
      observation: anObservation({ visit: aVisit({ heartbeat: beat(1) }) }),
    },
    reason: 'heartbeat-fresh',
  },
  ...(['requested', 'forced', 'pull-skipped'] as const).map(
    (reason): Row => ({
      when: `its owner asked for its end (${reason}) and died over it, busy as it may look`,
      input: {
        record: aRecord({
          status: 'terminating',
          fence: fence({ until: NOW, holder: 'uuid-1', reason, inferred: false }),
          deadlines: someDeadlines(lapsed),
        }),
        observation: anObservation({ visit: aVisit({ heartbeat: beat(1) }) }),
      },
      reason,
    }),
  ),
  {
    when: 'an earlier owner asked for its end, whose pod it is no longer',
    input: {
      record: aRecord({
        status: 'terminating',
        fence: fence({ until: NOW, holder: 'uuid-0', reason: 'requested', inferred: false }),
      }),
      observation: anObservation({ visit: aVisit({ heartbeat: beat(1) }) }),
    },
    reason: 'heartbeat-fresh',
  },
  {
    when: 'its owner asked for its end, and then to keep it',
    input: {
      record: aRecord({
        status: 'terminating',
        fence: fence({ until: NOW, holder: 'uuid-1', reason: 'requested', inferred: false }),
        deadlines: someDeadlines({ keepUntilAt: NOW + 1 }),
      }),
    },
    reason: 'kept',
  },
  {
    when: 'TERMINATED without us',
    input: { observation: anObservation({ provider: shown({ status: 'TERMINATED' }) }) },
    reason: 'provider-terminated',
  },
  {
    when: 'neither list nor GET could be read',
    input: { observation: anObservation({ provider: { kind: 'unseen', reason: 'HTML' } }) },
    reason: 'provider-unseen',
  },
  {
    when: 'one absence',
    input: {
      observation: anObservation({ provider: absent(true) }),
      sightings: { ...NO_SIGHTINGS, absent: sighted(1, 0) },
    },
    reason: 'absent-counting',
  },
  {
    when: 'two absences nine minutes apart',
    input: {
      observation: anObservation({ provider: absent(true) }),
      sightings: { ...NO_SIGHTINGS, absent: sighted(2, minutes(9)) },
    },
    reason: 'absent-counting',
  },
  {
    when: 'two absences ten minutes apart',
    input: {
      observation: anObservation({ provider: absent(true) }),
      sightings: { ...NO_SIGHTINGS, absent: sighted(2, minutes(10)) },
    },
    reason: 'lost-absent',
  },
  {
    when: 'two absences, but this list carries no conclusion',
    input: {
      observation: anObservation({ provider: absent(false) }),
      sightings: { ...NO_SIGHTINGS, absent: sighted(2, minutes(30)) },
    },
    reason: 'absent-counting',
  },
  {
    when: 'a young pod is absent',
    input: {
      record: aRecord({ startedAt: NOW - minutes(5) }),
      observation: anObservation({ provider: absent(true) }),
      sightings: { ...NO_SIGHTINGS, absent: sighted(5, minutes(30)) },
    },
    reason: 'absent-counting',
  },
  {
    when: 'the absolute deadline is reached, whatever else',
    input: {
      record: aRecord({
        deadlines: someDeadlines({ ownerSetAt: NOW - 1, absoluteDeadlineAt: NOW, keepUntilAt: NOW }),
      }),
      observation: anObservation({
        provider: shown({ status: 'OTHER', locked: true }),
        visit: noVisit('wrong-host-key'),
      }),
    },
    reason: 'absolute-deadline',
  },
  {
    when: 'a created pod was never reached before its boot deadline',
    input: {
      record: aRecord({ reachedAt: null, deadlines: someDeadlines({ bootDeadlineAt: NOW }) }),
      observation: anObservation({ visit: noVisit('not-ready') }),
    },
    reason: 'boot-deadline',
  },
  {
    when: 'a created pod that was reached once has no boot deadline any more',
    input: {
      record: aRecord({ deadlines: someDeadlines({ bootDeadlineAt: NOW }) }),
      observation: anObservation({ visit: noVisit('not-ready') }),
    },
    reason: 'not-ready',
  },
  {
    when: 'it is locked',
    input: { observation: anObservation({ provider: shown({ locked: true }), owner: owner(minutes(9)) }) },
    reason: 'locked',
  },
  {
    when: 'a keep runs, orphan or not',
    input: {
      record: aRecord({ deadlines: someDeadlines({ ...lapsed, keepUntilAt: NOW + 1 }) }),
      observation: anObservation({ owner: owner(minutes(9)) }),
      sightings: idleFor(9, 99),
    },
    reason: 'kept',
  },
  {
    when: 'a keep has run out',
    input: { record: aRecord({ deadlines: someDeadlines({ keepUntilAt: NOW }) }) },
    reason: 'keep-ended',
  },
  {
    when: 'the owner deadline lapsed with a fresh heartbeat',
    input: {
      record: aRecord({ deadlines: someDeadlines(lapsed) }),
      observation: anObservation({ visit: aVisit({ heartbeat: beat(minutes(20)) }) }),
    },
    reason: 'extended',
  },
  {
    when: 'the owner deadline lapsed with a stale heartbeat',
    input: {
      record: aRecord({ deadlines: someDeadlines(lapsed) }),
      observation: anObservation({ visit: aVisit({ heartbeat: beat(minutes(20) + 1) }) }),
    },
    reason: 'owner-deadline',
  },
  {
    when: 'the owner deadline lapsed with a fresh heartbeat and the extension is used up',
    input: {
      record: aRecord({ deadlines: someDeadlines({ ownerSetAt: NOW - minutes(31), extensions: 1 }) }),
      observation: anObservation({ visit: aVisit({ heartbeat: beat(1) }) }),
    },
    reason: 'owner-deadline',
  },
  {
    when: 'the owner deadline lapsed and the pod could not be visited',
    input: { record: aRecord({ deadlines: someDeadlines(lapsed) }), observation: routeless },
    reason: 'owner-deadline',
  },
  {
    when: 'the owner deadline lapsed in a state that nobody knows',
    input: {
      record: aRecord({ deadlines: someDeadlines(lapsed) }),
      observation: anObservation({ provider: shown({ status: 'OTHER', statusText: 'RESETTING' }) }),
    },
    reason: 'owner-deadline',
  },
  {
    when: 'the job that owns it completed a minute ago',
    input: {
      observation: anObservation({ owner: owner(minutes(1)), visit: aVisit({ heartbeat: beat(1) }) }),
    },
    reason: 'orphan',
  },
  {
    when: 'the job that owns it completed just now',
    input: { observation: anObservation({ owner: owner(minutes(1) - 1) }) },
    reason: 'orphan-soon',
  },
  {
    when: 'its run was not found once',
    input: {
      observation: anObservation({
        owner: seen({ state: 'missing' }),
        visit: aVisit({ heartbeat: beat(1) }),
      }),
    },
    reason: 'heartbeat-fresh',
  },
  {
    when: 'its run was not found three times over 20 min',
    input: {
      observation: anObservation({ owner: seen({ state: 'missing' }) }),
      sightings: { ...NO_SIGHTINGS, ownerless: sighted(3, minutes(20)) },
    },
    reason: 'owner-missing',
  },
  {
    when: 'EXITED within its grace',
    input: {
      observation: anObservation({ provider: shown({ status: 'EXITED' }), visit: noVisit('not-ready') }),
      sightings: { ...NO_SIGHTINGS, exited: sighted(1, minutes(60)) },
    },
    reason: 'exited-counting',
  },
  {
    when: 'EXITED for a day',
    input: {
      observation: anObservation({ provider: shown({ status: 'EXITED' }), visit: noVisit('not-ready') }),
      sightings: { ...NO_SIGHTINGS, exited: sighted(2, minutes(1440)) },
    },
    reason: 'exited-grace',
  },
  {
    when: 'ERROR',
    input: {
      observation: anObservation({ provider: shown({ status: 'ERROR' }) }),
      sightings: idleFor(9, 99),
    },
    reason: 'error-state',
  },
  {
    when: 'RUNNING without runtime',
    input: {
      observation: anObservation({
        provider: shown({ telemetry: unseen('no runtime') }),
        visit: noVisit('not-ready'),
      }),
      sightings: awayFor(9, 99),
    },
    reason: 'not-ready',
  },
  {
    when: 'an unknown status',
    input: { observation: anObservation({ provider: shown({ status: 'OTHER', statusText: 'DEAD' }) }) },
    reason: 'not-ready',
  },
  {
    when: 'its switch is gone too near the stop',
    input: {
      record: aRecord({
        deadlines: someDeadlines({
          ownerSetAt: NOW + 1,
          pullMarginMs: minutes(15),
          absoluteDeadlineAt: NOW + minutes(14),
        }),
      }),
      observation: anObservation({
        visit: aVisit({ switch: seen({ ...switchValue(), armed: false, reason: 'not-installed' }) }),
      }),
    },
    reason: 'rearm-too-late',
  },
  {
    when: 'its switch is whole and holds a refused key, near its stop: it was not restarted',
    input: {
      record: aRecord({
        deadlines: someDeadlines({
          ownerSetAt: NOW + 1,
          pullMarginMs: minutes(15),
          absoluteDeadlineAt: NOW + minutes(14),
        }),
      }),
      observation: anObservation({
        visit: aVisit({ switch: seen({ ...switchValue(), armed: false, reason: 'key-refused' }) }),
      }),
    },
    reason: 'idle-counting',
  },
  {
    when: 'it started just now',
    input: {
      observation: anObservation({ provider: shown({ startedAt: NOW - minutes(14) }) }),
      sightings: idleFor(9, 99),
    },
    reason: 'starting',
  },
  {
    when: 'a fresh heartbeat and an idle GPU',
    input: {
      observation: anObservation({ visit: aVisit({ heartbeat: beat(minutes(2)) }) }),
      sightings: idleFor(9, 99),
    },
    reason: 'heartbeat-fresh',
  },
  {
    when: 'a stale heartbeat and a busy GPU',
    input: { observation: anObservation({ visit: aVisit({ heartbeat: beat(minutes(60)), gpu: gpuAt(1) }) }) },
    reason: 'gpu-busy',
  },
  {
    when: 'somebody is logged in and that counts',
    input: {
      rules: { ...anInput().rules, activity: 'jobs-and-ssh' },
      observation: anObservation({ visit: aVisit({ sshSessions: seen(1) }) }),
      sightings: idleFor(9, 99),
    },
    reason: 'ssh-session',
  },
  {
    when: 'somebody is logged in and that does not count',
    input: {
      observation: anObservation({ visit: aVisit({ sshSessions: seen(1) }) }),
      sightings: idleFor(3, 15),
    },
    reason: 'idle',
  },
  { when: 'three idle sightings over 14 min', input: { sightings: idleFor(3, 14) }, reason: 'idle-counting' },
  { when: 'two idle sightings over 60 min', input: { sightings: idleFor(2, 60) }, reason: 'idle-counting' },
  { when: 'three idle sightings over 15 min', input: { sightings: idleFor(3, 15) }, reason: 'idle' },
  {
    when: 'the same with 61 GB held: memory alone neither saves nor kills',
    input: {
      observation: anObservation({ visit: aVisit({ gpu: gpuAt(0, 61_440) }) }),
      sightings: idleFor(3, 15),
    },
    reason: 'idle',
  },
  {
    when: 'utilisation reads N/A',
    input: {
      observation: anObservation({ visit: aVisit({ gpu: gpuAt(null, 30_211) }) }),
      sightings: idleFor(9, 99),
    },
    reason: 'idle-unknown',
  },
  {
    when: 'the heartbeat cannot be told',
    input: {
      observation: anObservation({ visit: aVisit({ heartbeat: unseen('from the future') }) }),
      sightings: idleFor(9, 99),
    },
    reason: 'idle-unknown',
  },
  {
    when: 'it has no GPU any more',
    input: {
      observation: anObservation({ visit: aVisit({ gpu: seen({ state: 'no-gpu' }) }) }),
      sightings: idleFor(9, 99),
    },
    reason: 'no-gpu',
  },
  {
    when: 'a CPU pod without heartbeat',
    input: {
      observation: anObservation({
        provider: shown({ cpu: true, gpu: null }),
        visit: aVisit({ gpu: unseen('no tool') }),
      }),
      sightings: idleFor(9, 99),
    },
    reason: 'idle-unknown',
  },
  {
    when: 'a CPU pod whose heartbeat has stopped',
    input: {
      observation: anObservation({
        provider: shown({ cpu: true, gpu: null }),
        visit: aVisit({ gpu: unseen('no tool'), heartbeat: beat(minutes(60)) }),
      }),
      sightings: idleFor(3, 15),
    },
    reason: 'idle',
  },
  {
    when: 'the visit sees an idle GPU, but the provider shows a busy one',
    input: {
      observation: anObservation({
        provider: shown({
          telemetry: seen({ uptimeMs: minutes(118), gpus: [{ util: 40, memoryUtil: 9 }], cpuUtil: 1 }),
        }),
      }),
      sightings: idleFor(9, 99),
    },
    reason: 'api-busy',
  },
  {
    when: 'no route, but the provider shows a busy GPU',
    input: {
      observation: anObservation({
        provider: shown({
          telemetry: seen({ uptimeMs: minutes(118), gpus: [{ util: 40, memoryUtil: 9 }], cpuUtil: 1 }),
        }),
        visit: noVisit('no-route'),
      }),
      sightings: awayFor(9, 99),
    },
    reason: 'api-busy',
  },
  {
    when: 'no route twice',
    input: { observation: routeless, sightings: awayFor(2, 60) },
    reason: 'unreachable-counting',
  },
  {
    when: 'no route three times over 30 min',
    input: { observation: routeless, sightings: awayFor(3, 30) },
    reason: 'unreachable',
  },
  {
    when: 'the same, but the job is in progress',
    input: {
      observation: anObservation({ visit: noVisit('no-route'), owner: seen({ state: 'in-progress' }) }),
      sightings: awayFor(3, 30),
    },
    reason: 'unreachable-counting',
  },
  {
    when: 'the same, but our own network is in doubt',
    input: { observation: routeless, sightings: awayFor(3, 30), routeTrusted: false },
    reason: 'unreachable-counting',
  },
  {
    when: 'the same, but the provider holds memory',
    input: {
      observation: anObservation({
        provider: shown({
          telemetry: seen({ uptimeMs: minutes(118), gpus: [{ util: 0, memoryUtil: 40 }], cpuUtil: 1 }),
        }),
        visit: noVisit('no-route'),
      }),
      sightings: awayFor(3, 30),
    },
    reason: 'unreachable-counting',
  },
  {
    when: 'a refused login for hours',
    input: { observation: anObservation({ visit: noVisit('refused-login') }), sightings: awayFor(9, 99) },
    reason: 'login-refused',
  },
  {
    when: 'a changed host key',
    input: { observation: anObservation({ visit: noVisit('wrong-host-key') }) },
    reason: 'host-key-changed',
  },
  {
    when: 'the port is held shut',
    input: { observation: anObservation({ visit: noVisit('held-shut') }), sightings: awayFor(9, 99) },
    reason: 'visit-failed',
  },
];

function switchValue() {
  if (armedSwitch.kind === 'unseen') throw new Error('built as seen');
  return armedSwitch.value;
}

describe('decide', () => {
  it.each(ROWS)('says $reason when $when', ({ input, reason }) => {
    expect(decide(anInput(input)).reason).toBe(reason);
  });

  it('has a row for every reason that it alone can give', () => {
    const elsewhere = new Set<Reason>([
      'stray-expired',
      'stray-orphan',
      'stray-waiting',
      'not-recorded',
      'all-absent',
      'account-unknown',
      'other-account',
      'held-by-breaker',
      'held-by-caution',
    ]);
    const shown = new Set(ROWS.map((row) => row.reason));
    const missing = (Object.keys(REASONS) as Reason[]).filter(
      (reason) => !shown.has(reason) && !elsewhere.has(reason),
    );
    expect(missing).toEqual([]);
  });

  it('lets exactly the listed reasons end a pod before its artifacts are verified', () => {
    const listed = (Object.keys(REASONS) as Reason[]).filter((reason) => REASONS[reason].beforeVerified);
    expect(listed.sort()).toEqual(
      [
        'absolute-deadline',
        'boot-deadline',
        'forced',
        'not-recorded',
        'pull-skipped',
        'stray-expired',
        'unreachable',
      ].sort(),
    );
  });
});
