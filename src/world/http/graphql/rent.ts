/** Renting over GraphQL: its input in the model's words. `terminateAfter` and `stopAfter` are taken and forgotten, as on the real API. */
import type { Mount } from '../../model/pod-state.ts';
import type { PodWish, WishedCompute } from '../../model/pod-wish.ts';

type Given<T> = T | null | undefined;

export interface RentInput {
  readonly name?: Given<string>;
  readonly imageName?: Given<string>;
  readonly cloudType?: Given<'ALL' | 'SECURE' | 'COMMUNITY'>;
  readonly containerDiskInGb?: Given<number>;
  readonly containerRegistryAuthId?: Given<string>;
  readonly dataCenterId?: Given<string>;
  readonly dockerArgs?: Given<string>;
  readonly env?: Given<readonly { readonly key: string; readonly value: string }[]>;
  readonly networkVolumeId?: Given<string>;
  readonly ports?: Given<string>;
  readonly startJupyter?: Given<boolean>;
  readonly startSsh?: Given<boolean>;
  readonly templateId?: Given<string>;
  readonly volumeInGb?: Given<number>;
  readonly volumeMountPath?: Given<string>;
}

export interface RentGpuInput extends RentInput {
  readonly allowedCudaVersions?: Given<readonly string[]>;
  readonly gpuCount?: Given<number>;
  readonly gpuTypeId?: Given<string>;
  readonly gpuTypeIdList?: Given<readonly string[]>;
  readonly minCudaVersion?: Given<string>;
}

const FALLBACK_PATH = '/workspace';

function mountsIn(input: RentInput): Mount[] {
  const path = input.volumeMountPath ?? FALLBACK_PATH;
  if (input.networkVolumeId != null) return [{ kind: 'network', volumeId: input.networkVolumeId, path }];
  const sizeGb = input.volumeInGb ?? 0;
  return sizeGb > 0 ? [{ kind: 'persistent', sizeGb, path }] : [];
}

/** "22/tcp,8888/http" as a list. */
export function portsIn(text: Given<string>): string[] {
  return (text ?? '').split(',').flatMap((port) => (port.trim() === '' ? [] : [port.trim()]));
}

function wishWith(input: RentInput, compute: WishedCompute): PodWish {
  const { cloudType } = input;
  return {
    name: input.name ?? 'pod',
    image: input.imageName ?? undefined,
    compute,
    clouds: cloudType == null || cloudType === 'ALL' ? ['SECURE', 'COMMUNITY'] : [cloudType],
    dataCenterIds: input.dataCenterId == null ? [] : [input.dataCenterId],
    diskGb: input.containerDiskInGb ?? undefined,
    mounts: mountsIn(input),
    ports: input.ports == null ? undefined : portsIn(input.ports),
    env: Object.fromEntries((input.env ?? []).map(({ key, value }) => [key, value])),
    args: input.dockerArgs ?? undefined,
    registryId: input.containerRegistryAuthId ?? undefined,
    startSsh: input.startSsh ?? undefined,
    startJupyter: input.startJupyter ?? undefined,
    globalNetworking: false,
    templateId: input.templateId ?? undefined,
  };
}

/** One wish per GPU type named, in the order of preference. */
export function gpuWishes(input: RentGpuInput): PodWish[] {
  const ids = input.gpuTypeIdList ?? (input.gpuTypeId == null ? [] : [input.gpuTypeId]);
  return ids.map((id) =>
    wishWith(input, {
      kind: 'gpu',
      id,
      count: input.gpuCount ?? 1,
      minCuda: input.minCudaVersion ?? null,
      allowedCuda: input.allowedCudaVersions ?? null,
      minRamPerGpu: 0,
      minVcpuPerGpu: 0,
    }),
  );
}

/** An instance id reads flavour-vCPUs-GB, e.g. "cpu3g-2-8"; null = it does not. */
export function cpuWish(input: RentInput & { readonly instanceId: string }): PodWish | null {
  const found = /^(cpu\w+)-(\d+)-(\d+)$/.exec(input.instanceId);
  if (found === null) return null;
  return wishWith(input, { kind: 'cpu', id: found[1] ?? '', vcpuCount: Number(found[2]) });
}
