/** A small catalog to start with: a handful of GPU types, CPU flavours and data centers with prices like the real ones. */
import type { Catalog, CpuKind, DataCenterKind, GpuKind } from './state.ts';

const CUDA = ['12.4', '12.6', '12.8'] as const;

interface GpuRow {
  readonly id: string;
  readonly name: string;
  readonly pool: string;
  readonly memoryGb: number;
  readonly secure: number;
  readonly community: number;
  readonly serverless: number;
  readonly ramPerGpuGb: number;
}

const GPU_ROWS: readonly GpuRow[] = [
  {
    id: 'NVIDIA GeForce RTX 4090',
    name: 'RTX 4090',
    pool: 'ADA_24',
    memoryGb: 24,
    secure: 0.69,
    community: 0.34,
    serverless: 1.1,
    ramPerGpuGb: 62,
  },
  {
    id: 'NVIDIA A40',
    name: 'A40',
    pool: 'AMPERE_48',
    memoryGb: 48,
    secure: 0.4,
    community: 0.35,
    serverless: 1.22,
    ramPerGpuGb: 50,
  },
  {
    id: 'NVIDIA RTX 4000 Ada Generation',
    name: 'RTX 4000 Ada',
    pool: 'ADA_24',
    memoryGb: 20,
    secure: 0.26,
    community: 0.2,
    serverless: 0.69,
    ramPerGpuGb: 50,
  },
  {
    id: 'NVIDIA L4',
    name: 'L4',
    pool: 'ADA_24',
    memoryGb: 24,
    secure: 0.39,
    community: 0.32,
    serverless: 0.69,
    ramPerGpuGb: 50,
  },
  {
    id: 'NVIDIA A100 80GB PCIe',
    name: 'A100 PCIe',
    pool: 'AMPERE_80',
    memoryGb: 80,
    secure: 1.39,
    community: 1.19,
    serverless: 2.72,
    ramPerGpuGb: 117,
  },
  {
    id: 'NVIDIA H100 80GB HBM3',
    name: 'H100 SXM',
    pool: 'ADA_80_PRO',
    memoryGb: 80,
    secure: 2.69,
    community: 2.59,
    serverless: 4.18,
    ramPerGpuGb: 125,
  },
];

const CPUS: readonly CpuKind[] = [
  cpu('cpu3c', 'Compute-Optimized', 'Gen 3', { ram: 2, price: 0.03 }),
  cpu('cpu3g', 'General Purpose', 'Gen 3', { ram: 4, price: 0.04 }),
  cpu('cpu3m', 'Memory-Optimized', 'Gen 3', { ram: 8, price: 0.06 }),
  cpu('cpu5c', 'Compute-Optimized', 'Gen 5', { ram: 2, price: 0.035 }),
  cpu('cpu5g', 'General Purpose', 'Gen 5', { ram: 4, price: 0.05 }),
];

const CENTERS: readonly DataCenterKind[] = [
  center('EU-RO-1', 'EU Romania 1', 'EUROPE', 'RO'),
  center('EUR-IS-1', 'Europe Iceland 1', 'EUROPE', 'IS'),
  center('US-TX-3', 'US Texas 3', 'NORTH_AMERICA', 'US'),
  center('US-KS-2', 'US Kansas 2', 'NORTH_AMERICA', 'US'),
  center('CA-MTL-1', 'Canada Montreal 1', 'NORTH_AMERICA', 'CA'),
];

function cpu(id: string, name: string, group: string, per: { ram: number; price: number }): CpuKind {
  const serverlessPricePerVcpu = per.price;
  return {
    id,
    name,
    group,
    vcpu: { min: 2, max: 32 },
    ramGbPerVcpu: per.ram,
    pricePerVcpu: per.price,
    serverlessPricePerVcpu,
  };
}

function center(
  id: string,
  name: string,
  region: 'EUROPE' | 'NORTH_AMERICA',
  country: string,
): DataCenterKind {
  return {
    id,
    name,
    region,
    country,
    globalNetwork: region === 'NORTH_AMERICA',
    networkVolumeTypes: id.startsWith('US-') ? ['STANDARD', 'HIGH_PERFORMANCE'] : ['STANDARD'],
    compliance: ['GDPR', 'ISO_IEC_27001', 'SOC_2_TYPE_2'],
  };
}

function gpu(row: GpuRow): GpuKind {
  return {
    id: row.id,
    name: row.name,
    pool: row.pool,
    manufacturer: 'NVIDIA',
    memoryGb: row.memoryGb,
    price: { SECURE: row.secure, COMMUNITY: row.community },
    serverlessPrice: row.serverless,
    maxCount: { SECURE: 8, COMMUNITY: 4 },
    vcpuPerGpu: 12,
    ramPerGpuGb: row.ramPerGpuGb,
    cudaVersions: CUDA,
  };
}

/** A fresh catalog; its stock is the caller's to change. */
export function startingCatalog(): Catalog {
  const gpus = GPU_ROWS.map(gpu);
  const everywhere = () => Object.fromEntries(CENTERS.map(({ id }) => [id, 64]));
  return {
    gpus,
    cpus: CPUS,
    dataCenters: CENTERS,
    stock: Object.fromEntries(gpus.map(({ id }) => [id, everywhere()])),
  };
}
