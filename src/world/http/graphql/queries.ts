/** The queries: myself, pod, gpuTypes, dataCenters. */

import { peekFault } from '../../model/faults.ts';
import { spendRate } from '../../model/ledger.ts';
import { usd } from '../../model/rates.ts';
import { listedPods, seenPod } from '../../model/sight.ts';
import type { GpuKind, TemplateState, World } from '../../model/state.ts';
import { type Availability, availabilityOf, freeGpus } from '../../model/stock.ts';
import { podView } from './pod-view.ts';
import { type Context, needPodRight, unauthorized } from './refuse.ts';

const STOCK: Readonly<Record<Availability, string | null>> = {
  NONE: null,
  LOW: 'Low',
  MEDIUM: 'Medium',
  HIGH: 'High',
};

export function templateView(template: TemplateState) {
  return {
    id: template.id,
    name: template.name,
    imageName: template.image,
    containerDiskInGb: template.diskGb,
    volumeInGb: template.persistent?.sizeGb ?? 0,
    dockerArgs: template.args,
  };
}

/** The account; pods and the rest are resolved only when asked for. */
export function userView(context: Context) {
  const { world, lookout } = context;
  const { account } = world;
  const isBroke = peekFault(world.faults, 'zero-balance', { operation: 'account', podId: null }) !== null;
  const balance = isBroke ? 0 : usd(account.purse.micro);
  return {
    id: account.userId,
    email: account.email,
    pubKey: account.sshKeys.join('\n'),
    clientBalance: balance,
    currentSpendPerHr: usd(spendRate(world)),
    spendLimit: Math.round(usd(account.spendLimitMicro)),
    minBalance: 0,
    underBalance: balance <= 0,
    notifyPodsStale: true,
    notifyPodsGeneral: true,
    notifyLowBalance: true,
    networkVolumes: () =>
      [...world.volumes.values()].map(({ id, name, sizeGb, dataCenterId }) => ({
        id,
        name,
        size: sizeGb,
        dataCenterId,
      })),
    pods: () => listedPods(world).map((pod) => podView(world, pod, lookout)),
    podTemplates: () =>
      [...world.templates.values()].filter(({ source }) => source === 'own').map(templateView),
  };
}

interface LowestPriceInput {
  readonly gpuCount: number;
  readonly secureCloud?: boolean | null;
  readonly dataCenterId?: string | null;
}

function lowestPrice(world: World, kind: GpuKind, input: LowestPriceInput | null | undefined) {
  const count = input?.gpuCount ?? 1;
  const sites = world.catalog.dataCenters.filter(
    ({ id }) => input?.dataCenterId == null || id === input.dataCenterId,
  );
  const most = Math.max(0, ...sites.map(({ id }) => freeGpus(world, kind.id, id)));
  const max = kind.maxCount[input?.secureCloud === true ? 'SECURE' : 'COMMUNITY'];
  const level = count > max ? 'NONE' : availabilityOf(most, count);
  const price = input?.secureCloud === true ? kind.price.SECURE : kind.price.COMMUNITY;
  const isFree = level !== 'NONE';
  return {
    minimumBidPrice: isFree ? Math.round(price * 50) / 100 : null,
    uninterruptablePrice: isFree ? price : null,
    stockStatus: STOCK[level],
    availableGpuCounts: [1, 2, 4, 8].filter((n) => n <= most && n <= max),
    minVcpu: kind.vcpuPerGpu,
    minMemory: kind.ramPerGpuGb,
    maxGpuCount: max,
  };
}

function gpuTypeView(world: World, kind: GpuKind) {
  return {
    id: kind.id,
    displayName: kind.name,
    manufacturer: kind.manufacturer === 'NVIDIA' ? 'Nvidia' : kind.manufacturer,
    memoryInGb: kind.memoryGb,
    cudaCores: 0,
    maxGpuCount: kind.maxCount.SECURE,
    secureCloud: kind.maxCount.SECURE > 0,
    communityCloud: kind.maxCount.COMMUNITY > 0,
    securePrice: kind.price.SECURE,
    communityPrice: kind.price.COMMUNITY,
    oneMonthPrice: null,
    threeMonthPrice: null,
    oneWeekPrice: null,
    communitySpotPrice: Math.round(kind.price.COMMUNITY * 50) / 100,
    secureSpotPrice: Math.round(kind.price.SECURE * 50) / 100,
    lowestPrice: ({ input }: { input?: LowestPriceInput | null }) => lowestPrice(world, kind, input),
  };
}

export const queries = {
  /** null for a caller without a key: that is not "no pods". */
  myself(_args: object, context: Context) {
    const { access } = context;
    if (access.kind === 'anonymous') return null;
    if (access.kind !== 'account') throw unauthorized();
    return userView(context);
  },

  pod({ input }: { input?: { podId?: string | null } | null }, context: Context) {
    if (context.access.kind === 'anonymous') return null;
    const podId = input?.podId ?? '';
    needPodRight(context, podId, 'read');
    const pod = seenPod(context.world, podId);
    return pod === null ? null : podView(context.world, pod, context.lookout);
  },

  gpuTypes({ input }: { input?: { id?: string | null; ids?: string[] | null } | null }, { world }: Context) {
    const wanted = input?.ids ?? (input?.id == null ? null : [input.id]);
    const kinds = world.catalog.gpus.filter(({ id }) => wanted === null || wanted.includes(id));
    return kinds.map((kind) => gpuTypeView(world, kind));
  },

  dataCenters(_args: object, { world }: Context) {
    return world.catalog.dataCenters.map(({ id, name, country }) => ({
      id,
      name,
      location: country,
      gpuAvailability: world.catalog.gpus.map((kind) => {
        const level = availabilityOf(freeGpus(world, kind.id, id), 1);
        const available = level !== 'NONE';
        return { gpuTypeId: kind.id, displayName: kind.name, stockStatus: STOCK[level], available };
      }),
    }));
  },
};
