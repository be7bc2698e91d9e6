/** Shapes of RunPod's answers, as far as podtrack reads them; unknown fields fall away. See docs/facts/runpod.md. */
import { z } from 'zod';
import { podId } from '../../domain/pod.ts';
import { isHostText } from './address.ts';
import { lenient, microUsd, percent, stampOnly, time } from './values.ts';

const shortText = z.string().max(512);
const count = z.number().int().min(0).max(1024);
const portNumber = z.number().int().min(1).max(65_535);
const host = z.string().refine(isHostText);

const direct = z.object({
  host,
  port: portNumber,
  username: lenient(z.string().regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/)).optional(),
});

const runtimePort = z.object({
  private: portNumber,
  public: lenient(portNumber),
  type: lenient(z.string()),
  ip: lenient(host),
});

const runtime = z.object({
  uptime: lenient(z.number().min(0)),
  gpus: lenient(z.array(z.object({ util: percent, memoryUtil: percent }))),
  cpu: lenient(z.object({ util: percent })),
  ports: lenient(z.array(lenient(runtimePort)).transform((ports) => ports.filter((port) => port !== null))),
});

/** Id, name and status are what a pod is; without them an item is malformed. The rest is known or not. */
export const podV2 = z.object({
  id: podId,
  name: shortText,
  status: shortText.min(1),
  createdAt: time,
  startedAt: time,
  env: stampOnly,
  locked: z.boolean().catch(false),
  cost: lenient(microUsd),
  gpu: lenient(z.object({ id: shortText, count })),
  cpu: lenient(z.object({ id: shortText })),
  dataCenterId: lenient(shortText),
  ports: lenient(z.array(z.string())),
  mounts: lenient(
    z.object({
      persistent: lenient(z.object({ path: shortText })),
      network: lenient(z.array(z.object({ volumeId: shortText, path: shortText }))),
    }),
  ),
  ssh: lenient(z.object({ proxy: lenient(z.object({})), direct: lenient(direct) })),
  runtime: lenient(runtime),
});
export type PodV2 = z.infer<typeof podV2>;

/** The retired v1: intent in place of status, one address for the machine, ports by mapping, no telemetry. */
export const podV1 = z.object({
  id: podId,
  name: shortText,
  desiredStatus: shortText.min(1),
  createdAt: time,
  lastStartedAt: time,
  env: stampOnly,
  locked: z.boolean().catch(false),
  costPerHr: lenient(microUsd),
  gpu: lenient(z.object({ id: shortText, count })),
  gpuCount: lenient(count),
  machine: lenient(z.object({ dataCenterId: lenient(shortText), gpuTypeId: lenient(shortText) })),
  cpuFlavorId: lenient(shortText),
  ports: lenient(z.union([z.array(z.string()), z.string().transform((text) => text.split(','))])),
  portMappings: lenient(z.record(z.string(), portNumber)),
  publicIp: lenient(host),
  volumeMountPath: lenient(shortText),
  networkVolume: lenient(z.object({ id: shortText })),
  networkVolumeId: lenient(shortText),
});
export type PodV1 = z.infer<typeof podV1>;

const pagination = z.object({ nextCursor: z.string().min(1).nullable(), hasNextPage: z.boolean() });

/** No error told: the fields that tell of one are absent or empty. */
const noError = { error: z.null().optional(), errors: z.tuple([]).nullish() };

/** What a 2xx to a write may say; a list, a text or a failure is none of it. */
export const harmlessBody = z.object({ ...noError, success: z.literal(true).optional() });

/** A page of pods: v1's bare array, v2's object, or v2's object with a cursor. */
export const podPage = z.union([
  z.array(z.unknown()).transform((items) => ({ items, next: null, more: false })),
  z
    .object({
      pods: z.array(z.unknown()),
      pagination: pagination.nullish(),
      ...noError,
    })
    .transform(({ pods, pagination: page }) => ({
      items: pods,
      next: page?.nextCursor ?? null,
      more: page?.hasNextPage ?? false,
    })),
]);
export type PodPage = z.infer<typeof podPage>;

/** RFC 9457, as REST v2 answers errors. */
export const problem = z.object({
  title: z.string().min(1),
  detail: z.string().min(1),
  status: z.number().int().optional(),
  errors: lenient(z.array(z.string())).optional(),
});
export type Problem = z.infer<typeof problem>;

/** REST v1 and gateways: `{error}` or `{message}`. */
export const plainError = z.union([
  z.object({ error: z.string().min(1) }).transform((body) => body.error),
  z.object({ message: z.string().min(1) }).transform((body) => body.message),
]);

export const graphqlBody = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z
    .array(
      z.object({
        message: z.string(),
        extensions: lenient(z.object({ code: lenient(z.string()) })).optional(),
      }),
    )
    .nullish(),
});

export const myself = z.object({
  id: shortText.min(1),
  clientBalance: microUsd,
  currentSpendPerHr: microUsd,
});

export const logEvent = z.object({ line: z.string(), source: z.string().optional() });
