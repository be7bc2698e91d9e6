/** Replay: what the record holds is enough to come to the same verdict, bit for bit, and too little to tell an address. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PodRecord, VerdictFacts } from '../../src/domain/pod.ts';
import { plan } from '../../src/domain/policy/plan.ts';
import { REASONS } from '../../src/domain/policy/reasons.ts';
import { replayVerdict } from '../../src/domain/policy/replay.ts';
import { parseRecord, recordText } from '../../src/domain/registry/files.ts';
import { podPath } from '../../src/domain/registry/layout.ts';
import { verdictFacts } from '../../src/flows/watch/learn.ts';
import { aRecord, minutes, NOW, someDeadlines } from './build.ts';
import { aCycle } from './plan-arbitrary.ts';
import { sha256 } from './registry/record-maker.ts';

/** As it comes back from a file. */
function throughFile(record: PodRecord): PodRecord {
  const parsed = parseRecord(podPath(`runpod.${record.id}`, sha256), recordText(record, null), sha256);
  if (parsed.kind !== 'whole') throw new Error(`not whole: ${JSON.stringify(parsed)}`);
  return parsed.value;
}

function committed(record: PodRecord, lastVerdict: VerdictFacts): VerdictFacts {
  const after = throughFile({ ...record, rev: record.rev + 1, lastVerdict });
  if (after.lastVerdict === null) throw new Error('it was just written');
  return after.lastVerdict;
}

describe('a committed verdict', () => {
  it('is computed again from the files alone, bit for bit, whatever the cycle looked like', () => {
    const met = new Set<string>();
    fc.assert(
      fc.property(aCycle, (cycle) => {
        for (const pod of plan(cycle).pods) {
          met.add(pod.verdict.reason);
          const facts = committed(pod.record, verdictFacts(pod));
          const again = replayVerdict(throughFile(pod.record), facts);
          expect(again).toEqual({ kind: 'asked', same: true, recomputed: { ...facts, basis: undefined } });
        }
      }),
      { numRuns: 300, seed: 5 },
    );
    const possible = Object.keys(REASONS).filter(
      (reason) => !/^stray|^not-recorded$|^pull-skipped$/.test(reason),
    );
    // Rare in made-up cycles; idle, unreachable and the like are replayed from real ones in past.test.ts.
    expect(possible.filter((reason) => !met.has(reason)).sort()).toEqual([
      'all-absent',
      'exited-grace',
      'extended',
      'idle',
      'keep-ended',
      'rearm-too-late',
      'unreachable',
    ]);
  }, 120_000);

  it('tells no address and no host of what was looked at', () => {
    fc.assert(
      fc.property(aCycle, (cycle) => {
        for (const pod of plan(cycle).pods) {
          const text = recordText({ ...pod.record, lastVerdict: verdictFacts(pod) }, null);
          expect(text).not.toMatch(/203\.0\.113|198\.51\.100|pod\.example\.net:22|@all/);
        }
      }),
    );
  });

  it('takes at most 2 KB of the record, and mostly less than one', () => {
    const sizes: number[] = [];
    fc.assert(
      fc.property(aCycle, (cycle) => {
        for (const { basis } of plan(cycle).pods) sizes.push(JSON.stringify(basis).length);
      }),
    );
    sizes.sort((left, right) => left - right);
    expect(sizes.at(-1)).toBeLessThan(2048);
    expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThan(1024);
  });
});

describe('replay shows a difference', () => {
  const [idle] = fc.sample(aCycle, { numRuns: 1, seed: 1 }).flatMap((cycle) => plan(cycle).pods);
  if (idle === undefined) throw new Error('a cycle has a pod');

  it('where the limits of the record were others than now', () => {
    const record = aRecord({
      deadlines: someDeadlines({ ownerSetAt: NOW - minutes(5), absoluteDeadlineAt: NOW + minutes(90) }),
    });
    const facts = { ...verdictFacts(idle), kind: 'end' as const, reason: 'owner-deadline' };
    const basis = {
      rev: 1,
      provider: { is: 'present', status: 'RUNNING', telemetry: { why: 'x' } },
      visit: { failure: 'not-shown', why: 'x' },
    };
    const evidence = { lateMs: minutes(5), heartbeatFresh: false, extensionsLeft: 1 };
    const asked = (of: PodRecord) => replayVerdict(of, { ...facts, at: NOW, basis, evidence });
    expect(asked(record)).toMatchObject({ kind: 'asked', same: true });
    const moved = { ...record, deadlines: { ...record.deadlines, ownerSetAt: NOW + minutes(5) } };
    expect(asked(moved)).toMatchObject({ kind: 'asked', same: false, recomputed: { reason: 'not-ready' } });
  });

  it('where a key that was refused would be taken for a switch that is gone', () => {
    const record = aRecord({
      deadlines: someDeadlines({ ownerSetAt: NOW + 1, absoluteDeadlineAt: NOW + minutes(14) }),
    });
    const facts = { ...verdictFacts(idle), kind: 'end' as const, reason: 'rearm-too-late', at: NOW };
    const asked = (told: string) =>
      replayVerdict(record, {
        ...facts,
        evidence: { leftMs: minutes(14) },
        basis: {
          rev: 1,
          provider: { is: 'present', status: 'RUNNING', telemetry: { uptimeMs: minutes(90), gpus: [] } },
          visit: { heartbeat: 'absent', gpu: { why: 'x' }, sshSessions: 0, switch: told },
        },
      });
    expect(asked('not-armed')).toMatchObject({ kind: 'asked', same: true });
    expect(asked('key-refused')).toMatchObject({ kind: 'asked', same: false });
  });

  it('where the policy has changed since: another reason, or other evidence', () => {
    const facts = verdictFacts(idle);
    const other = replayVerdict(idle.record, { ...facts, reason: 'locked', kind: 'keep' });
    expect(other).toMatchObject({ kind: 'asked', same: false });
    const evidence = { ...facts.evidence, more: 1 };
    expect(replayVerdict(idle.record, { ...facts, evidence })).toMatchObject({ kind: 'asked', same: false });
  });

  it('and says why where nothing can be computed', () => {
    const { basis: _basis, ...bare } = verdictFacts(idle);
    expect(replayVerdict(idle.record, bare)).toMatchObject({
      kind: 'no-basis',
      why: expect.stringMatching(/nothing was recorded/),
    });
    const strange = { ...bare, basis: { rev: 1, provider: { is: 'somewhere' } } };
    expect(replayVerdict(idle.record, strange)).toMatchObject({
      kind: 'no-basis',
      why: expect.stringMatching(/form/),
    });
  });
});
