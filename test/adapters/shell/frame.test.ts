/** The frame: whatever way a stream is cut into pieces, the same answer comes out, and half a frame is none. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bootstrapCommand, frameReader, request } from '../../../src/adapters/ssh/frame.ts';

const token = '0123456789abcdef'.repeat(2);

function stream(before: string, payload: string, end: string): Buffer {
  return Buffer.from(`${before}\n${token} begin\n${payload}\n${token} end ${end}\nlogout\n`);
}

function read(bytes: Buffer, cuts: readonly number[]): { payload: string; exitCode: number | null } {
  const frame = frameReader(token);
  const points = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  const parts = points.slice(1).map((point, index) => frame.push(bytes.subarray(points[index], point)));
  return { payload: Buffer.concat(parts).toString('utf8'), exitCode: frame.exitCode() };
}

describe('frameReader', () => {
  it('gives the same payload and exit code for every way of cutting the stream', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '\n', ' ', token, ' begin', ' end 0\n', '\0', 'ü'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        text,
        text,
        fc.nat(255),
        fc.array(fc.nat(), { maxLength: 8 }),
        (before, payload, code, cuts) => {
          // Only the pod itself knows the token; what it forges inside its own answer fools nobody but itself.
          fc.pre(
            !`${before}\n`.includes(`\n${token} begin\n`) && !`${payload}\n`.includes(`\n${token} end `),
          );
          expect(read(stream(before, payload, String(code)), cuts)).toEqual({ payload, exitCode: code });
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('knows no exit code before the last byte of the closing line', () => {
    const whole = stream('motd', 'payload', '7');
    const closed = whole.indexOf('\nlogout');
    for (let length = 0; length <= closed; length += 1) {
      expect([length, read(whole.subarray(0, length), []).exitCode]).toEqual([length, null]);
    }
    expect(read(whole.subarray(0, closed + 1), []).exitCode).toBe(7);
  });

  it.each(['', 'x', '-1', '1234', '7 ', '0x1'])('does not take %j for an exit code', (code) => {
    expect(read(stream('', 'payload', code), []).exitCode).toBeNull();
  });

  it('is not closed by the token of another call', () => {
    const other = token.replaceAll('0', '1');
    const bytes = Buffer.from(`\n${token} begin\nhalf\n${other} end 0\n`);
    expect(read(bytes, []).exitCode).toBeNull();
  });

  it('shows what stood outside, for error texts, and only a little of it', () => {
    const frame = frameReader(token);
    frame.push(Buffer.from(`Error: Your SSH client doesn't support PTY\n${'x'.repeat(10_000)}`));
    expect(frame.begun()).toBe(false);
    expect(frame.noise()).toContain('support PTY');
    expect(frame.noise().length).toBeLessThan(1000);
  });
});

describe('what goes to the pod', () => {
  it('has neither script nor stdin in the command, which every process of the pod can read', () => {
    const command = bootstrapCommand(['status']);
    expect(command).not.toContain('secret');
    expect(request(token, 'echo', 'secret').toString()).toBe(`${token}\n4\necho${'secret'}`);
  });

  it('refuses scripts that are not ASCII: shells do not agree on their length', () => {
    expect(() => request(token, 'echo ü', '')).toThrow('ASCII');
  });
});
