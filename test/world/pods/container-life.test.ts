/** A container's life in the world: what it is born with, what a stop wipes and ends, and that nothing stays behind. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFolderPodHosts, type FolderPodHosts } from '../../../src/world/pods/folder-pod-hosts.ts';
import { hostedPod, visit } from './ssh-visitor.ts';

const id = 'p0d0000000test';
const linux = process.platform === 'linux';
let parent: string;
let hosts: FolderPodHosts;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'container-life-'));
  hosts = await createFolderPodHosts({ parent, now: () => 1_800_000_000_000 });
});
afterEach(async () => {
  await hosts.close();
  await rm(parent, { recursive: true });
});

/** So long nobody else's `sleep` sleeps: a process can be found by it that has no environment. */
const nap = `1004${process.pid}`;

/** Looks for processes without the code under test: those whose environment or command line names this. */
function processesNaming(text: string): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const told = ['environ', 'cmdline'].map((file) => readFileSync(`/proc/${name}/${file}`, 'utf8'));
      return told.join('').includes(text);
    } catch {
      return false;
    }
  });
}

const daemons = [
  'sleep 1001 </dev/null >/dev/null 2>&1 &',
  'setsid sleep 1002 </dev/null >/dev/null 2>&1 &',
  "(trap '' HUP TERM INT; while :; do sleep 1003; done) </dev/null >/dev/null 2>&1 &",
  `setsid sh -c 'env -i sleep ${nap}; :' </dev/null >/dev/null 2>&1 &`,
].join('\n');
const startDaemons = () => hosts.run(id, daemons);

describe('a container starts', () => {
  it('with the environment of the pod in /proc/1/environ and, without PUBLIC_KEY, in /etc/rp_environment', async () => {
    const address = await hosts.start(hostedPod());
    const environ = (await hosts.readFile(id, '/proc/1/environ')).split('\0');
    expect(environ).toContain('RUNPOD_API_KEY=rpa_POD');
    expect(environ).toContain(`RUNPOD_POD_ID=${id}`);
    expect(environ).toContain(`RUNPOD_TCP_PORT_22=${address.port}`);
    expect(environ).toContain('RUNPOD_PUBLIC_IP=127.0.0.1');
    expect(environ.at(-1)).toBe('');
    const exported = await hosts.readFile(id, '/etc/rp_environment');
    expect(exported).toContain('export RUNPOD_API_KEY="rpa_POD"\n');
    expect(exported).toContain('export FOO="a"b"\n');
    expect(exported).not.toContain('PUBLIC_KEY');
  });

  it('with a RAM disk, a clock that is this machine’s, and the seed’s files', async () => {
    const files = { '/workspace/out/a.txt': 'text', '~/b.bin': { base64: 'AAH/' }, '/data/c': { size: 100 } };
    await hosts.start(hostedPod({ files }));
    expect(await hosts.readFile(id, '/proc/mounts')).toMatch(/^shm \/dev\/shm tmpfs rw/m);
    expect(existsSync(join(hosts.folder(id), 'proc/uptime'))).toBe(linux);
    expect(await hosts.readFile(id, '/workspace/out/a.txt')).toBe('text');
    const sizes = await hosts.run(id, 'wc -c <~/b.bin; wc -c <$PODTRACK_ROOT/data/c');
    expect(sizes.stdout.split(/\s+/).filter(Boolean)).toEqual(['3', '100']);
  });

  it('and says in its log what the official image says, its host key with it', async () => {
    await hosts.start(hostedPod());
    const lines = hosts.logs(id);
    expect(lines.map((one) => one.line)).toContain('Pod Started');
    expect(lines.map((one) => one.line)).toContain(
      `256 ${hosts.fingerprint(id)} root@p0d0000000te (ED25519)`,
    );
    expect(lines.every((one) => one.at === 1_800_000_000_000)).toBe(true);
  });

  it('not from an id or a file path that would leave its folder', async () => {
    await expect(hosts.start(hostedPod({ id: '../evil' }))).rejects.toThrow('Not a pod id');
    await expect(hosts.start(hostedPod({ files: { '/../../evil': 'x' } }))).rejects.toThrow(
      'Not a plain path',
    );
    expect(readdirSync(parent)).toHaveLength(1);
    expect(existsSync(hosts.folder(id))).toBe(false);
  });
});

describe('a stop', () => {
  it.runIf(linux)(
    'ends every process of the pod, in whatever session and whatever it traps, and nobody else’s',
    async () => {
      await hosts.start(hostedPod());
      await hosts.start(hostedPod({ id: 'other' }));
      await hosts.run('other', 'sleep 1005 </dev/null >/dev/null 2>&1 &');
      await startDaemons();
      const folder = hosts.folder(id);
      expect(processesNaming(folder).length).toBeGreaterThanOrEqual(4);
      await hosts.stop(id);
      expect(processesNaming(folder)).toEqual([]);
      expect(hosts.processes('other')).toHaveLength(1);
    },
  );

  it('wipes the container disk, keeps the volume, and the next start has a new port and host key', async () => {
    const pod = hostedPod({ volumePath: '/workspace', files: { '/workspace/seed': 's', '~/seed': 's' } });
    const before = await hosts.start(pod);
    const key = hosts.fingerprint(id);
    await hosts.writeFile(id, '/workspace/model.bin', 'weights');
    await hosts.writeFile(id, '/dev/shm/podtrack/credential', 'secret');
    await hosts.stop(id);
    expect(existsSync(hosts.folder(id))).toBe(false);
    expect(hosts.telemetry(id)).toBeNull();
    const after = await hosts.start(pod);
    expect(await hosts.readFile(id, '/workspace/model.bin')).toBe('weights');
    expect(await hosts.readFile(id, '/workspace/seed')).toBe('s');
    await expect(hosts.readFile(id, '~/seed')).rejects.toThrow('ENOENT');
    await expect(hosts.readFile(id, '/dev/shm/podtrack/credential')).rejects.toThrow('ENOENT');
    expect(after.port).not.toBe(before.port);
    const guest = await visit(after);
    expect(guest.hostKey).not.toBe(key);
    guest.end();
  });

  it('wipes /workspace too when no volume is mounted there', async () => {
    await hosts.start(hostedPod());
    await hosts.writeFile(id, '/workspace/model.bin', 'weights');
    await hosts.stop(id);
    await hosts.start(hostedPod());
    await expect(hosts.readFile(id, '/workspace/model.bin')).rejects.toThrow('ENOENT');
  });

  it('cuts whoever is logged in', async () => {
    const guest = await visit(await hosts.start(hostedPod()));
    const cut = new Promise<void>((resolve) => guest.client.once('close', () => resolve()));
    const end = guest.exec('sleep 1006').then(
      (heard) => heard.code,
      () => null,
    );
    await Promise.all([hosts.stop(id), cut]);
    expect(await end).toBeNull();
  });
});

describe('a start over a running container', () => {
  it('is a restart: processes gone, disk fresh, volume kept', async () => {
    const pod = hostedPod({ volumePath: '/workspace' });
    await hosts.start(pod);
    await startDaemons();
    await hosts.writeFile(id, '/workspace/kept', 'k');
    const [first, second] = await Promise.all([hosts.start(pod), hosts.start(pod)]);
    expect(hosts.processes(id)).toEqual([]);
    expect(await hosts.readFile(id, '/workspace/kept')).toBe('k');
    expect(first.port).not.toBe(second.port);
  });

  it('may come with no GPU at all', async () => {
    await hosts.start(hostedPod());
    const gpu = { name: 'NVIDIA A40', count: 0, util: 0, memUsedMiB: 0, memTotalMiB: 46068 };
    await hosts.start(hostedPod({ gpu }));
    expect((await hosts.run(id, 'nvidia-smi')).stdout).toBe('No devices were found\n');
    expect(hosts.telemetry(id)).toEqual({ gpus: [] });
  });
});

describe('a removal', () => {
  it('takes the volume along and forgets the pod; unknown ids are harmless', async () => {
    const pod = hostedPod({ volumePath: '/workspace' });
    await hosts.start(pod);
    await hosts.writeFile(id, '/workspace/kept', 'k');
    await hosts.remove(id);
    await hosts.remove('never-there');
    expect(() => hosts.fingerprint(id)).toThrow(id);
    await hosts.start(pod);
    await expect(hosts.readFile(id, '/workspace/kept')).rejects.toThrow('ENOENT');
  });
});

describe('the end of the world', () => {
  it.runIf(linux)('leaves no process and no folder, and starts nothing any more', async () => {
    await hosts.start(hostedPod());
    await hosts.start(hostedPod({ id: 'stopped', volumePath: '/workspace' }));
    await hosts.stop('stopped');
    await startDaemons();
    const folder = hosts.folder(id);
    const late = hosts.start(hostedPod({ id: 'late' }));
    const lateEnd = late.then(
      () => 'started before the end',
      () => 'refused',
    );
    await hosts.close();
    await lateEnd;
    expect([...processesNaming(folder), ...processesNaming(nap)]).toEqual([]);
    expect(readdirSync(parent)).toEqual([]);
    await expect(hosts.start(hostedPod())).rejects.toThrow('The world has ended');
    await hosts.close();
    expect(readdirSync(parent)).toEqual([]);
  });

  it.runIf(linux)('comes also when the process that runs it exits without a word', () => {
    const module = join(import.meta.dirname, '../../../src/world/pods/folder-pod-hosts.ts');
    const script = `
      const { runnerImport } = await import('vite');
      const { module } = await runnerImport(${JSON.stringify(module)});
      const hosts = await module.createFolderPodHosts({ parent: ${JSON.stringify(parent)} });
      await hosts.start(${JSON.stringify(hostedPod())});
      await hosts.run(${JSON.stringify(id)}, 'setsid sleep 1007 </dev/null >/dev/null 2>&1 &');
      console.log(hosts.processes(${JSON.stringify(id)}).length);
      process.exit(0);`;
    const told = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(told.stderr).toBe('');
    expect(told.stdout).toBe('1\n');
    expect(processesNaming(parent)).toEqual([]);
    expect(readdirSync(parent)).toHaveLength(1);
  });
});
