/** The heartbeat's age, by one clock: the pod's. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFresh, readHeartbeat } from '../../src/domain/heartbeat.ts';
import { seen, unseen } from '../../src/domain/part.ts';
import { at, minutes } from './build.ts';

const GRACE = minutes(20);
const noon = at('2026-03-02T12:00:00Z');
const fresh = (content: string, mtime: string | null, podNow: string): boolean =>
  isFresh(readHeartbeat({ content, mtimeAt: mtime === null ? null : at(mtime) }, at(podNow)), GRACE);

describe('readHeartbeat (case C47)', () => {
  it.each([
    [
      'written five minutes ago',
      '2026-03-02T11:55:00Z',
      '2026-03-02T11:55:00Z',
      '2026-03-02T12:00:00Z',
      true,
    ],
    [
      'local time without a zone: only the file time counts',
      '2026-03-02T12:55:00',
      '2026-03-02T11:55:00Z',
      '2026-03-02T12:00:00Z',
      true,
    ],
    [
      'local time without a zone, hours old',
      '2026-03-02T12:55:00',
      '2026-03-02T09:00:00Z',
      '2026-03-02T12:00:00Z',
      false,
    ],
    [
      'a pod clock four hours slow',
      '2026-03-02T07:55:00Z',
      '2026-03-02T07:55:00Z',
      '2026-03-02T08:00:00Z',
      true,
    ],
    [
      'an old file time with fresh content',
      '2026-03-02T11:58:00Z',
      '2026-03-02T09:00:00Z',
      '2026-03-02T12:00:00Z',
      true,
    ],
    ['empty content', '', '2026-03-02T11:59:00Z', '2026-03-02T12:00:00Z', true],
    ['content cut in a write', '2026-03-02T1', '2026-03-02T11:59:59Z', '2026-03-02T12:00:00Z', true],
    ['an offset zone', '2026-03-02T14:55:00+03:00', null, '2026-03-02T12:00:00Z', true],
    ['twenty minutes and a second', '2026-03-02T11:39:59Z', null, '2026-03-02T12:00:00Z', false],
    ['two minutes ahead is tolerated', '2026-03-02T12:02:00Z', null, '2026-03-02T12:00:00Z', true],
  ])('%s', (...row) => {
    const [, content, mtime, podNow, expected] = row;
    expect(fresh(content, mtime, podNow)).toBe(expected);
  });

  it('a file from the future is unknown, not fresh for 23 hours', () => {
    const future = at('2026-03-03T11:00:00Z');
    expect(readHeartbeat({ content: '2026-03-03T11:00:00Z', mtimeAt: future }, noon).kind).toBe('unseen');
    expect(readHeartbeat({ content: '2026-03-03T11:00:00Z', mtimeAt: noon - 1000 }, noon)).toMatchObject({
      value: { ageMs: 1000 },
    });
  });

  it('says when content and file time disagree', () => {
    const read = readHeartbeat(
      { content: '2026-03-02T11:58:00Z', mtimeAt: at('2026-03-02T09:00:00Z') },
      noon,
    );
    expect(read).toEqual(seen({ state: 'beating', ageMs: minutes(2), disagreement: true }));
  });

  it('no file is seen as absent; unseen is never fresh', () => {
    expect(readHeartbeat(null, noon)).toEqual(seen({ state: 'absent' }));
    expect(isFresh(unseen('no look'), GRACE)).toBe(false);
    expect(isFresh(seen({ state: 'absent' }), GRACE)).toBe(false);
  });

  it('no text and no time makes a negative age or throws', () => {
    fc.assert(
      fc.property(fc.string(), fc.option(fc.integer()), (content, mtimeAt) => {
        const read = readHeartbeat({ content, mtimeAt }, noon);
        const beating = read.kind === 'seen' && read.value.state === 'beating' ? read.value.ageMs : 0;
        expect(beating).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
