/** What a pod costs: its rate while it runs, unknown while it is stopped, and at its end what was settled. */
import { describe, expect, it } from 'vitest';
import { costOf, rateOf } from '../../src/domain/cost.ts';
import { aRecord, minutes, NOW } from './build.ts';

const HOURLY = 2_000_000;
const running = aRecord({ costPerHourMicroUsd: HOURLY, createdAt: NOW - minutes(90) });
const judged = (reason: string) => ({
  ...running,
  lastVerdict: { at: NOW, kind: 'keep' as const, reason, evidence: {} },
});

describe('cost', () => {
  it('is the rate times the time since it was created', () => {
    expect(costOf(running, NOW, 'RUNNING')).toBe(3_000_000);
    expect(costOf(running, NOW, null)).toBe(3_000_000);
    expect(rateOf(running, 'RUNNING')).toBe(HOURLY);
  });

  it('is unknown, not the rate of its GPU and not zero, while it is stopped', () => {
    expect([costOf(running, NOW, 'EXITED'), rateOf(running, 'EXITED')]).toEqual([null, null]);
  });

  it.each(['exited-counting', 'exited-grace'])(
    'is unknown where nobody looked and %s was the last verdict',
    (reason) => {
      expect(costOf(judged(reason), NOW, null)).toBeNull();
      expect(costOf(judged(reason), NOW, 'RUNNING')).toBe(3_000_000);
    },
  );

  it('is unknown without a rate', () => {
    expect(costOf({ ...running, costPerHourMicroUsd: null }, NOW, 'RUNNING')).toBeNull();
  });

  it('of an ended pod is what was settled, also when that is unknown', () => {
    const end = { at: NOW, how: 'terminated' as const, reason: 'idle', verified: true, inferred: true };
    expect(costOf({ ...running, end: { ...end, costMicroUsd: 7 } }, NOW + minutes(60), null)).toBe(7);
    expect(costOf({ ...running, end: { ...end, costMicroUsd: null } }, NOW + minutes(60), null)).toBeNull();
  });
});
