/** The two environments of a pod: what its container was given, and the bare one a login session gets. */
import { delimiter, join } from 'node:path';
import type { HostedPod, PodAddress } from '../pod-hosts.ts';
import { MARKER } from './processes.ts';

/** The environment of the container's first process, with the address the host has just chosen. */
export function containerEnv(pod: HostedPod, address: PodAddress): Readonly<Record<string, string>> {
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    HOSTNAME: pod.id.slice(0, 12),
    RUNPOD_POD_ID: pod.id,
    RUNPOD_POD_HOSTNAME: proxyUser(pod),
    RUNPOD_GPU_COUNT: String(pod.gpu?.count ?? 0),
    ...pod.env,
    RUNPOD_PUBLIC_IP: address.host,
    RUNPOD_TCP_PORT_22: String(address.port),
  };
}

/** The name to log in with at RunPod's SSH proxy: the pod's host name. */
export function proxyUser(pod: HostedPod): string {
  return pod.env['RUNPOD_POD_HOSTNAME'] ?? `${pod.id}-64410abc`;
}

/** The text of /proc/1/environ. */
export function environText(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .map(([name, value]) => `${name}=${value}\0`)
    .join('');
}

/** The text of /etc/rp_environment as the official start script writes it: upper-case names only, no PUBLIC_KEY, values not escaped. */
export function rpEnvironmentText(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .filter(([name]) => /^[A-Z_][A-Z0-9_]*$/.test(name) && !name.startsWith('PUBLIC_KEY'))
    .map(([name, value]) => `export ${name}="${value}"\n`)
    .join('');
}

/**
 * What a session on the pod sees. The container's environment is not in it (sshd drops it, docs/facts/pod.md), and nothing
 * of this machine's but where its tools lie: the host's secrets stay out.
 */
export function sessionEnv(root: string, marker: string): Record<string, string> {
  return {
    PATH: [join(root, 'usr/local/bin'), process.env['PATH'] ?? '/usr/bin:/bin'].join(delimiter),
    HOME: join(root, 'root'),
    TMPDIR: join(root, 'tmp'),
    USER: 'root',
    LOGNAME: 'root',
    SHELL: '/bin/sh',
    LANG: 'C.UTF-8',
    SHLVL: '1',
    PODTRACK_ROOT: root,
    [MARKER]: marker,
  };
}
