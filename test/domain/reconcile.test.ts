/** Whose pod is it: ours, reopened, stray or foreign; matched exactly, never by a part of a name. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seen, unseen } from '../../src/domain/part.ts';
import { reconcile } from '../../src/domain/policy/reconcile.ts';
import { judgeStray } from '../../src/domain/policy/stray.ts';
import { NO_SIGHTINGS } from '../../src/domain/registry/sweep.ts';
import { DEFAULT_RULES } from '../../src/domain/rules.ts';
import { formatStamp, parseStamp, type Stamp } from '../../src/domain/stamp.ts';
import { aPod, aRecord, aState, minutes, NOW, REGISTRY, sighted } from './build.ts';

const created = NOW - minutes(120);
const stamp = (of: Partial<Stamp> = {}): Stamp => ({
  registryId: REGISTRY,
  repositoryId: '501',
  runId: '7',
  mintedAt: created - minutes(1),
  ttlAt: NOW + minutes(60),
  nonce: 'aabbccddeeff0011',
  ...of,
});
const stamped = (of: Partial<Stamp> = {}, id = 'stray1') => aPod({ id, stamp: formatStamp(stamp(of)) });

describe('reconcile', () => {
  it('a pod is ours by id and creation time together', () => {
    const sorted = reconcile(aState([aRecord()]), [aPod(), aPod({ id: 'pod2' })]);
    expect(sorted.ours.map(({ pod }) => pod.id)).toEqual(['pod1']);
    expect(sorted.foreign.map(({ pod, why }) => [pod.id, why])).toEqual([['pod2', 'no-stamp']]);
  });

  it('another pod under a known id is foreign, and the record is missing', () => {
    const sorted = reconcile(aState([aRecord()]), [aPod({ createdAt: created + 1000 })]);
    expect(sorted.foreign.map(({ why }) => why)).toEqual(['id-reused']);
    expect(sorted.missing.map((record) => record.id)).toEqual(['pod1']);
  });

  it('names that contain a wanted name are neighbours (case C07)', () => {
    const wanted = aRecord({ id: 'exact', name: 'ci-unit-9001', status: 'intent', nonce: stamp().nonce });
    const pods = ['ci-unit-9001', 'ci-unit-90012', 'bench-ci-unit-9001-debug', 'team-notebook'].map(
      (name, index) => aPod({ id: `p${index}`, name, stamp: index === 0 ? formatStamp(stamp()) : null }),
    );
    const sorted = reconcile(aState([wanted]), pods);
    expect(sorted.ours.map(({ pod }) => pod.name)).toEqual(['ci-unit-9001']);
    expect(sorted.foreign).toHaveLength(3);
  });

  it('an intent needs its nonce, not only its name', () => {
    const wanted = aRecord({
      id: 'ci-unit-9001',
      name: 'ci-unit-9001',
      status: 'intent',
      nonce: '1111111111111111',
    });
    const sorted = reconcile(aState([wanted]), [aPod({ id: 'p', name: 'ci-unit-9001' })]);
    expect(sorted.ours).toEqual([]);
    expect(sorted.foreign).toHaveLength(1);
  });

  it('fractions of a second in one answer make no other pod', () => {
    const sorted = reconcile(aState([aRecord()]), [aPod({ createdAt: created + 366 })]);
    expect(sorted.ours).toHaveLength(1);
    expect(sorted.missing).toEqual([]);
  });

  it('of two pods with the name and the nonce of an intent the first made is ours, the copy is foreign', () => {
    const name = 'pt-0a1b2c3d-aabbccdd';
    const wanted = aRecord({ id: name, name, status: 'intent', nonce: stamp().nonce });
    const copy = aPod({ id: 'p2', name, stamp: formatStamp(stamp()), createdAt: created + minutes(5) });
    const first = aPod({ id: 'p1', name, stamp: formatStamp(stamp()), createdAt: created });
    for (const listed of [
      [copy, first],
      [first, copy],
    ]) {
      const sorted = reconcile(aState([wanted]), listed);
      expect(sorted.ours.map(({ pod }) => pod.id)).toEqual(['p1']);
      expect(sorted.foreign.map(({ pod, why }) => [pod.id, why])).toEqual([['p2', 'copied-stamp']]);
    }
  });

  it.each(['terminated', 'lost'] as const)(
    'a %s pod that lingers as TERMINATED has not come back',
    (status) => {
      const sorted = reconcile(aState([aRecord({ status })]), [aPod({ status: 'TERMINATED' })]);
      expect(sorted.reopened).toEqual([]);
      expect(sorted.foreign).toEqual([]);
    },
  );

  it.each(['terminated', 'lost'] as const)('a %s pod that is listed is reopened', (status) => {
    const sorted = reconcile(aState([aRecord({ status })]), [aPod()]);
    expect(sorted.reopened).toHaveLength(1);
    expect(sorted.foreign).toEqual([]);
  });

  it('a quarantined record counts as its last valid version', () => {
    const state = {
      ...aState([]),
      quarantined: [{ path: 'pods/aa/x.json', problem: 'cut', lastValid: aRecord() }],
    };
    expect(reconcile(state, [aPod()]).ours).toHaveLength(1);
  });

  it('a successor of the same name is told, not taken (case C04)', () => {
    const sorted = reconcile(aState([aRecord()]), [aPod({ id: 'new', createdAt: NOW })]);
    expect(sorted.successors.map(({ record, pod }) => [record.id, pod.id])).toEqual([['pod1', 'new']]);
    expect(sorted.foreign).toHaveLength(1);
  });
});

describe('strays', () => {
  it('carry this registry’s own fresh stamp', () => {
    expect(reconcile(aState([]), [stamped()]).strays.map(({ pod }) => pod.id)).toEqual(['stray1']);
  });

  it.each([
    ['another registry’s stamp', [stamped({ registryId: 'f'.repeat(32) })], 'other-registry'],
    ['a stamp minted long before', [stamped({ mintedAt: created - minutes(61) })], 'copied-stamp'],
    ['a stamp from the future', [stamped({ mintedAt: created + minutes(5) })], 'copied-stamp'],
    ['a nonce that is on two pods', [stamped(), stamped({}, 'stray2')], 'copied-stamp'],
  ])('%s is foreign', (_what, pods, why) => {
    const sorted = reconcile(aState([]), pods);
    expect(sorted.strays).toEqual([]);
    expect(sorted.foreign.map((one) => one.why)).toEqual(pods.map(() => why));
  });

  it('a nonce of a record or a tombstone is a copied stamp', () => {
    const record = aRecord({ id: 'other', status: 'terminated', nonce: stamp().nonce });
    expect(reconcile(aState([record]), [stamped()]).foreign.map(({ why }) => why)).toEqual(['copied-stamp']);
  });

  const looked = (of: Partial<Stamp>, seenTimes: number, over: 'completed' | 'unknown') => ({
    pod: aPod({ id: 'stray1' }),
    stamp: stamp(of),
    owner:
      over === 'completed'
        ? seen({ state: 'completed' as const, completedAt: NOW - minutes(5), conclusion: null })
        : unseen('unknown'),
    sightings: { ...NO_SIGHTINGS, stray: sighted(seenTimes, minutes(10)) },
  });
  it.each([
    ['past its ttl, seen twice', looked({ ttlAt: NOW }, 2, 'unknown'), 'stray-expired'],
    ['its run completed, seen twice', looked({}, 2, 'completed'), 'stray-orphan'],
    ['its run completed, seen once', looked({}, 1, 'completed'), 'stray-waiting'],
    ['nothing known of its run', looked({}, 9, 'unknown'), 'stray-waiting'],
    [
      'past its ttl but young',
      { ...looked({ ttlAt: NOW }, 2, 'unknown'), pod: aPod({ createdAt: NOW - minutes(29) }) },
      'stray-waiting',
    ],
    [
      'past its ttl but of unknown age',
      { ...looked({ ttlAt: NOW }, 2, 'unknown'), pod: aPod({ createdAt: null }) },
      'stray-waiting',
    ],
    ['locked', { ...looked({ ttlAt: NOW }, 2, 'unknown'), pod: aPod({ locked: true }) }, 'locked'],
    [
      'lingering as TERMINATED',
      { ...looked({ ttlAt: NOW }, 2, 'unknown'), pod: aPod({ status: 'TERMINATED' }) },
      'provider-terminated',
    ],
  ])('%s', (_what, stray, reason) => {
    expect(judgeStray(stray, DEFAULT_RULES, NOW).reason).toBe(reason);
  });

  it('a stamp survives its text, and nothing else is one', () => {
    expect(parseStamp(formatStamp(stamp({ repositoryId: null, runId: null })))).toMatchObject({
      repositoryId: null,
    });
    fc.assert(
      fc.property(fc.string(), (text) => {
        const read = parseStamp(text);
        expect(read === null ? text.trim() : formatStamp(read)).toBe(text.trim());
      }),
    );
    for (const bad of [
      '',
      '2:x',
      formatStamp(stamp()).replace('1:', '01:'),
      `${formatStamp(stamp())}:extra`,
    ]) {
      expect(parseStamp(bad)).toBeNull();
    }
  });
});

describe('a list lands every pod in exactly one place', () => {
  it('whatever the records and stamps', () => {
    const somePod = fc.record({
      id: fc.constantFrom('pod1', 'pod2', 'pod3'),
      name: fc.constantFrom('a', 'b'),
      stamp: fc.constantFrom(
        null,
        formatStamp(stamp()),
        'garbage',
        formatStamp(stamp({ registryId: 'f'.repeat(32) })),
      ),
      createdAt: fc.constantFrom(created, created + 1000, null),
    });
    const someRecord = fc.record({
      id: fc.constantFrom('pod1', 'pod2', 'b'),
      status: fc.constantFrom(
        'intent' as const,
        'active' as const,
        'terminating' as const,
        'terminated' as const,
        'lost' as const,
      ),
      nonce: fc.constantFrom(null, stamp().nonce),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(somePod, { selector: (pod) => pod.id }),
        fc.uniqueArray(someRecord, { selector: (record) => record.id }),
        (pods, records) => {
          const listed = pods.map((pod) => aPod(pod));
          const sorted = reconcile(aState(records.map((record) => aRecord(record))), listed);
          const places = [...sorted.ours, ...sorted.reopened, ...sorted.strays, ...sorted.foreign].map(
            ({ pod }) => pod.id,
          );
          expect(places.sort()).toEqual(listed.map((pod) => pod.id).sort());
        },
      ),
    );
  });
});
