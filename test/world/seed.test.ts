/** Seed files: what they may say, and how a wrong one is told. */
import { describe, expect, it } from 'vitest';
import { parseSeed, readSeed, SeedError } from '../../src/world/seed.ts';
import { worldFromSeed } from '../../src/world/seed-world.ts';

const NOW = Date.UTC(2026, 8, 1, 12);

function build(seed: Parameters<typeof parseSeed>[0]) {
  return worldFromSeed(parseSeed(seed), NOW, false);
}

describe('a seed', () => {
  it('may be empty', () => {
    expect(build({}).pods.size).toBe(0);
  });

  it('gives pods a past, absolute or so long ago', () => {
    const pods = [
      { id: 'aaaaaaaa1', name: 'a', createdAt: '2026-09-01T10:00:00Z', startedAt: '2026-09-01T10:03:00Z' },
      { id: 'aaaaaaaa2', name: 'b', createdAt: '-90m' },
    ];
    const times = [...build({ pods }).pods.values()].map(({ createdAt, startedAt }) => [
      createdAt,
      startedAt,
    ]);
    expect(times).toEqual([
      [Date.UTC(2026, 8, 1, 10), Date.UTC(2026, 8, 1, 10, 3)],
      [NOW - 90 * 60_000, NOW - 88 * 60_000],
    ]);
  });

  it('takes a pod as the API answers it, and works out what is derived', () => {
    const pasted = {
      id: 'k1shape000pull',
      name: 'pulling',
      status: 'RUNNING',
      actions: ['stop'],
      image: 'x/y:1',
      args: '',
      disk: 40,
      mounts: { persistent: { size: 40, path: '/workspace' } },
      ports: ['22/tcp'],
      env: {},
      registry: null,
      gpu: { id: 'NVIDIA H100 80GB HBM3', count: 1 },
      cloud: 'SECURE',
      dataCenterId: 'EU-RO-1',
      cudaVersion: '12.8',
      ssh: { proxy: null, direct: null },
      template: null,
      cost: 21.52,
      locked: false,
      globalNetworking: null,
      runtime: null,
      createdAt: '2026-09-01T09:00:00Z',
      startedAt: null,
    };
    const [pod] = build({ pods: [pasted] }).pods.values();
    expect(pod).toMatchObject({ boot: 'no-runtime', computeRate: 21_520_000, startedAt: null });
  });

  it.each([
    [{ pod: [] }, /at the top: Unrecognized key: "pod"/],
    [{ pods: [{ name: 'a', gpus: {} }] }, /at pods\.0: Unrecognized key: "gpus"/],
    [{ pods: [{ name: 'a', ports: ['22'] }] }, /at pods\.0\.ports\.0: must read port\/proto/],
    [{ pods: [{ name: 'a', createdAt: 'yesterday' }] }, /neither an RFC 3339 time nor a span/],
    [{ pods: [{ name: 'a', files: { 'rel.txt': '' } }] }, /absolute path/],
    [{ pods: [{ name: 'a', gpu: {}, cpu: { id: 'cpu3c', vcpuCount: 2 } }] }, /both gpu and cpu/],
    [{ faults: [{ name: 'meteor' }] }, /at faults\.0/],
    [{ now: '12 o’clock' }, /at now: is not an RFC 3339 time/],
    [
      {
        pods: [
          { id: 'aaaaaaaa1', name: 'a' },
          { id: 'aaaaaaaa1', name: 'b' },
        ],
      },
      /given twice/,
    ],
    [
      { pods: [{ name: 'a', mounts: { network: [{ volumeId: 'nv9', path: '/w' }] } }] },
      /mounts volume 'nv9', which is not among volumes/,
    ],
  ])('%j is refused by name and place', (seed, message) => {
    expect(() => build(seed)).toThrow(SeedError);
    expect(() => build(seed)).toThrow(message);
  });

  it('that is no JSON names its file', () => {
    expect(() => readSeed('{', 'world.json')).toThrow(/^world\.json is not JSON/);
  });

  it('changes stock only where it says so', () => {
    const world = build({ stock: { 'NVIDIA A40': { 'EU-RO-1': 0 } } });
    expect(world.catalog.stock['NVIDIA A40']).toMatchObject({ 'EU-RO-1': 0, 'US-TX-3': 64 });
  });
});
