/** Request bodies about pods, turned into the model's words. */
import type { z } from 'zod';
import type { PodChangeWish } from '../../model/act-on-pod.ts';
import { done, type Outcome, rule } from '../../model/outcome.ts';
import type { Mount } from '../../model/pod-state.ts';
import type { PodWish, WishedCompute } from '../../model/pod-wish.ts';
import type { TemplateState } from '../../model/state.ts';
import type { CreatePodBody, MountsBody, updatePodBody } from './requests.ts';

/** All mounts of a body; more than one is the model's to refuse. */
export function mountsIn(mounts: MountsBody | undefined): Mount[] {
  const found: Mount[] = [];
  if (mounts?.persistent !== undefined) {
    found.push({ kind: 'persistent', sizeGb: mounts.persistent.size, path: mounts.persistent.path });
  }
  for (const { volumeId, path } of mounts?.network ?? []) found.push({ kind: 'network', volumeId, path });
  return found;
}

function computeIn(body: CreatePodBody): WishedCompute | null {
  const { gpu, cpu } = body;
  if ((gpu === undefined) === (cpu === undefined)) return null;
  if (cpu !== undefined) return { kind: 'cpu', id: cpu.id, vcpuCount: cpu.vcpuCount };
  return {
    kind: 'gpu',
    id: gpu?.id ?? '',
    count: gpu?.count ?? null,
    minCuda: gpu?.minCudaVersion ?? null,
    allowedCuda: gpu?.allowedCudaVersions ?? null,
    minRamPerGpu: gpu?.minRamPerGpu ?? 0,
    minVcpuPerGpu: gpu?.minVcpuCountPerGpu ?? 0,
  };
}

export function podWishIn(body: CreatePodBody): Outcome<PodWish> {
  const compute = computeIn(body);
  if (compute === null) return rule('exactly one of gpu or cpu must be set');
  return done({
    name: body.name,
    image: body.image,
    compute,
    clouds: [body.cloud],
    dataCenterIds: body.dataCenterIds ?? [],
    diskGb: body.disk,
    mounts: mountsIn(body.mounts),
    ports: body.ports,
    env: body.env ?? {},
    args: body.args,
    cmd: body.cmd,
    entrypoint: body.entrypoint,
    registryId: body.registry,
    startSsh: body.startSsh,
    startJupyter: body.startJupyter,
    globalNetworking: body.globalNetworking,
    templateId: body.templateId,
  });
}

/** `template` null = none named. What the body says wins; mounts of a template are not applied on update. */
export function podChangeIn(
  body: z.infer<typeof updatePodBody>,
  template: TemplateState | null,
): Outcome<PodChangeWish> {
  if (body.mounts?.network?.length === 0) return rule('mounts.network must not be empty');
  const mounts = mountsIn(body.mounts);
  if (mounts.length > 1) return rule('mounts.persistent and mounts.network are mutually exclusive');
  const env = template === null && body.env === undefined ? undefined : { ...template?.env, ...body.env };
  return done({
    name: body.name,
    image: body.image ?? template?.image,
    args: body.args ?? template?.args,
    cmd: body.cmd ?? template?.cmd ?? undefined,
    entrypoint: body.entrypoint ?? template?.entrypoint ?? undefined,
    diskGb: body.disk ?? template?.diskGb,
    ports: body.ports ?? template?.ports,
    env,
    registryId: body.registry === undefined ? template?.registryId : body.registry,
    mount: mounts[0],
    locked: body.locked,
    globalNetworking: body.globalNetworking,
  });
}
