/** Which cells of the switch table are run: every pair of image and fault, of shell and image, of shell and fault. */
import { SHELLS } from '../on-pod/pod-stand.ts';
import type { Seat, Shell } from './cell.ts';
import { FAULTS } from './faults.ts';
import { IMAGES } from './images.ts';

const shellOf = (index: number): Shell => SHELLS[index % SHELLS.length] ?? 'dash';

/**
 * An image that fires meets every fault, each under the next shell, so that every row and every column holds every shell. One
 * that is refused never comes to a fault: it is refused under each shell.
 */
export function seats(): readonly Seat[] {
  const none = FAULTS[0];
  if (none === undefined) throw new Error('No fault is known');
  return IMAGES.flatMap((image, row): readonly Seat[] =>
    image.becomes === 'fires'
      ? FAULTS.map((fault, column) => ({ shell: shellOf(row + column), image, fault }))
      : SHELLS.map((shell) => ({ shell, image, fault: none })),
  );
}
