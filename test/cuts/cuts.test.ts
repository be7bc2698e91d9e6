/** A sample of the cut-point sweep: cuts spread over the whole job, each ended safely by whoever comes after. `npm run cuts` makes all. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ground, openGround } from './ground.ts';
import { KINDS, nameOf, type Place, placing, pointsOf, sampleOf } from './points.ts';
import { allPoints, lineOf, sweep } from './sweep.ts';

const SAMPLE = 12;
const MOST_MS = 600_000;

describe('the job of register.yml', () => {
  let ground: Ground;
  beforeAll(async () => {
    ground = await openGround();
  }, 300_000);
  afterAll(() => ground.close());

  it(
    'cut anywhere, leaves no pod behind, loses no result and ends nothing twice',
    async () => {
      const points = await allPoints(ground);
      expect(points.length).toBeGreaterThanOrEqual(200);
      const rows = await sweep(ground, sampleOf(points, SAMPLE), { atOnce: 3, onRow: () => undefined });
      expect(rows.filter(({ verdict }) => verdict.problems.length > 0).map(lineOf)).toEqual([]);
      expect(new Set(rows.map(({ point }) => point.cut))).toEqual(new Set(KINDS));
    },
    MOST_MS,
  );
});

describe('points', () => {
  const place = (what: string, when: Place['when'], part: Place['part'] = 'register'): Place => ({
    part,
    what,
    when,
    nth: 1,
  });

  it('stand in the order of the run, one for each kind; nothing is killed that has ended', () => {
    const points = pointsOf([place('ssh login', 'before'), place('process end', 'after')]);
    expect(points.map(({ number, place: { what }, cut }) => [number, what, cut])).toEqual([
      [1, 'ssh login', 'cancel'],
      [2, 'ssh login', 'kill-step'],
      [3, 'ssh login', 'shutdown'],
      [4, 'ssh login', 'crash-worker'],
      [5, 'ssh login', 'lose-runner'],
      [6, 'process end', 'cancel'],
      [7, 'process end', 'shutdown'],
      [8, 'process end', 'crash-worker'],
      [9, 'process end', 'lose-runner'],
    ]);
  });

  it('are one where a file is written right after another', () => {
    const files = [place('file state', 'after'), place('file env', 'before'), place('file env', 'after')];
    expect(new Set(pointsOf(files).map((point) => nameOf(point.place))).size).toBe(2);
  });

  it('are counted by their like, so that what runs beside them moves none', () => {
    const name = placing();
    const seen = ['GET /a', 'ssh login', 'GET /a'].map((what) =>
      name({ number: 1, kind: 'world', when: 'before', what, job: '', step: '', stage: 'main' }),
    );
    expect(seen.map(nameOf)).toEqual([
      'register: before GET /a #1',
      'register: before ssh login #1',
      'register: before GET /a #2',
    ]);
  });

  it('are spread by a sample over all of them and over the kinds', () => {
    const all = pointsOf(Array.from({ length: 25 }, (_, at) => place(`GET /${at}`, 'before')));
    expect(sampleOf(all, 5).map(({ number, cut }) => [number, cut])).toEqual([
      [16, 'cancel'],
      [42, 'kill-step'],
      [63, 'shutdown'],
      [89, 'crash-worker'],
      [115, 'lose-runner'],
    ]);
  });
});
