/** Request bodies of REST v2, strict: the August 2026 document plus the later fields `cmd`, `entrypoint`, `minRamPerGpu`, `minVcpuCountPerGpu`. */
import { z } from 'zod';

const cuda = z.string().regex(/^\d+\.\d+$/);
const text = z.string().min(1);

const container = {
  image: z.string().optional(),
  args: z.string().optional(),
  cmd: z.array(z.string()).optional(),
  entrypoint: z.array(z.string()).optional(),
  disk: z.int().min(1).optional(),
  env: z.record(z.string(), z.string()).optional(),
  ports: z.array(z.string()).optional(),
  registry: z.string().nullable().optional(),
};

const persistentMount = z.strictObject({ size: z.int().min(10), path: z.string() });
const networkMount = z.strictObject({ volumeId: z.string(), path: z.string() });
const mounts = z.strictObject({
  persistent: persistentMount.optional(),
  network: z.array(networkMount).max(1).optional(),
});
export type MountsBody = z.infer<typeof mounts>;

const createGpu = z.strictObject({
  id: z.string(),
  count: z.int().min(1).optional(),
  allowedCudaVersions: z.array(cuda).optional(),
  minCudaVersion: cuda.optional(),
  minRamPerGpu: z.int().min(1).optional(),
  minVcpuCountPerGpu: z.int().min(1).optional(),
});

const createCpu = z.strictObject({ id: text, vcpuCount: z.int().min(2) });

export const createPodBody = z
  .strictObject({
    name: text,
    ...container,
    cloud: z.enum(['SECURE', 'COMMUNITY']).default('SECURE'),
    cpu: createCpu.optional(),
    dataCenterIds: z.array(z.string()).optional(),
    globalNetworking: z.boolean().default(false),
    gpu: createGpu.optional(),
    mounts: mounts.optional(),
    startJupyter: z.boolean().optional(),
    startSsh: z.boolean().optional(),
    templateId: text.optional(),
  })
  .superRefine((body, context) => {
    if (body.templateId === undefined && body.image === undefined) {
      context.addIssue({ code: 'custom', path: ['image'], message: 'missing' });
    }
  });
export type CreatePodBody = z.infer<typeof createPodBody>;

export const updatePodBody = z.strictObject({
  ...container,
  globalNetworking: z.boolean().optional(),
  locked: z.boolean().optional(),
  mounts: mounts.optional(),
  name: text.optional(),
  templateId: z.string().optional(),
});

export const podActionBody = z.strictObject({ action: z.enum(['start', 'stop', 'restart', 'terminate']) });

export const sshKeysBody = z.strictObject({
  keys: z.array(z.string().regex(/^(ssh|ecdsa|sk)-[^\s]+ [^\s]+([ \t][^\n\r]*)?$/)),
});

const template = {
  ...container,
  allowedCudaVersions: z.array(cuda).optional(),
  category: z.enum(['CPU', 'NVIDIA', 'AMD']).optional(),
  mounts: z.strictObject({ persistent: persistentMount.optional() }).optional(),
  public: z.boolean().optional(),
  serverless: z.boolean().optional(),
  startJupyter: z.boolean().optional(),
  startSsh: z.boolean().optional(),
};

export const createTemplateBody = z.strictObject({ ...template, name: text, image: z.string() });
export const updateTemplateBody = z.strictObject({ ...template, name: text.optional() });

const volumeSize = z.int().min(10).max(4096);
const volumeType = z.enum(['STANDARD', 'HIGH_PERFORMANCE']);

export const createVolumeBody = z.strictObject({
  name: text,
  size: volumeSize,
  dataCenter: text,
  type: volumeType.optional(),
});

export const updateVolumeBody = z
  .strictObject({ name: text.optional(), size: volumeSize.optional() })
  .refine((body) => Object.keys(body).length > 0, { message: 'minProperties: got 0, want 1' });

export const createRegistryBody = z.strictObject({ name: text, username: text, password: text });
