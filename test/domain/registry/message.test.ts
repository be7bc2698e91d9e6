/** Commit messages: readable, short, and no label can forge a line of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apply } from '../../../src/domain/registry/apply.ts';
import {
  commitMessage,
  decodeWord,
  encodeWord,
  parseMessage,
  parseOpTrailer,
} from '../../../src/domain/registry/message.ts';
import type { RegistryEvent, RegistryOp } from '../../../src/domain/registry/ops.ts';
import type { RegistryState } from '../../../src/domain/registry/state.ts';
import { ALICE, actorOf, empty, fence, ownerOf, recordOf, register, withPod } from './record-maker.ts';

function eventOf(state: RegistryState, op: RegistryOp): RegistryEvent {
  const outcome = apply(state, op);
  if (outcome.kind !== 'applied') throw new Error(outcome.kind);
  return outcome.event;
}

const registered = (label: string, key = 'acme/ml/7/1/train/reg'): RegistryEvent => {
  const owner = ownerOf('x', { label, labelGiven: true });
  return eventOf(
    empty(),
    register('abc', {
      record: recordOf('abc', { owner }),
      actor: { ...actorOf(owner), run: 'acme/ml/actions/runs/7' },
      key,
    }),
  );
};

describe('commitMessage', () => {
  it('reads like a diary and carries its trailers last', () => {
    expect(commitMessage([registered('acme/ml#7')], 12)).toBe(
      [
        'register runpod.abc (H100) by acme/ml#7',
        '',
        '[skip ci]',
        '',
        'Podtrack-Op: register pod=runpod.abc rev=1 key=acme/ml/7/1/train/reg gpu=H100',
        'Podtrack-Pod: runpod.abc',
        'Podtrack-Run: acme/ml/actions/runs/7',
        'Podtrack-Actor: owner acme/ml#7',
        'Podtrack-Seq: 12',
        '',
      ].join('\n'),
    );
  });

  it('sums up several ops and lists them in the body', () => {
    const events = [registered('acme/ml#7'), eventOf(withPod(), fence({ pod: 'abc', rev: 1 }))];
    const message = commitMessage(events, 3);
    expect(message.split('\n')[0]).toBe('2 changes: register, fence');
    expect(message).toContain('- fence runpod.abc: idle, by reaper');
    expect(parseMessage(message).trailers.filter(([name]) => name === 'Podtrack-Op')).toHaveLength(2);
  });

  it.each([
    'acme\n\nPodtrack-Op: fence pod=runpod.other rev=1 key=forged',
    'acme\r\nPodtrack-Seq: 999',
    '@orchard/everyone please look',
    'a\u2028Podtrack-Pod: runpod.other',
    'x'.repeat(200),
    '\u202Egnp.exe',
    '\uD800',
  ])('cannot be forged by the label %j', (label) => {
    const message = commitMessage([registered(label)], 5);
    const lines = message.split('\n');
    expect(lines[0]?.length).toBeLessThanOrEqual(72);
    expect(lines.filter((line) => line.startsWith('Podtrack-Op:'))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('Podtrack-Seq:'))).toEqual(['Podtrack-Seq: 5']);
    expect(message).not.toMatch(/@|[\p{Cf}\u2028\u2029\r]/u);
  });

  it('parses back to what was written, for any label and key', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 60, unit: 'binary' }),
        fc.string({ minLength: 1, maxLength: 60, unit: 'binary' }),
        (label, key) => {
          const { headline, trailers } = parseMessage(commitMessage([registered(label, key)], 5));
          expect(headline.startsWith('register runpod.abc')).toBe(true);
          const ops = trailers
            .filter(([name]) => name === 'Podtrack-Op')
            .map(([, value]) => parseOpTrailer(value));
          expect(ops).toHaveLength(1);
          expect(ops[0]).toMatchObject({ op: 'register', pod: 'runpod.abc', rev: '1', key });
          expect(trailers.at(-1)).toEqual(['Podtrack-Seq', '5']);
        },
      ),
    );
  });

  it('a word survives its encoding, and half a character becomes a mark', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(decodeWord(encodeWord(text))).toBe(text);
      }),
    );
    expect(decodeWord(encodeWord('a\uD800b'))).toBe('a\u{fffd}b');
    expect(decodeWord('100%zz%ff')).toBe('100%zz%ff');
  });
});

describe('parseMessage', () => {
  it.each([
    ['a hand edit', 'Update README.md\n'],
    ['a last paragraph that is no block of trailers', 'x\n\nPodtrack-Op: y\nand prose\n'],
    ['trailers of others only', 'x\n\nSigned-off-by: A <a@b>\n'],
    ['nothing', ''],
  ])('finds no trailers in %s', (_name, message) => {
    expect(parseMessage(message).trailers).toEqual([]);
  });
});

it('an owner without a label is named so', () => {
  const owner = { ...ALICE, label: null };
  const event = eventOf(
    empty(),
    register('abc', { record: recordOf('abc', { owner }), actor: actorOf(owner) }),
  );
  expect(event.headline).toBe('register runpod.abc (H100) by (unlabelled)');
});
