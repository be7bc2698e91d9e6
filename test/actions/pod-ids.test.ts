/** A list of pods as workflows write it, and as broken expressions leave it: no id is ever passed over. */
import { describe, expect, it } from 'vitest';
import { enteredLast, podIdsOf } from '../../src/actions/pod-ids.ts';
import { ConfigError } from '../../src/domain/errors.ts';

const listed = (many: string, one = '', otherwise = ''): readonly string[] =>
  podIdsOf((name) => (name === 'pod-id' ? one : many), otherwise);

describe('a list', () => {
  it.each([
    ['commas', 'pod1a,pod2b,pod3c'],
    ['blanks', 'pod1a pod2b  pod3c'],
    ['lines', 'pod1a\npod2b\npod3c'],
    ['Windows lines, and an empty one', 'pod1a\r\npod2b\r\n\r\npod3c'],
    ['commas, blanks and lines at once', 'pod1a, pod2b,\n  pod3c'],
    ['JSON', '["pod1a", "pod2b", "pod3c"]'],
    ['JSON over several lines, with blanks inside', '[\r\n " pod1a",\r\n "pod2b ",\r\n "pod3c"\r\n]'],
  ])('with %s', (_what, text) => {
    expect(listed(text)).toEqual(['pod1a', 'pod2b', 'pod3c']);
  });

  it('may hold one, and pod-id alone is a list of one', () => {
    expect([listed('["pod1a"]'), listed('pod1a'), listed('', 'pod1a')]).toEqual([
      ['pod1a'],
      ['pod1a'],
      ['pod1a'],
    ]);
  });
});

describe('what cannot be used is refused by its input', () => {
  it.each([
    ['pod-id beside it', 'pod1a', /pod-id was given as well/, 'pod2b'],
    ['an empty JSON list', '[]', /the list is empty/],
    ['the word null', 'null', /the word null/],
    ['a comma with nothing behind it', 'pod1a,', /one of its ids is empty.*masked/],
    ['two commas', 'pod1a,,pod2b', /one of its ids is empty/],
    ['an empty text in JSON', '["pod1a", ""]', /one of its ids is empty/],
    ['a word that stands for no value', 'pod1a undefined', /one of its ids is the word undefined/],
    ['a masked id', 'pod1a,***', /of one of its ids: it is masked/],
    ['a masked part', '["po***1a"]', /it is masked/],
    ['an id twice', 'pod1a pod2b pod1a', /it names pod1a twice/],
    ['two that look alike', 'Pod1a pod1a', /Pod1a and pod1a look alike/],
    ['JSON that does not end', '["pod1a"', /is no JSON list/],
    ['JSON of something else', '{"pod": "pod1a"}', /is no JSON list/],
    ['a JSON text', '"pod1a"', /is no JSON list/],
    ['numbers', '[1, 2]', /is no JSON list/],
    [
      'a key in place of an id, which is not said again',
      'pod1a rpa_SECRETSECRETSECRET',
      /it is a RunPod key(?!.*SECRET)/,
    ],
    ['signs that no id has', 'pod1a;pod2b', /"pod1a;pod2b" is not one pod id/],
    ['more than one job can look after', Array.from({ length: 33 }, (_, i) => `pod${i}`).join(), /33 pods/],
  ])('%s', (_what, many, words, one = '') => {
    expect(() => listed(many, one)).toThrow(ConfigError);
    expect(() => listed(many, one)).toThrow(words);
    expect(() => listed(many, one)).toThrow(/Reading the input pod-ids/);
  });

  it('neither: the message names both, and the likely cause', () => {
    expect(() => listed('')).toThrow(/input pod-id: it is empty, and so is pod-ids.*masked/);
  });

  it('a masked pod-id, and several in it', () => {
    expect(() => listed('', '***')).toThrow(/pod-id: it is masked/);
    expect(() => listed('', 'pod1a,pod2b')).toThrow(/not one pod id.*several go into pod-ids/);
  });
});

it('where neither is given, what register entered last counts: the one pod, else the list', () => {
  const last = enteredLast({ PODTRACK_POD_ID: '', PODTRACK_POD_IDS: 'pod1a pod2b' });
  expect(listed('', '', last)).toEqual(['pod1a', 'pod2b']);
  expect(enteredLast({ PODTRACK_POD_ID: 'mine0pod', PODTRACK_POD_IDS: 'pod1a pod2b' })).toBe('mine0pod');
  expect(listed('pod3c', '', last)).toEqual(['pod3c']);
});
