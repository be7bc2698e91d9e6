/** /v2/catalog: GPU types, CPU flavours and data centers, with availability where it is asked for. */
import { notFound } from '../../model/outcome.ts';
import type { CpuKind, DataCenterKind, GpuKind, World } from '../../model/state.ts';
import { type Availability, availabilityOf, freeGpus, isCudaAtLeast } from '../../model/stock.ts';
import { checkQuery } from '../body-check.ts';
import { type Call, idOf, type Route } from '../call.ts';
import { json, type Reply, refusal } from '../reply.ts';
import {
  cpuAnswer,
  cpusAnswer,
  dataCenterAnswer,
  dataCentersAnswer,
  gpuAnswer,
  gpusAnswer,
} from './answers.ts';
import {
  type CpuQuery,
  cpuQueryIn,
  type DataCenterQuery,
  dataCenterQuery,
  type GpuQuery,
  gpuQueryIn,
} from './catalog-query.ts';

interface Offer {
  readonly id: string;
  readonly name: string;
  readonly availability: Availability;
}

const LEVELS: readonly Availability[] = ['NONE', 'LOW', 'MEDIUM', 'HIGH'];

function best(offers: readonly Offer[]): Availability {
  return LEVELS[Math.max(0, ...offers.map(({ availability }) => LEVELS.indexOf(availability)))] ?? 'NONE';
}

function cudaFits(version: string, asked: GpuQuery): boolean {
  if (asked.cudaVersions !== undefined) return asked.cudaVersions.includes(version);
  return asked.minCudaVersion === undefined || isCudaAtLeast(version, asked.minCudaVersion);
}

function gpuAvailability(world: World, kind: GpuKind, asked: GpuQuery) {
  const count = asked.count ?? 1;
  const fits = count <= kind.maxCount[asked.cloud ?? 'SECURE'];
  const versions = kind.cudaVersions.filter((version) => cudaFits(version, asked));
  const offers = world.catalog.dataCenters
    .filter(({ country }) => asked.countryCodes?.includes(country) ?? true)
    .map(({ id, name }) => ({ id, name, availability: availabilityOf(freeGpus(world, kind.id, id), count) }))
    .filter(({ availability }) => fits && versions.length > 0 && availability !== 'NONE');
  const availability = best(offers);
  const cudaVersions = versions.map((version) => ({ version, available: availability !== 'NONE' }));
  // An empty list of data centers is left out, not sent empty.
  return offers.length === 0
    ? { availability, cudaVersions }
    : { availability, dataCenters: offers, cudaVersions };
}

function gpuTold(world: World, kind: GpuKind, asked: GpuQuery) {
  const { serverlessPrice } = kind;
  return {
    id: kind.id,
    name: kind.name,
    pool: kind.pool,
    manufacturer: kind.manufacturer,
    memory: kind.memoryGb,
    secure: kind.maxCount.SECURE > 0,
    community: kind.maxCount.COMMUNITY > 0,
    price: {
      secure: kind.price.SECURE,
      community: kind.price.COMMUNITY,
      ...(serverlessPrice === null ? {} : { serverless: serverlessPrice }),
    },
    maxCount: { secure: kind.maxCount.SECURE, community: kind.maxCount.COMMUNITY },
    ...(asked.include === undefined ? {} : gpuAvailability(world, kind, asked)),
  };
}

function listGpus(call: Call): Reply {
  const asked = gpuQueryIn(call.request.query);
  if (!asked.ok) return asked.reply;
  const told = call.world.catalog.gpus.map((kind) => gpuTold(call.world, kind, asked.value));
  // With a country filter a type that has no site there drops out of the list.
  const isNarrowed = asked.value.countryCodes !== undefined;
  return json(200, { gpus: told.filter((gpu) => !isNarrowed || 'dataCenters' in gpu) });
}

function getGpu(call: Call): Reply {
  const kind = call.world.catalog.gpus.find(({ id }) => id === idOf(call));
  if (kind === undefined) return refusal(notFound());
  const asked = gpuQueryIn(call.request.query);
  return asked.ok ? json(200, gpuTold(call.world, kind, asked.value)) : asked.reply;
}

function cpuTold(world: World, kind: CpuKind, asked: CpuQuery) {
  const dataCenters = world.catalog.dataCenters.map(({ id, name }) => ({ id, name, availability: 'HIGH' }));
  return {
    id: kind.id,
    name: kind.name,
    group: kind.group,
    vcpu: kind.vcpu,
    ramGbPerVcpu: kind.ramGbPerVcpu,
    price: { securePerVcpu: kind.pricePerVcpu, serverlessPerVcpu: kind.serverlessPricePerVcpu },
    ...(asked.include === undefined ? {} : { availability: 'HIGH', dataCenters }),
  };
}

function listCpus(call: Call): Reply {
  const asked = cpuQueryIn(call.request.query);
  if (!asked.ok) return asked.reply;
  return json(200, { cpus: call.world.catalog.cpus.map((kind) => cpuTold(call.world, kind, asked.value)) });
}

function getCpu(call: Call): Reply {
  const kind = call.world.catalog.cpus.find(({ id }) => id === idOf(call));
  if (kind === undefined) return refusal(notFound());
  const asked = cpuQueryIn(call.request.query);
  return asked.ok ? json(200, cpuTold(call.world, kind, asked.value)) : asked.reply;
}

function centerTold(world: World, center: DataCenterKind, asked: DataCenterQuery) {
  const { country: _country, ...shown } = center;
  const gpus = world.catalog.gpus.map(({ id, name }) => ({
    id,
    name,
    availability: availabilityOf(freeGpus(world, id, center.id), 1),
  }));
  const cpus = world.catalog.cpus.map(({ id, name }) => ({ id, name, availability: 'HIGH' }));
  return {
    ...shown,
    ...(asked.include?.includes('GPU_AVAILABILITY') === true ? { gpuAvailability: gpus } : {}),
    ...(asked.include?.includes('CPU_AVAILABILITY') === true ? { cpuAvailability: cpus } : {}),
  };
}

function centerFits(center: DataCenterKind, asked: DataCenterQuery): boolean {
  if (asked.regions !== undefined && !asked.regions.includes(center.region)) return false;
  if (asked.networkVolumeTypes?.every((type) => center.networkVolumeTypes.includes(type)) === false)
    return false;
  if (asked.compliance?.every((word) => center.compliance.includes(word)) === false) return false;
  return asked.globalNetwork === undefined || String(center.globalNetwork) === asked.globalNetwork;
}

function listCenters(call: Call): Reply {
  const asked = checkQuery(dataCenterQuery, call.request.query);
  if (!asked.ok) return asked.reply;
  const fitting = call.world.catalog.dataCenters.filter((center) => centerFits(center, asked.value));
  return json(200, { dataCenters: fitting.map((center) => centerTold(call.world, center, asked.value)) });
}

function getCenter(call: Call): Reply {
  const center = call.world.catalog.dataCenters.find(({ id }) => id === idOf(call));
  if (center === undefined) return refusal(notFound());
  const asked = checkQuery(dataCenterQuery, call.request.query);
  return asked.ok ? json(200, centerTold(call.world, center, asked.value)) : asked.reply;
}

const row = { method: 'GET', operation: 'catalog' } as const;
const base = '/v2/catalog';

export const catalogRoutes: readonly Route[] = [
  { ...row, path: `${base}/gpus`, answer: gpusAnswer, handle: listGpus },
  { ...row, path: `${base}/gpus/{id}`, answer: gpuAnswer, handle: getGpu },
  { ...row, path: `${base}/cpus`, answer: cpusAnswer, handle: listCpus },
  { ...row, path: `${base}/cpus/{id}`, answer: cpuAnswer, handle: getCpu },
  { ...row, path: `${base}/datacenters`, answer: dataCentersAnswer, handle: listCenters },
  { ...row, path: `${base}/datacenters/{id}`, answer: dataCenterAnswer, handle: getCenter },
];
