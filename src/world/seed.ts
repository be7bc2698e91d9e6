/** The seed file of a world: strict, so that a misspelt word is told and not ignored. Shape: see `seedSchema`. */
import { z } from 'zod';
import { faultSchema } from './model/faults.ts';
import { parseInstant } from './model/instant.ts';
import { BOOTS } from './model/pod-state.ts';
import { switchesSchema } from './switches.ts';

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** An instant as RFC 3339, or as "-90m": so long before the world's now (s, m, h, d). */
const instant = z.string().refine((text) => parseInstant(text) !== null || /^-\d+[smhd]$/.test(text), {
  message: 'is neither an RFC 3339 time nor a span before now such as "-90m"',
});

/** Epoch ms of a seed's instant. */
export function instantIn(text: string, now: number): number {
  const span = /^-(\d+)([smhd])$/.exec(text);
  const unit = span?.[2];
  if (unit !== 's' && unit !== 'm' && unit !== 'h' && unit !== 'd') return parseInstant(text) ?? now;
  return now - Number(span?.[1]) * UNIT_MS[unit];
}

const percent = z.number().min(0).max(100);
const file = z.union([
  z.string(),
  z.strictObject({ base64: z.base64() }),
  z.strictObject({ size: z.int().min(0) }),
]);

/** `id` and `count` as in the API, the rest scripts what the cards do. */
const gpu = z.strictObject({
  id: z.string().min(1).default('NVIDIA GeForce RTX 4090'),
  count: z.int().min(1).default(1),
  util: percent.optional(),
  memUsedMiB: z.int().min(0).optional(),
  memTotalMiB: z.int().min(1).optional(),
  script: z
    .array(
      z.strictObject({
        afterMs: z.int().min(0),
        util: percent,
        memUsedMiB: z.int().min(0).optional(),
      }),
    )
    .optional(),
});

const seedPod = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z0-9]{8,20}$/, 'must be 8–20 lower-case letters and digits')
      .optional(),
    name: z.string().min(1),
    image: z.string().default('runpod/pytorch:1.0.2-cu1281-torch280-ubuntu2404'),
    args: z.string().default(''),
    cmd: z.array(z.string()).optional(),
    entrypoint: z.array(z.string()).optional(),
    disk: z.int().min(1).default(50),
    ports: z.array(z.string().regex(/^\d+\/(tcp|http)$/, 'must read port/proto')).default(['22/tcp']),
    env: z.record(z.string(), z.string()).default({}),
    registry: z.null().default(null),
    status: z.enum(['PROVISIONING', 'STARTING', 'RUNNING', 'EXITED', 'ERROR']).default('RUNNING'),
    mounts: z
      .strictObject({
        persistent: z.strictObject({ size: z.int().min(10), path: z.string() }).optional(),
        network: z
          .array(z.strictObject({ volumeId: z.string(), path: z.string() }))
          .max(1)
          .optional(),
      })
      .default({}),
    gpu: gpu.optional(),
    cpu: z.strictObject({ id: z.string(), vcpuCount: z.int().min(2), memory: z.int().optional() }).optional(),
    cloud: z.enum(['SECURE', 'COMMUNITY']).default('SECURE'),
    dataCenterId: z.string().nullable().optional(),
    cudaVersion: z.string().nullable().optional(),
    cost: z.number().min(0).optional(),
    locked: z.boolean().default(false),
    createdAt: instant.default('-10m'),
    startedAt: instant.nullable().optional(),
    /** RUNNING with null or {} = no container was ever reported; anything else is worked out by the world. */
    runtime: z.record(z.string(), z.unknown()).nullable().optional(),
    // Worked out by the world; taken so that an answer of the API can be pasted as a seed.
    actions: z.array(z.string()).optional(),
    ssh: z.unknown().optional(),
    template: z.null().optional(),
    globalNetworking: z.looseObject({ enabled: z.boolean() }).nullable().optional(),
    // What the API does not say.
    boot: z.enum(BOOTS).optional(),
    hostFull: z.boolean().default(false),
    files: z.record(z.string().startsWith('/', 'must be an absolute path on the pod'), file).default({}),
    sshKeys: z.array(z.string()).default([]),
    /** The key inside the pod; minted when left out. */
    podKey: z.string().min(8).optional(),
  })
  .refine((pod) => pod.gpu === undefined || pod.cpu === undefined, { message: 'has both gpu and cpu' });
export type SeedPod = z.infer<typeof seedPod>;

const seedVolume = z.strictObject({
  id: z.string().min(1),
  name: z.string().min(1),
  size: z.int().min(10).max(4096),
  dataCenter: z.string(),
  type: z.enum(['STANDARD', 'HIGH_PERFORMANCE']).default('STANDARD'),
  createdAt: instant.default('-1h'),
});

export const seedSchema = z.strictObject({
  /** Where the world's clock starts; without it, the machine's now. */
  now: z
    .string()
    .refine((text) => parseInstant(text) !== null, { message: 'is not an RFC 3339 time' })
    .optional(),
  /** USD. */
  balance: z.number().optional(),
  /** USD per hour. */
  spendLimit: z.number().positive().optional(),
  pods: z.array(seedPod).default([]),
  volumes: z.array(seedVolume).default([]),
  faults: z.array(faultSchema).default([]),
  switches: switchesSchema.default({}),
  sshKeys: z.array(z.string()).optional(),
  apiKey: z.string().min(8).optional(),
  readOnlyKey: z.string().min(8).optional(),
  /** GPUs free by GPU type and data center; what is not named keeps its stock. */
  stock: z.record(z.string(), z.record(z.string(), z.int().min(0))).default({}),
  randomSeed: z.int().optional(),
});
export type Seed = z.infer<typeof seedSchema>;
export type SeedInput = z.input<typeof seedSchema>;

/** A seed that cannot be used; the message names each place and what is wrong there. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
}

/** Checks a seed; throws SeedError with one line per fault. */
export function parseSeed(value: unknown, source = 'seed'): Seed {
  const parsed = seedSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => {
    const place = issue.path.length === 0 ? 'the top' : issue.path.join('.');
    const inner = issue.code === 'invalid_key' ? issue.issues[0] : undefined;
    return `  at ${place}: ${(inner ?? issue).message}`;
  });
  throw new SeedError(`${source} is no world:\n${lines.join('\n')}`, { cause: parsed.error });
}

/** Parses the text of a seed file; throws SeedError. */
export function readSeed(text: string, source: string): Seed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new SeedError(`${source} is not JSON: ${String(cause)}`, { cause });
  }
  return parseSeed(value, source);
}
