/** Switches that change how the world is served: their shape in a seed or at POST /__world/faults. */
import { z } from 'zod';
import type { Settings } from './model/state.ts';

const count = z.int().min(1);

export const switchesSchema = z.strictObject({
  /** The October 2026 edition with cursors. */
  pagination: z.boolean().optional(),
  /** No page holds more than this. */
  pageCap: count.nullable().optional(),
  /** Serve REST v1 too. */
  v1: z.boolean().optional(),
  /** What the injected key may do over GraphQL. */
  podKey: z.enum(['terminate', 'stop-only', 'read-only']).optional(),
  /** Whether REST v2 takes that key for its own pod. */
  podKeyOnRest: z.boolean().optional(),
  /** Requests per window; null = exempt. */
  rateLimit: z.strictObject({ minute: count, hour: count, day: count }).nullable().optional(),
  /** How long the steps of a start take. */
  timing: z.strictObject({ provisionMs: z.int().min(0), startMs: z.int().min(0) }).optional(),
});
export type SwitchesInput = z.infer<typeof switchesSchema>;

/** Sets what is given and leaves the rest. */
export function applySwitches(settings: Settings, switches: SwitchesInput): void {
  const given = Object.fromEntries(Object.entries(switches).filter(([, value]) => value !== undefined));
  Object.assign(settings, given);
}
