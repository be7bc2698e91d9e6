/** The pod's nvidia-smi says what the script says, in the tool's own formats, under each shell this machine has. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFolderPodHosts, type FolderPodHosts } from '../../../src/world/pods/folder-pod-hosts.ts';
import type { GpuFault } from '../../../src/world/pods/gpu.ts';
import { hostedPod } from './ssh-visitor.ts';

const id = 'p0d0000000test';
const query = 'index,uuid,utilization.gpu,memory.used,memory.total';
const smi = `nvidia-smi --query-gpu=${query} --format=csv,noheader,nounits`;
let hosts: FolderPodHosts;
let nowMs = 0;

beforeAll(async () => {
  hosts = await createFolderPodHosts({ now: () => nowMs });
});
beforeEach(async () => {
  nowMs = 0;
  await hosts.remove(id);
  await hosts.start(hostedPod());
});
afterAll(async () => {
  await hosts.close();
});

const answer = async (command: string) => (await hosts.run(id, command)).stdout;

describe('the query form', () => {
  it('gives one line per card', async () => {
    await hosts.setGpu(id, { count: 2, util: 5 });
    expect(await answer(smi)).toBe(
      '0, GPU-1f0c7a52-9b1e-4c1f-8a54-000000000000, 5, 2048, 24564\n1, GPU-1f0c7a52-9b1e-4c1f-8a54-000000000001, 5, 2048, 24564\n',
    );
  });

  it('has units and a header unless told otherwise, takes blanks between fields and one card by its index', async () => {
    await hosts.setGpu(id, { count: 2 });
    expect(await answer('nvidia-smi "--query-gpu=utilization.gpu, memory.used" --format=csv -i 1')).toBe(
      'utilization.gpu, memory.used\n87 %, 2048 MiB\n',
    );
  });

  it('is refused without a format or with an unknown switch', async () => {
    expect((await hosts.run(id, 'nvidia-smi --query-gpu=index')).code).toBe(2);
    expect((await hosts.run(id, 'nvidia-smi --nonsense')).code).toBe(2);
  });
});

describe('other forms', () => {
  it('list the cards', async () => {
    expect(await answer('nvidia-smi -L')).toBe(
      'GPU 0: NVIDIA GeForce RTX 4090 (UUID: GPU-1f0c7a52-9b1e-4c1f-8a54-000000000000)\n',
    );
  });

  it('print a table', async () => {
    expect(await answer('nvidia-smi')).toMatch(/NVIDIA-SMI .*\n.*RTX 4090.*\n.* 2048MiB \/ +24564MiB .* 87%/);
  });
});

describe('load over time', () => {
  it('follows the steps since the container started, on the tool and in the telemetry', async () => {
    const script = [
      { afterMs: 0, util: 90, memUsedMiB: 12282 },
      { afterMs: 3_600_000, util: 0 },
    ];
    await hosts.setGpu(id, { script });
    expect(await answer(smi)).toContain(', 90, 12282, ');
    expect(hosts.telemetry(id)).toEqual({ gpus: [{ util: 90, memoryUtil: 50 }] });
    nowMs = 3_600_000;
    expect(hosts.telemetry(id)).toEqual({ gpus: [{ util: 0, memoryUtil: 50 }] });
    await hosts.setGpu(id, { script: [{ afterMs: -1, util: 3 }] });
    expect(await answer(smi)).toContain(', 3, 2048, ');
  });

  it('goes round a cycle reading by reading', async () => {
    await hosts.setGpu(id, { cycle: [0, 97, 41] });
    expect(hosts.telemetry(id)?.gpus[0]?.util).toBe(97);
    const readings = await answer(`for n in 1 2 3 4; do ${smi}; done`);
    expect(readings.match(/, (\d+), 2048/g)).toEqual([', 0, 2048', ', 97, 2048', ', 41, 2048', ', 0, 2048']);
    await hosts.setGpu(id, { cycle: [], util: 12 });
    expect(await answer(smi)).toContain(', 12, 2048');
  });
});

describe('a failing tool', () => {
  const failures: [GpuFault, number, RegExp, RegExp][] = [
    ['no-devices', 6, /^No devices were found\n$/, /^$/],
    ['driver-mismatch', 18, /^Failed to initialize NVML: Driver\/library version mismatch\nNVML/, /^$/],
    ['missing-tool', 127, /^$/, /nvidia-smi: not found/],
    ['not-available', 0, /^0, GPU-[\w-]+, \[N\/A\], 2048, 24564\n$/, /^$/],
    ['not-supported', 0, /, \[Not Supported\], 2048/, /^$/],
    ['mig', 0, /, \[N\/A\], 2048/, /^$/],
  ];

  it.each(failures)('%s: exit %i', async (fault, exit, stdout, stderr) => {
    await hosts.setGpu(id, { fault });
    const told = await hosts.run(id, smi);
    expect(told.code).toBe(exit);
    expect(told.stdout).toMatch(stdout);
    expect(told.stderr).toMatch(stderr);
    await hosts.setGpu(id, { fault: null });
    expect(await answer(smi)).toContain(', 87, 2048');
  });

  it('ends with another code when asked', async () => {
    await hosts.setGpu(id, { fault: 'no-devices', faultExit: 0 });
    expect(await hosts.run(id, smi)).toMatchObject({ code: 0, stdout: 'No devices were found\n' });
    await hosts.setGpu(id, { fault: 'no-devices' });
    expect((await hosts.run(id, smi)).code).toBe(6);
  });

  it('may hang', async () => {
    await hosts.setGpu(id, { fault: 'hangs' });
    const told = await hosts.run(id, `${smi} >/dev/null & sleep 0; kill -0 $! && kill -9 $! && echo hung`);
    expect(told.stdout).toBe('hung\n');
  });

  it('is missing on a CPU pod', async () => {
    await hosts.start(hostedPod({ id: 'cpu', gpu: null }));
    expect((await hosts.run('cpu', smi)).code).toBe(127);
    expect(hosts.telemetry('cpu')).toEqual({ gpus: [] });
  });
});

describe('shells', () => {
  const known = [['dash'], ['bash', '--posix'], ['busybox', 'sh'], ['mksh']];
  const here = known.filter(([name = '']) => spawnSync(name, ['--help']).error === undefined);

  it.each(here)('%s runs the tool', (shell, ...flags) => {
    const tool = join(hosts.folder(id), 'usr/local/bin/nvidia-smi');
    const args = [...flags, tool, `--query-gpu=${query}`, '--format=csv,noheader,nounits'];
    expect(spawnSync(shell, args, { encoding: 'utf8' }).stdout).toMatch(/^0, GPU-[\w-]+, 87, 2048, 24564\n$/);
  });
});
