/** When the legs of a matrix write for the first time, and what they say while they wait. */
import { describe, expect, it } from 'vitest';
import { saysSlot, slotWaitMs } from '../../../src/domain/registry/write-slot.ts';

describe('the write slot of a job', () => {
  it.each([
    ['no matrix that the runner tells of', null, 0],
    ['a job of its own', { index: 0, total: 1 }, 0],
    ['the last of eight', { index: 7, total: 8 }, 0],
    ['the first of nine', { index: 0, total: 9 }, 0],
    ['the last of nine', { index: 8, total: 9 }, 6400],
    ['the last of a full matrix', { index: 255, total: 256 }, 204_000],
    ['an index that cannot be', { index: 9_999_999, total: 9 }, 7200],
  ])('%s', (_, slot, waitMs) => {
    expect(slotWaitMs(slot)).toBe(waitMs);
  });

  it('is told with the way to avoid it', () => {
    expect(saysSlot({ index: 120, total: 256 })).toBe(
      'waiting 96 s for write slot 120/256; use register-many to avoid this',
    );
  });
});
