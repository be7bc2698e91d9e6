/** The query parameters of the catalog: what they may say, and which of them need `include=AVAILABILITY`. */
import { z } from 'zod';
import { type Checked, checkQuery } from '../body-check.ts';
import { problem } from '../reply.ts';

const listOf = <Item extends string>(item: z.ZodType<Item, string>) =>
  z
    .string()
    .transform((text) => text.split(',').filter((word) => word !== ''))
    .pipe(z.array(item))
    .optional();

const include = listOf(z.enum(['AVAILABILITY']));

const gpuQuery = z.object({
  include,
  product: listOf(z.enum(['POD', 'CLUSTER', 'SERVERLESS'])),
  count: z.coerce.number().int().min(1).optional(),
  cloud: z.enum(['SECURE', 'COMMUNITY']).optional(),
  countryCodes: listOf(z.string().regex(/^[A-Z]{2}$/)),
  cudaVersions: listOf(z.string().regex(/^\d+\.\d+$/)),
  minCudaVersion: z
    .string()
    .regex(/^\d+(\.\d+)?$/)
    .optional(),
});
export type GpuQuery = z.infer<typeof gpuQuery>;

const cpuQuery = z.object({
  include,
  product: listOf(z.enum(['POD', 'SERVERLESS'])),
  vcpuCount: z.coerce.number().int().min(2).optional(),
});
export type CpuQuery = z.infer<typeof cpuQuery>;

export const dataCenterQuery = z.object({
  include: listOf(z.enum(['GPU_AVAILABILITY', 'CPU_AVAILABILITY'])),
  regions: listOf(
    z.enum([
      'NORTH_AMERICA',
      'SOUTH_AMERICA',
      'EUROPE',
      'ASIA',
      'MIDDLE_EAST',
      'AFRICA',
      'OCEANIA',
      'ANTARCTICA',
      'UNKNOWN',
    ]),
  ),
  networkVolumeTypes: listOf(z.enum(['STANDARD', 'HIGH_PERFORMANCE'])),
  compliance: listOf(z.string().regex(/^[A-Z0-9_]+$/)),
  globalNetwork: z.enum(['true', 'false']).optional(),
});
export type DataCenterQuery = z.infer<typeof dataCenterQuery>;

function ruleBroken(
  asked: { include?: readonly string[] | undefined; product?: readonly string[] | undefined },
  filters: readonly unknown[],
): string | null {
  const wantsAvailability = (asked.include ?? []).length > 0;
  if (wantsAvailability && (asked.product ?? []).length === 0) {
    return 'include=AVAILABILITY requires product';
  }
  const isFiltered = [asked.product, ...filters].some((filter) => filter !== undefined);
  return !wantsAvailability && isFiltered ? 'availability filters require include=AVAILABILITY' : null;
}

export function gpuQueryIn(query: URLSearchParams): Checked<GpuQuery> {
  const asked = checkQuery(gpuQuery, query);
  if (!asked.ok) return asked;
  const { count, cloud, countryCodes, cudaVersions, minCudaVersion } = asked.value;
  let broken = ruleBroken(asked.value, [count, cloud, countryCodes, cudaVersions, minCudaVersion]);
  if (cudaVersions !== undefined && minCudaVersion !== undefined) {
    broken ??= 'cudaVersions and minCudaVersion are mutually exclusive';
  }
  return broken === null ? asked : { ok: false, reply: problem(400, broken) };
}

export function cpuQueryIn(query: URLSearchParams): Checked<CpuQuery> {
  const asked = checkQuery(cpuQuery, query);
  if (!asked.ok) return asked;
  let broken = ruleBroken(asked.value, [asked.value.vcpuCount]);
  const { vcpuCount } = asked.value;
  if (vcpuCount !== undefined && !Number.isInteger(Math.log2(vcpuCount))) {
    broken ??= 'vcpuCount must be a power of two';
  }
  return broken === null ? asked : { ok: false, reply: problem(400, broken) };
}
