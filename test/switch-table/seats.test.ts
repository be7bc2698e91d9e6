/** The switch table is whole before it is run: every pair of shell, image and fault has a seat, and no two are the same. */
import { expect, it } from 'vitest';
import { SHELLS } from '../on-pod/pod-stand.ts';
import { FAULTS } from './faults.ts';
import { IMAGES } from './images.ts';
import { seats } from './seats.ts';

const fires = IMAGES.filter(({ becomes }) => becomes === 'fires');
const all = seats();

it('lets every image that fires meet every fault, and every shell meet every image and every fault', () => {
  for (const image of fires)
    for (const fault of FAULTS)
      expect(all.filter((seat) => seat.image === image && seat.fault === fault)).toHaveLength(1);
  for (const shell of SHELLS) {
    for (const image of IMAGES)
      expect([shell, image.name, all.some((seat) => seat.shell === shell && seat.image === image)]).toContain(
        true,
      );
    for (const fault of FAULTS)
      expect([shell, fault.name, all.some((seat) => seat.shell === shell && seat.fault === fault)]).toContain(
        true,
      );
  }
});

it('has a name of its own for every image and every fault, and refusals beside fires', () => {
  expect(new Set(IMAGES.map(({ name }) => name)).size).toBe(IMAGES.length);
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
  expect(fires.length).toBeGreaterThan(10);
  expect(IMAGES.length - fires.length).toBeGreaterThan(5);
});
