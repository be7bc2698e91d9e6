/** What somebody asks for when renting a pod, the same for every API, and how a template fills it in. */

import type { Outcome } from './outcome.ts';
import { done, notFound, refused } from './outcome.ts';
import type { Cloud, Compute, Mount } from './pod-state.ts';
import type { TemplateState, World } from './state.ts';

/** A rental as asked for; undefined = not given. */
export interface PodWish {
  readonly name: string;
  readonly image?: string | undefined;
  readonly compute: WishedCompute;
  readonly clouds: readonly Cloud[];
  readonly dataCenterIds: readonly string[];
  readonly diskGb?: number | undefined;
  readonly mounts: readonly Mount[];
  readonly ports?: readonly string[] | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly args?: string | undefined;
  readonly cmd?: readonly string[] | undefined;
  readonly entrypoint?: readonly string[] | undefined;
  readonly registryId?: string | null | undefined;
  readonly startSsh?: boolean | undefined;
  readonly startJupyter?: boolean | undefined;
  readonly globalNetworking: boolean;
  readonly templateId?: string | undefined;
}

/** The machine asked for; a GPU count of null means that none was sent. */
export type WishedCompute =
  | {
      readonly kind: 'gpu';
      readonly id: string;
      readonly count: number | null;
      readonly minCuda: string | null;
      readonly allowedCuda: readonly string[] | null;
      readonly minRamPerGpu: number;
      readonly minVcpuPerGpu: number;
    }
  | { readonly kind: 'cpu'; readonly id: string; readonly vcpuCount: number };

/** The wish with everything settled that a template or a default can settle. */
export interface SettledWish extends PodWish {
  readonly image: string;
  readonly diskGb: number | undefined;
  readonly ports: readonly string[];
  readonly args: string;
  readonly registryId: string | null;
  readonly startSsh: boolean;
  readonly startJupyter: boolean;
}

/** Without a GPU type of that name no compute can be settled. */
export function settledCompute(world: World, wish: WishedCompute): Compute | null {
  if (wish.kind === 'gpu') return { kind: 'gpu', id: wish.id, count: wish.count ?? 1 };
  const flavor = world.catalog.cpus.find(({ id }) => id === wish.id);
  if (flavor === undefined) return null;
  const memoryGb = Math.round(flavor.ramGbPerVcpu * wish.vcpuCount);
  return { kind: 'cpu', id: wish.id, vcpuCount: wish.vcpuCount, memoryGb };
}

function templateMounts(template: TemplateState, wish: PodWish): readonly Mount[] {
  // CPU pods do not inherit a persistent mount, and a mount of one's own wins.
  if (wish.mounts.length > 0 || wish.compute.kind === 'cpu' || template.persistent === null) {
    return wish.mounts;
  }
  return [{ kind: 'persistent', ...template.persistent }];
}

function templateCompute(template: TemplateState, compute: WishedCompute): WishedCompute {
  if (compute.kind === 'cpu' || compute.minCuda !== null || compute.allowedCuda !== null) return compute;
  return { ...compute, allowedCuda: template.allowedCudaVersions };
}

/** Expands the template once; what the body says wins, env is merged per key. */
export function withTemplate(world: World, wish: PodWish): Outcome<SettledWish> {
  const template = wish.templateId === undefined ? null : (world.templates.get(wish.templateId) ?? undefined);
  if (template === undefined) return notFound();
  if (template?.serverless === true) {
    return refused('unprocessable', 'templateId must not reference a serverless template');
  }
  return done({
    ...wish,
    image: wish.image ?? template?.image ?? '',
    compute: template === null ? wish.compute : templateCompute(template, wish.compute),
    mounts: template === null ? wish.mounts : templateMounts(template, wish),
    diskGb: wish.diskGb ?? template?.diskGb,
    ports: wish.ports ?? template?.ports ?? [],
    env: { ...template?.env, ...wish.env },
    args: wish.args ?? template?.args ?? '',
    cmd: wish.cmd ?? template?.cmd ?? undefined,
    entrypoint: wish.entrypoint ?? template?.entrypoint ?? undefined,
    registryId: wish.registryId === undefined ? (template?.registryId ?? null) : wish.registryId,
    startSsh: wish.startSsh ?? template?.startSsh ?? false,
    startJupyter: wish.startJupyter ?? template?.startJupyter ?? false,
  });
}
