/** Answers of REST v2, strict: each one is checked before it is sent, so that the world cannot drift from the documented shapes. */
import { z } from 'zod';

const nullableText = z.string().nullable();
const instant = z.iso.datetime({ offset: true });
const level = z.enum(['NONE', 'LOW', 'MEDIUM', 'HIGH']);

const persistent = z.strictObject({ size: z.int().min(10), path: z.string() });
const mounts = z.strictObject({
  persistent: persistent.optional(),
  network: z
    .array(z.strictObject({ volumeId: z.string(), path: z.string() }))
    .max(1)
    .optional(),
});

const container = {
  image: z.string(),
  args: z.string(),
  // These two come with the October edition.
  cmd: z.array(z.string()).optional(),
  entrypoint: z.array(z.string()).optional(),
  disk: z.int().min(1),
  ports: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  registry: nullableText,
};

const sshEndpoint = z.strictObject({
  host: z.string(),
  port: z.int(),
  username: z.string(),
  command: z.string(),
});

const runtimePort = z.strictObject({
  private: z.int(),
  public: z.int().nullable(),
  type: z.string(),
  ip: nullableText,
});

const util = z.strictObject({ util: z.int() });
const runtime = z.strictObject({
  uptime: z.int().optional(),
  gpus: z.array(z.strictObject({ util: z.int(), memoryUtil: z.int() })).optional(),
  cpu: util.optional(),
  memory: util.optional(),
  ports: z.array(runtimePort).optional(),
});

export const podAnswer = z.strictObject({
  id: z.string(),
  name: z.string(),
  ...container,
  status: z.enum(['PROVISIONING', 'STARTING', 'RUNNING', 'EXITED', 'ERROR', 'TERMINATED']),
  actions: z.array(z.enum(['start', 'stop', 'restart', 'terminate'])),
  mounts,
  gpu: z
    .strictObject({
      id: z.string(),
      count: z.int().min(1),
      vcpuCount: z.number().optional(),
      memory: z.number().optional(),
    })
    .optional(),
  cpu: z.strictObject({ id: z.string(), vcpuCount: z.int().min(2), memory: z.int().min(1) }).optional(),
  cloud: z.enum(['SECURE', 'COMMUNITY']),
  dataCenterId: nullableText,
  cudaVersion: nullableText,
  ssh: z.strictObject({ proxy: sshEndpoint.nullable(), direct: sshEndpoint.nullable() }),
  template: nullableText,
  cost: z.number(),
  locked: z.boolean(),
  globalNetworking: z.strictObject({
    enabled: z.boolean(),
    ip: z.string().optional(),
    internalDns: z.string().optional(),
  }),
  runtime: runtime.nullable(),
  createdAt: instant,
  startedAt: instant.nullable(),
});
export type PodAnswer = z.infer<typeof podAnswer>;

/** Present in the October edition only. */
const pagination = z.strictObject({ nextCursor: nullableText, hasNextPage: z.boolean() }).optional();

export const podsAnswer = z.strictObject({ pods: z.array(podAnswer), pagination });
export const sshKeysAnswer = z.strictObject({ keys: z.array(z.string()) });

export const templateAnswer = z.strictObject({
  id: z.string(),
  name: z.string(),
  ...container,
  mounts: z.strictObject({ persistent: persistent.optional() }),
  serverless: z.boolean(),
  public: z.boolean(),
  category: z.enum(['CPU', 'NVIDIA', 'AMD']),
  startSsh: z.boolean(),
  startJupyter: z.boolean(),
  allowedCudaVersions: z.array(z.string()),
});
export type TemplateAnswer = z.infer<typeof templateAnswer>;
export const templatesAnswer = z.strictObject({ templates: z.array(templateAnswer), pagination });

export const volumeAnswer = z.strictObject({
  id: z.string(),
  name: z.string(),
  size: z.int().min(10).max(4096),
  dataCenter: z.string(),
  type: z.enum(['STANDARD', 'HIGH_PERFORMANCE']),
});
export const volumesAnswer = z.strictObject({ networkVolumes: z.array(volumeAnswer), pagination });

export const registryAnswer = z.strictObject({ id: z.string(), name: z.string() });
export const registriesAnswer = z.strictObject({ registries: z.array(registryAnswer), pagination });

const offer = z.strictObject({ id: z.string(), name: z.string(), availability: level });
export const gpuAnswer = z.strictObject({
  id: z.string(),
  name: z.string(),
  pool: nullableText,
  manufacturer: z.enum(['NVIDIA', 'AMD', 'UNKNOWN']),
  memory: z.int(),
  secure: z.boolean(),
  community: z.boolean(),
  price: z.strictObject({ secure: z.number(), community: z.number(), serverless: z.number().optional() }),
  maxCount: z.strictObject({ secure: z.int(), community: z.int() }),
  availability: level.optional(),
  dataCenters: z.array(offer).optional(),
  cudaVersions: z.array(z.strictObject({ version: z.string(), available: z.boolean() })).optional(),
});
export const gpusAnswer = z.strictObject({ gpus: z.array(gpuAnswer) });

export const cpuAnswer = z.strictObject({
  id: z.string(),
  name: z.string(),
  group: z.string(),
  vcpu: z.strictObject({ min: z.int(), max: z.int() }),
  ramGbPerVcpu: z.number(),
  price: z.strictObject({ securePerVcpu: z.number(), serverlessPerVcpu: z.number() }),
  availability: level.optional(),
  dataCenters: z.array(offer).optional(),
});
export const cpusAnswer = z.strictObject({ cpus: z.array(cpuAnswer) });

export const dataCenterAnswer = z.strictObject({
  id: z.string(),
  name: z.string(),
  region: z.enum(['NORTH_AMERICA', 'EUROPE', 'ASIA', 'OCEANIA']),
  globalNetwork: z.boolean(),
  networkVolumeTypes: z.array(z.enum(['STANDARD', 'HIGH_PERFORMANCE'])),
  compliance: z.array(z.string()),
  gpuAvailability: z.array(offer).optional(),
  cpuAvailability: z.array(offer).optional(),
});
export const dataCentersAnswer = z.strictObject({ dataCenters: z.array(dataCenterAnswer) });

const billed = { startTime: instant, endTime: instant };
const podAmounts = {
  totalAmount: z.number(),
  gpuAmount: z.number(),
  cpuAmount: z.number(),
  diskAmount: z.number(),
};
const volumeAmounts = {
  totalAmount: z.number(),
  standardAmount: z.number(),
  highPerformanceAmount: z.number(),
};
const query = { ...billed, bucketSize: z.enum(['hour', 'day', 'week', 'month', 'year']) };

export const podBillingAnswer = z.strictObject({
  records: z.array(z.strictObject({ ...billed, podId: z.string(), ...podAmounts })),
  metadata: z.strictObject({
    query: z.strictObject({ ...query, podId: z.string().optional() }),
    recordCount: z.int(),
    totals: z.strictObject(podAmounts),
    uniquePodCount: z.int(),
  }),
});

export const volumeBillingAnswer = z.strictObject({
  records: z.array(z.strictObject({ ...billed, networkVolumeId: z.string(), ...volumeAmounts })),
  metadata: z.strictObject({
    query: z.strictObject({ ...query, networkVolumeId: z.string().optional() }),
    recordCount: z.int(),
    totals: z.strictObject(volumeAmounts),
    uniqueNetworkVolumeCount: z.int(),
  }),
});
