/** How the demo speaks: lines of at most the given width, no escape codes without colour, the same as events. */
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Chronicle, chronicle, wrap } from '../../../src/cli/demo/narrator.ts';

const LONG =
  'The pod ended itself, with its own key and its own request, and podtrack had no part in it. '.repeat(3);

function told(
  of: { json?: boolean; colour?: boolean; width?: number },
  say: (tell: Chronicle) => void,
): string {
  const texts: string[] = [];
  const out = { write: (text: string) => texts.push(text) };
  say(chronicle({ json: false, colour: false, width: 80, ...of, out, now: () => Date.UTC(2026, 10, 30) }));
  return texts.join('');
}

function everything(tell: Chronicle): void {
  tell.act('First', LONG);
  tell.tell(LONG, { reason: 'idle' }, 'expired');
  tell.check(true, LONG);
  tell.check(false, LONG, { pod: 'a' });
  tell.quote('git log', [`abc ${'x'.repeat(200)}`]);
  tell.end(LONG, 1, { tookMs: 5 });
}

describe('the text', () => {
  it.each([80, 60, 100])('stays within %i columns', (width) => {
    const lines = told({ width }, everything).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
  });

  it('stays within 100 columns on a wide terminal and does not break up on a tiny one', () => {
    const longest = (width: number): number =>
      Math.max(
        ...told({ width }, everything)
          .split('\n')
          .map((line) => line.length),
      );
    expect(longest(400)).toBeLessThanOrEqual(100);
    expect(longest(5)).toBeLessThanOrEqual(40);
  });

  it('has no escape codes without colour, and the same letters with it', () => {
    const plain = told({}, everything);
    const coloured = told({ colour: true }, everything);
    expect(plain).not.toContain('\u001b');
    expect(coloured).toContain('\u001b[');
    expect(stripVTControlCharacters(coloured)).toBe(plain);
  });

  it('marks a broken promise in words, not by colour alone', () => {
    expect(told({}, (tell) => tell.check(false, 'It is gone.'))).toBe('!! NOT SO: It is gone.\n');
    expect(told({}, (tell) => tell.check(true, 'It is gone.'))).toBe('ok It is gone.\n');
  });
});

describe('the events', () => {
  it('are one JSON object per line, each within its act', () => {
    const events = told({ json: true }, everything)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ event }) => event)).toEqual(['act', 'step', 'check', 'check', 'quote', 'end']);
    expect(new Set(events.map(({ act }) => act))).toEqual(new Set(['First']));
    expect(events[1]).toMatchObject({ pod: 'expired', reason: 'idle', at: '2026-11-30T00:00:00.000Z' });
    expect(events[3]).toMatchObject({ kept: false, pod: 'a' });
  });
});

describe('the sum', () => {
  it('counts the kept promises and names the broken ones', () => {
    const sums: [number, readonly string[]][] = [];
    told({}, (tell) => {
      everything(tell);
      sums.push([tell.kept, tell.broken]);
    });
    expect(sums).toEqual([[1, [LONG]]]);
  });
});

describe('wrap', () => {
  it('loses no word, and no line is longer than the width unless it is one word', () => {
    const words = fc.array(fc.stringMatching(/^[a-z.,]{1,30}$/), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(words, fc.integer({ min: 5, max: 100 }), (given, width) => {
        const lines = wrap(given.join(' '), width);
        expect(lines.join(' ')).toBe(given.join(' '));
        for (const line of lines) expect(line.length <= width || !line.includes(' ')).toBe(true);
      }),
    );
  });
});
