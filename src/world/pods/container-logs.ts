/** The log of one container as the provider serves it: the lines of the official start script, host key fingerprints among them. */
import type { PodLogLine } from '../pod-hosts.ts';

/** No reader of the log can ask for more. */
const KEPT = 5000;

export interface ContainerLog {
  add(...lines: readonly string[]): void;
  lines(): readonly PodLogLine[];
}

/** An empty log; `now` gives epoch ms. */
export function containerLog(now: () => number): ContainerLog {
  let kept: PodLogLine[] = [];
  return {
    add: (...lines) => {
      kept = [...kept, ...lines.map((line) => ({ at: now(), line }))].slice(-KEPT);
    },
    lines: () => kept,
  };
}

/** What the official image's start script prints; without sshd the key part is missing. */
export function startLines(podId: string, fingerprint: string | null): string[] {
  const ssh = [
    'Setting up SSH...',
    'SSH host keys:',
    'Key: /etc/ssh/ssh_host_ed25519_key.pub',
    `256 ${fingerprint} root@${podId.slice(0, 12)} (ED25519)`,
  ];
  return [
    'Pod Started',
    ...(fingerprint === null ? [] : ssh),
    'Exporting environment variables...',
    'Start script(s) finished, Pod is ready to use.',
  ];
}
