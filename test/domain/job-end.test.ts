/** What a job's end means for its pod. */
import { expect, it } from 'vitest';
import { type EndingWishes, endingFor, jobEnd, parseEnding } from '../../src/domain/job-end.ts';

const KEEP_ALL: EndingWishes = { onSuccess: 'keep', onFailure: 'keep', onCancel: 'keep' };

it.each([
  ['success', 'success'],
  ['failure', 'failure'],
  ['cancelled', 'cancelled'],
  [' Cancelled\r\n', 'cancelled'],
  ['', 'unknown'],
  ['skipped', 'unknown'],
  ['canceled', 'unknown'],
  ['null', 'unknown'],
])('%j is taken for %s', (word, wanted) => {
  expect(jobEnd(word)).toBe(wanted);
});

it('each end has its own wish, and an unknown end is a teardown whatever was wished', () => {
  const wishes: EndingWishes = { onSuccess: 'teardown', onFailure: 'keep', onCancel: 'teardown' };
  expect(endingFor('success', wishes)).toBe('teardown');
  expect(endingFor('failure', wishes)).toBe('keep');
  expect(endingFor('cancelled', { ...wishes, onCancel: 'keep' })).toBe('keep');
  expect(endingFor('unknown', KEEP_ALL)).toBe('teardown');
});

it('an empty wish is a teardown, an unknown one is refused by its input', () => {
  expect(parseEnding('', 'on-failure')).toBe('teardown');
  expect(parseEnding(' KEEP ', 'on-failure')).toBe('keep');
  expect(parseEnding('stop', 'on-failure')).toBe('stop');
  expect(() => parseEnding('hibernate', 'on-failure')).toThrow(/on-failure.*teardown, keep/s);
});
