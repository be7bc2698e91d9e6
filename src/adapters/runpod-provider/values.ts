/** Single values of RunPod's answers: times in the formats seen, money, the stamp in an env. */
import { z } from 'zod';
import { parseInstant } from '../../domain/instant.ts';
import { STAMP_VARIABLE } from '../../domain/stamp.ts';

/** Go's own time text, as recorded from v1: `2026-10-02 05:28:38.366 +0000 UTC`, at times with ` m=+0.1` behind. */
const GO_TIME = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}(?:\.\d+)?) ([+-]\d{4})(?: [A-Z]{1,5})?(?: m=.*)?$/;

/** No pod is older; Go writes the year 1 for "never". */
const FIRST_POD_AT = 1_420_070_400_000;

/** Epoch ms of RFC 3339 or of Go's format; null for a text that names no instant. */
export function providerInstant(text: string): number | null {
  const go = GO_TIME.exec(text.trim());
  const at = parseInstant(go === null ? text : `${go[1] ?? ''}T${go[2] ?? ''}${go[3] ?? ''}`);
  return at !== null && at >= FIRST_POD_AT ? at : null;
}

/** For fields that decide nothing alone: absent, null or of another shape is "not known". */
export const lenient = <Out>(schema: z.ZodType<Out>) => schema.nullable().catch(null);

export const time = lenient(z.string().transform(providerInstant));

/** USD as number or as text (`"0.74"`), to integer micro-dollars. */
export const microUsd = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^-?\d+(?:\.\d+)?$/)
      .transform(Number),
  ])
  .transform((usd) => Math.round(usd * 1_000_000));

export const percent = lenient(z.number().min(0).max(100));

const LONGEST_STAMP = 256;

/** The value under our variable in `{K: V}`, `["K=V"]` or `[{key, value}]`. */
function stampIn(env: unknown): unknown {
  if (!Array.isArray(env))
    return z.object({ [STAMP_VARIABLE]: z.string() }).safeParse(env).data?.[STAMP_VARIABLE];
  const prefix = `${STAMP_VARIABLE}=`;
  const pair = env.find((item) => typeof item === 'string' && item.startsWith(prefix));
  if (typeof pair === 'string') return pair.slice(prefix.length);
  const entry = z.object({ key: z.literal(STAMP_VARIABLE), value: z.string() });
  return env.map((item) => entry.safeParse(item)).find((read) => read.success)?.data.value;
}

/** Reads the stamp out of an env and lets everything else fall: an env is full of other people's secrets. */
export const stampOnly = z
  .unknown()
  .optional()
  .transform((env): string | null => {
    const text = stampIn(env);
    return typeof text === 'string' && text.length <= LONGEST_STAMP ? text : null;
  });
