/** The machine's clock and chance, as the ports promise them. */
import { describe, expect, it } from 'vitest';
import { nodeChance } from '../../src/adapters/node-chance.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';

describe('systemClock', () => {
  it('tells epoch milliseconds and sleeps, not at all for less than nothing', async () => {
    const clock = systemClock();
    const before = clock.now();
    expect(before).toBeGreaterThan(Date.UTC(2025, 0));
    await clock.sleep(5);
    await clock.sleep(-5);
    expect(clock.now()).toBeGreaterThanOrEqual(before);
  });
});

describe('nodeChance', () => {
  const chance = nodeChance();

  it('gives identifiers that do not repeat', () => {
    expect(chance.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(chance.hex(8)).toMatch(/^[0-9a-f]{16}$/);
    expect(new Set(Array.from({ length: 100 }, () => chance.hex(8))).size).toBe(100);
  });

  it('hashes the UTF-8 of a text', () => {
    expect(chance.sha256('ü')).toBe('607474ca475a9724d7360aba71a56d5df77e61350e3f724cfa1f46e857e2d85f');
    expect(chance.sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
