/** What a person is shown of pods between cycles: the list by scope, and the explanation of one record. */
import { describe, expect, it } from 'vitest';
import { seen, unseen } from '../../src/domain/part.ts';
import type { PodRecord } from '../../src/domain/pod.ts';
import { emptyRegistry } from '../../src/domain/registry/state.ts';
import { NO_SIGHTINGS } from '../../src/domain/registry/sweep.ts';
import { explain, saysEvidence, saysWhen } from '../../src/domain/report/explain.ts';
import { exitOfList, type ListScope, listRows } from '../../src/domain/report/list.ts';
import { anOwner, aPod, aRecord, minutes, NOW, REGISTRY, someDeadlines } from './build.ts';

const ME = anOwner({ label: 'mine', labelGiven: true, key: null, uuid: 'me' });
const owned = (id: string, owner: Partial<typeof ME>, of: Partial<PodRecord> = {}): PodRecord =>
  aRecord({ id, owner: { ...ME, ...owner }, ...of });

const RECORDS = [
  owned('by-uuid', { label: null, labelGiven: false }),
  owned('by-label', { uuid: 'an earlier process' }),
  owned('other-label', { label: 'theirs', uuid: 'they' }),
  owned('unlabelled', { label: null, labelGiven: false, uuid: 'they' }),
  owned(
    'ended',
    {},
    {
      status: 'terminated',
      end: {
        at: NOW,
        how: 'terminated',
        reason: 'idle',
        verified: true,
        costMicroUsd: 5_000_000,
        inferred: true,
      },
    },
  ),
];

function rows(scope: ListScope) {
  const state = {
    ...emptyRegistry(REGISTRY, null, NOW),
    pods: Object.fromEntries(RECORDS.map((record) => [`runpod.${record.id}`, record])),
  };
  const pods = [
    ...RECORDS.filter((record) => record.end === null).map(({ id }) => aPod({ id })),
    aPod({ id: 'foreign' }),
  ];
  return listRows({ state, listing: seen({ pods, malformed: [] }), me: ME, scope, now: NOW });
}

describe('the list', () => {
  it.each<[ListScope, string[]]>([
    ['live', ['by-label', 'by-uuid', 'other-label', 'unlabelled']],
    ['mine', ['by-label', 'by-uuid']],
    ['others', ['other-label', 'unlabelled']],
    ['all', ['by-label', 'by-uuid', 'other-label', 'unlabelled', 'ended', 'foreign']],
  ])('--%s shows %j', (scope, pods) => {
    expect(rows(scope).map((row) => row.pod)).toEqual(pods);
  });

  it('tells the provider’s word, the busiest GPU and what it has cost', () => {
    const [row] = rows('mine');
    expect(row).toMatchObject({
      shown: seen('RUNNING'),
      util: seen(0),
      costMicroUsd: 5_380_000,
      armed: true,
    });
    expect(rows('all').find((each) => each.pod === 'ended')?.costMicroUsd).toBe(5_000_000);
  });

  it('is no whole list where the account could not be read', () => {
    const live = rows('mine');
    expect(exitOfList(live, unseen('502'))).toBe(1);
    expect(exitOfList([], unseen('502'))).toBe(4);
    expect(exitOfList(live, seen({ pods: [], malformed: [{ id: null, problem: 'x' }] }))).toBe(1);
    expect(exitOfList(live, seen({ pods: [], malformed: [] }))).toBe(0);
  });
});

describe('an explanation', () => {
  const judged = aRecord({
    id: 'pod1',
    lastVerdict: {
      at: NOW - minutes(3),
      kind: 'keep',
      reason: 'idle-counting',
      evidence: {
        strikes: 2,
        needed: 3,
        sinceMs: minutes(8),
        heartbeatFresh: false,
        residentMemoryMib: null,
      },
    },
  });

  it('gives the last verdict with its evidence in words, and the limits', () => {
    const idle = { count: 2, firstAt: NOW - minutes(8), lastAt: NOW - minutes(3) };
    const told = explain(judged, { ...NO_SIGHTINGS, idle }, NOW);
    const text = [told.headline, ...told.verdict, ...told.sightings, ...told.deadlines].join('\n');
    expect(text).toContain(
      'idle-counting: idle, not yet for the whole window (2026-03-02T11:57:00Z, 3 min ago)',
    );
    expect(text).toContain(
      'strikes 2, needed 3, since 8 min, not heartbeat fresh, resident memory mib unknown',
    );
    expect(text).toContain('seen idle 2 time(s) of 3 over 15 min, first 8 min ago, last 3 min ago');
    expect(text).toContain('the switch on the pod fires 2026-03-02T16:35:00Z (4 h 35 min); key: injected');
  });

  it('says what would end it next, the nearest first, and what may come at any time', () => {
    const { next } = explain(judged, null, NOW);
    expect(next.map((end) => end.what.split(',')[0])).toEqual([
      'the owner deadline',
      'its stop',
      'the absolute deadline',
      'the end of its run 7',
      '15 min idle in 3 sightings without a fresh heartbeat',
    ]);
    const [owner, , , run] = next;
    if (owner === undefined || run === undefined) throw new Error('two ends');
    expect(saysWhen(owner, NOW)).toBe('in 4 h 20 min (2026-03-02T16:20:00Z)');
    expect(saysWhen(run, NOW)).toBe('at any time');
  });

  it('a keep silences owner, orphan and idleness; a fence is the end under way', () => {
    const deadlines = someDeadlines({ keepUntilAt: NOW + minutes(20) });
    const kept = explain(aRecord({ deadlines }), null, NOW).next.map((end) => end.what);
    expect(kept).toEqual(['the end of its keep', 'its stop', 'the absolute deadline']);
    const fence = {
      holder: 'reaper:x',
      reason: 'idle',
      rev: 3,
      at: NOW,
      until: NOW + minutes(30),
      inferred: true,
      step: 'fenced' as const,
    };
    const told = explain(aRecord({ status: 'terminating', fence }), null, NOW);
    expect(told.next[0]).toMatchObject({ what: 'the end that is under way (idle)', by: 'reaper:x' });
    expect(told.verdict.join()).toContain('its fence holds for 30 min more');
  });

  it('of an ended pod it says how, why and at what cost, and nothing comes next', () => {
    const told = explain(RECORDS[4] ?? judged, null, NOW);
    expect(told.verdict[0]).toContain('terminated 2026-03-02T12:00:00Z: idle');
    expect(told.verdict[0]).toContain('artifacts verified; cost $5.00');
    expect(told.next).toEqual([]);
  });

  it.each([
    ['lateMs', 90_000, 'late 1 min 30 s'],
    ['listedAway', true, 'listed away'],
    ['conclusion', null, 'conclusion unknown'],
    ['provider', 'idle', 'provider idle'],
  ])('evidence %s = %s reads "%s"', (name, value, words) => {
    expect(saysEvidence(name, value)).toBe(words);
  });
});
