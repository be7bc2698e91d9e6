/** Pacing of a matrix: jobs that begin together write one after the other instead of racing. */

/** Which of how many jobs this one is, as its runner counts. */
export type WriteSlot = { readonly index: number; readonly total: number };

/** So few writers race without harm: each of them gets through within its tries. */
const UNPACED = 8;
/** A read and a write on a busy forge take less; GitHub's limit of content writes allows 80 a minute. */
const SLOT_MS = 800;

/** Whether a matrix has more legs than may race. */
export function isLarge({ total }: WriteSlot): boolean {
  return total > UNPACED;
}

/** How long to wait before the first write; 0 = at once. */
export function slotWaitMs(slot: WriteSlot | null): number {
  if (slot === null || !isLarge(slot)) return 0;
  return Math.min(Math.max(0, slot.index), slot.total) * SLOT_MS;
}

/** One line for people, with the way to avoid the wait. */
export function saysSlot(slot: WriteSlot): string {
  const seconds = Math.round(slotWaitMs(slot) / 1000);
  return `waiting ${seconds} s for write slot ${slot.index}/${slot.total}; use register-many to avoid this`;
}
