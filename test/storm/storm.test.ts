/** A small storm on both servers. That its judge finds what is wrong is shown step by step in verify.test.ts. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPrograms } from '../../bench/storm/programs.mjs';
import { type StormWish, storm } from '../../bench/storm/storm.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let built = '';
beforeAll(async () => {
  // Below the packages that it imports.
  mkdirSync(join(root, '.cache'), { recursive: true });
  built = mkdtempSync(join(root, '.cache', 'storm-test-'));
  await buildPrograms(root, ['writer-process'], built);
}, 120_000);
afterAll(() => rmSync(built, { recursive: true, force: true }));

const small = (of: Pick<StormWish, 'server'> & Partial<StormWish>): StormWish => ({
  writers: 8,
  seconds: 10,
  drop: 0.25,
  seed: 7,
  force: false,
  program: join(built, 'writer-process.js'),
  ...of,
});

describe('eight writers, one killed every second, a quarter of the answers lost, and a reaper', () => {
  it.each(['git', 'github'] as const)(
    'on %s: nothing is lost, doubled or out of order, and the reaper waits for nobody',
    async (server) => {
      const { violations, killed, answers, reaper, events } = await storm(small({ server }));
      expect(violations).toEqual([]);
      expect(killed).toBeGreaterThan(5);
      expect(answers.lost).toBeGreaterThan(5);
      expect(events).toBeGreaterThan(16);
      expect(reaper.worstBackoffMs).toBeLessThanOrEqual(1000);
    },
    180_000,
  );
});
