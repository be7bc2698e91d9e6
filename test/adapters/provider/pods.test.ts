/** Every shape of a pod that RunPod was seen to give, and what is kept of it. */
import { describe, expect, it } from 'vitest';
import { seen, unseen } from '../../../src/domain/part.ts';
import type { ProviderPod } from '../../../src/domain/provider-pod.ts';
import { bench } from './bench.ts';
import { podV1, podV2, STAMP } from './bodies.ts';
import { json } from './scripted-server.ts';

async function only(item: unknown): Promise<ProviderPod> {
  const { provider } = await bench(() => json(200, { pods: [item] }));
  const { pods, malformed } = await provider.list();
  expect(malformed).toEqual([]);
  expect(pods).toHaveLength(1);
  const [pod] = pods;
  if (pod === undefined) throw new Error('no pod');
  return pod;
}

describe('a pod of REST v2', () => {
  it('keeps the named fields and nothing else', async () => {
    expect(await only(podV2('hh88shape00001'))).toEqual({
      id: 'hh88shape00001',
      name: 'ci-train-hh88shape00001',
      status: 'RUNNING',
      statusText: 'RUNNING',
      createdAt: Date.UTC(2026, 2, 2, 9),
      startedAt: Date.UTC(2026, 2, 2, 9, 3, 10),
      stamp: STAMP,
      locked: false,
      costPerHourMicroUsd: 2_690_000,
      gpu: { type: 'NVIDIA H100 80GB HBM3', count: 2 },
      cpu: false,
      dataCenter: 'EU-RO-1',
      volumeId: null,
      volumePath: '/workspace',
      telemetry: seen({
        uptimeMs: 1_800_000,
        gpus: [
          { util: 93, memoryUtil: 71 },
          { util: 0, memoryUtil: null },
        ],
        cpuUtil: 22,
      }),
      ssh: seen({ host: '203.0.113.20', port: 22117, username: 'root' }),
      proxied: true,
    } satisfies ProviderPod);
  });

  it('tells a stopped pod, whose cost reads 0 and whose runtime may be stale', async () => {
    const pod = await only(podV2('ee55exited0001', { status: 'EXITED', cost: 0 }));
    expect(pod).toMatchObject({ status: 'EXITED', costPerHourMicroUsd: 0 });
    expect(pod.telemetry).toEqual(unseen('not-running'));
    expect(pod.ssh).toEqual(unseen('not-running'));
  });

  it('names the network volume and its path', async () => {
    const pod = await only(
      podV2('nv00network001', { mounts: { network: [{ volumeId: 'nv1', path: '/data' }] } }),
    );
    expect(pod).toMatchObject({ volumeId: 'nv1', volumePath: '/data' });
  });

  it('tells a CPU pod', async () => {
    const pod = await only(
      podV2('cp00cpu0000001', { gpu: undefined, cpu: { id: 'cpu3g', vcpuCount: 4, memory: 16 } }),
    );
    expect(pod).toMatchObject({ gpu: null, cpu: true });
  });

  it('keeps an unknown status with its own word', async () => {
    const pod = await only(
      podV2('k6shape000dead', { status: 'DEAD', ssh: { proxy: null, direct: null }, runtime: null }),
    );
    expect(pod).toMatchObject({ status: 'OTHER', statusText: 'DEAD', ssh: unseen('not-running') });
  });

  it.each([
    ['null', null],
    ['an empty object', {}],
    ['absent', undefined],
    ['a text', 'soon'],
  ])('has no telemetry while runtime is %s', async (_name, runtime) => {
    expect((await only(podV2('k1shape000pull', { runtime }))).telemetry).toEqual(unseen('no-runtime'));
  });

  it('takes numbers beyond 100 % for unknown', async () => {
    const pod = await only(
      podV2('od00odd0000001', { runtime: { uptime: 5, gpus: [{ util: 240, memoryUtil: -1 }] } }),
    );
    expect(pod.telemetry).toEqual(
      seen({ uptimeMs: 5000, gpus: [{ util: null, memoryUtil: null }], cpuUtil: null }),
    );
  });

  it('lets fields that decide nothing be of any shape', async () => {
    const odd = {
      cost: 'much',
      gpu: 3,
      mounts: [],
      ssh: 'yes',
      ports: '22/tcp',
      createdAt: 'today',
      locked: 'no',
      env: 7,
    };
    expect(await only(podV2('od00odd0000002', odd))).toMatchObject({
      costPerHourMicroUsd: null,
      gpu: null,
      volumePath: null,
      createdAt: null,
      locked: false,
      stamp: null,
    });
  });
});

describe('a pod of REST v1', () => {
  it('is read into the same words', async () => {
    expect(await only(podV1('hh88shape00001'))).toEqual({
      id: 'hh88shape00001',
      name: 'ci-train-hh88shape00001',
      status: 'RUNNING',
      statusText: 'RUNNING',
      createdAt: Date.UTC(2026, 2, 2, 9, 0, 0, 726),
      startedAt: Date.UTC(2026, 2, 2, 9, 0, 0, 715),
      stamp: STAMP,
      locked: false,
      costPerHourMicroUsd: 2_690_000,
      gpu: { type: 'NVIDIA H100 80GB HBM3', count: 1 },
      cpu: false,
      dataCenter: 'EU-RO-1',
      volumeId: null,
      volumePath: '/workspace',
      telemetry: unseen('not-in-this-answer'),
      ssh: seen({ host: '203.0.113.20', port: 22117, username: 'root' }),
      proxied: false,
    } satisfies ProviderPod);
  });

  it.each([
    ['stopped', { desiredStatus: 'EXITED' }, 'not-running'],
    ['without an address yet', { publicIp: null, portMappings: null }, 'not-ready'],
    ['without port 22', { publicIp: null, portMappings: {}, ports: '8888/http' }, 'no-port-22'],
    ['with a private address', { publicIp: '10.1.2.3' }, 'private-address'],
    ['with the proxy for an address', { publicIp: 'ssh.runpod.io' }, 'proxy-only'],
  ])('has no SSH address when %s', async (_name, over, reason) => {
    expect((await only(podV1('v100ssh0000001', over))).ssh).toEqual(unseen(reason));
  });
});

describe('times', () => {
  it.each([
    ['2026-03-02T09:00:00Z', Date.UTC(2026, 2, 2, 9)],
    ['2026-03-02T09:00:00.5+02:00', Date.UTC(2026, 2, 2, 7, 0, 0, 500)],
    ['2026-10-02 05:28:38.366 +0000 UTC', Date.UTC(2026, 9, 2, 5, 28, 38, 366)],
    ['2026-10-02 05:28:38.366123456 +0000 UTC m=+12.5', Date.UTC(2026, 9, 2, 5, 28, 38, 366)],
    ['2026-10-02 07:28:38 +0200 CEST', Date.UTC(2026, 9, 2, 5, 28, 38)],
    ['0001-01-01 00:00:00 +0000 UTC', null],
    ['2026-10-02 05:28:38', null],
    ['yesterday', null],
    [1_772_442_000, null],
  ])('%s', async (createdAt, at) => {
    expect((await only(podV2('tm00time000001', { createdAt }))).createdAt).toBe(at);
  });
});

describe('the stamp', () => {
  it.each([
    ['a map', { PODTRACK_STAMP: STAMP, OTHER: 'x' }, STAMP],
    ['a list of pairs', ['OTHER=x', `PODTRACK_STAMP=${STAMP}`], STAMP],
    ['a list of objects', [{ key: 'PODTRACK_STAMP', value: STAMP }], STAMP],
    ['an env without it', { OTHER: 'x' }, null],
    ['no env', null, null],
    ['a text beyond all measure', { PODTRACK_STAMP: 'x'.repeat(5000) }, null],
  ])('is read from %s', async (_name, env, stamp) => {
    expect((await only(podV2('st00stamp00001', { env }))).stamp).toBe(stamp);
  });
});

describe('the SSH address of REST v2', () => {
  const none = { proxy: null, direct: null };
  const proxyOnly = { proxy: { host: 'ssh.runpod.io', port: 22, username: 'x-1' }, direct: null };
  const at = (host: string): unknown => ({ proxy: null, direct: { host, port: 22117, username: 'root' } });
  const tcp = (ip: string | null, open: number | null): unknown => ({
    uptime: 9,
    ports: [
      { private: 22, public: open, type: 'tcp', ip },
      { private: 19123, public: 60755, type: 'http', ip: '100.65.24.9' },
    ],
  });
  const inside = { private: 22, public: 40022, type: 'tcp', ip: '10.0.0.8' };
  const published = [{ ...inside, ip: '203.0.113.9' }];
  const proxyAsDirect = (host: string): unknown => ({
    proxy: null,
    direct: { host, port: 22, username: 'x-1' },
  });
  it.each([
    [
      'with the proxy for an address',
      { ssh: proxyAsDirect('ssh.runpod.io'), runtime: tcp(null, null) },
      'proxy-only',
    ],
    [
      'with the proxy in capitals',
      { ssh: proxyAsDirect('SSH.RunPod.io.'), runtime: tcp(null, null) },
      'proxy-only',
    ],
    [
      'with the proxy for a published port',
      { ssh: proxyOnly, runtime: tcp('ssh.runpod.io', 22) },
      'proxy-only',
    ],
    ['behind a proxy of fewer fields', { ssh: { proxy: {} }, runtime: tcp(null, null) }, 'proxy-only'],
    ['at an address that is a number', { ssh: at('2130706433'), runtime: null }, 'private-address'],
    ['at an address mapped into IPv6', { ssh: at('::ffff:10.0.0.8'), runtime: null }, 'private-address'],
    [
      'at a name of our own network',
      { ssh: at('metadata.google.internal'), runtime: null },
      'private-address',
    ],
    ['while the image is pulled', { ssh: proxyOnly, runtime: null }, 'not-ready'],
    ['while ports are null', { ssh: none, runtime: { uptime: 4, gpus: [], ports: null } }, 'not-ready'],
    ['with unpublished ports behind the proxy', { ssh: proxyOnly, runtime: tcp(null, null) }, 'proxy-only'],
    ['with unpublished ports and no proxy', { ssh: none, runtime: tcp(null, null) }, 'not-ready'],
    ['while provisioning', { status: 'PROVISIONING', ssh: none, runtime: null }, 'not-ready'],
    ['while starting', { status: 'STARTING' }, 'not-ready'],
    ['in ERROR', { status: 'ERROR' }, 'not-running'],
    ['TERMINATED', { status: 'TERMINATED' }, 'not-running'],
    ['without 22/tcp', { ssh: none, ports: ['8888/http'], runtime: { uptime: 4, ports: [] } }, 'no-port-22'],
    ['at a carrier-NAT address', { ssh: at('100.65.0.101'), runtime: null }, 'private-address'],
    ['at a private runtime port', { ssh: none, runtime: tcp('10.0.0.8', 40022) }, 'private-address'],
  ])('is unseen %s (case C13)', async (_name, over, reason) => {
    expect((await only(podV2('sh00ssh0000001', over))).ssh).toEqual(unseen(reason));
  });

  it('is taken from the published tcp port where ssh.direct is missing', async () => {
    const pod = await only(podV2('sh00ssh0000002', { ssh: none, runtime: tcp('203.0.113.9', 40022) }));
    expect(pod.ssh).toEqual(seen({ host: '203.0.113.9', port: 40022, username: 'root' }));
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['beside a private ssh.direct', { ssh: at('10.0.0.8'), runtime: tcp('203.0.113.9', 40022) }],
    [
      'beside a port of another shape',
      { ssh: none, runtime: { uptime: 9, ports: [null, { private: '22' }, ...published] } },
    ],
    ['after one at a private address', { ssh: none, runtime: { uptime: 9, ports: [inside, ...published] } }],
    [
      'with its protocol in capitals',
      { ssh: none, runtime: { uptime: 9, ports: [{ ...published[0], type: 'TCP' }] } },
    ],
    [
      'of ssh.direct without a login',
      { ssh: { direct: { host: '203.0.113.9', port: 40022 } }, runtime: null },
    ],
  ])('is the public one %s (case C30)', async (_name, over) => {
    const pod = await only(podV2('sh00ssh0000005', over));
    expect(pod.ssh).toEqual(seen({ host: '203.0.113.9', port: 40022, username: 'root' }));
  });

  it('never takes a host that could be read as an option', async () => {
    const pod = await only(podV2('sh00ssh0000003', { ssh: at('-oProxyCommand=x'), runtime: null }));
    expect(pod.ssh.kind).toBe('unseen');
  });

  it('allows the loopback to the embedded world, whose base is the loopback', async () => {
    expect((await only(podV2('sh00ssh0000004', { ssh: at('127.0.0.1') }))).ssh.kind).toBe('seen');
  });
});
