/** The hands that demo and tests have on a pod: heartbeat, files, guards killed by name, commands run inside. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createFolderPodHosts } from '../../../src/world/pods/folder-pod-hosts.ts';
import { hostedPod } from './ssh-visitor.ts';

const id = 'p0d0000000test';
const hosts = await createFolderPodHosts({ now: () => 1_800_000_000_500 });

beforeEach(async () => {
  await hosts.start(hostedPod());
});
afterAll(async () => {
  await hosts.close();
});

const guard = (name: string, place = 'dev/shm') =>
  hosts.run(
    id,
    `mkdir -p $PODTRACK_ROOT/${place}/podtrack; setsid sh -c 'echo "$$ 12345" >$PODTRACK_ROOT/${place}/podtrack/${name}.pid; exec sleep 1010' </dev/null >/dev/null 2>&1 &
    until [ -s $PODTRACK_ROOT/${place}/podtrack/${name}.pid ]; do :; done`,
  );

describe('killProcess', () => {
  it.each(['dev/shm', 'run', 'tmp'])(
    'ends the guard whose pid file lies in /%s, and that one only',
    async (place) => {
      await guard('watchdog', place);
      await guard('supervisor', place);
      expect(hosts.processes(id)).toHaveLength(2);
      const pid = await hosts.killProcess(id, 'watchdog');
      await expect.poll(() => hosts.processes(id)).not.toContain(pid);
      expect(hosts.processes(id)).toHaveLength(1);
    },
  );

  it('touches no process that is not this pod’s, though the pid file names it', async () => {
    await hosts.writeFile(id, '/dev/shm/podtrack/watchdog.pid', `${process.pid} 1\n`);
    await expect(hosts.killProcess(id, 'watchdog')).rejects.toThrow(`Pod ${id} runs no watchdog`);
  });

  it('says so when there is none', async () => {
    await expect(hosts.killProcess(id, 'supervisor')).rejects.toThrow('runs no supervisor');
  });
});

describe('heartbeat', () => {
  it('writes the present second, or what it is given', async () => {
    await hosts.heartbeat(id);
    expect((await hosts.run(id, 'cat "$HOME/.podtrack_job_alive"')).stdout).toBe('1800000000\n');
    await hosts.heartbeat(id, 'garbage');
    expect(await hosts.readFile(id, '~/.podtrack_job_alive')).toBe('garbage');
  });
});

describe('run', () => {
  it('answers like a command on the pod', async () => {
    expect(await hosts.run(id, 'echo $PODTRACK_ROOT; echo e >&2; exit 3')).toEqual({
      code: 3,
      signal: null,
      stdout: `${hosts.folder(id)}\n`,
      stderr: 'e\n',
    });
  });
});

describe('an unknown or stopped pod', () => {
  it('is named in the complaint', async () => {
    await expect(hosts.heartbeat('nobody')).rejects.toThrow('The world hosts no pod nobody');
    expect(() => hosts.refuseLogin('nobody', true)).toThrow('nobody');
    await hosts.stop(id);
    await expect(hosts.dropSsh(id)).rejects.toThrow(`Pod ${id} is not running`);
    expect(hosts.processes('nobody')).toEqual([]);
    expect(hosts.telemetry('nobody')).toBeNull();
    expect(hosts.logs('nobody')).toEqual([]);
  });

  it('keeps a load that was set while it was stopped', async () => {
    await hosts.stop(id);
    await hosts.setGpu(id, { util: 1 });
    await hosts.start(hostedPod());
    expect(hosts.telemetry(id)?.gpus[0]?.util).toBe(1);
  });
});
