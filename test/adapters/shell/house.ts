/** What the shell tests share: a quiet log, the options of a test shell, targets. */

import type { SshShellOptions } from '../../../src/adapters/ssh-shell.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import type { Log, ShellTarget } from '../../../src/ports.ts';
import { contractScripts } from './shell-contract.ts';

export const quiet: Log = { say: () => undefined, progress: () => undefined };

export function shellOptions(privateKey: string, more: Partial<SshShellOptions> = {}): SshShellOptions {
  const scripts = contractScripts;
  return {
    privateKey,
    scripts,
    clock: systemClock(),
    log: quiet,
    retryPauseMs: 20,
    loginMs: 20_000,
    ...more,
  };
}

export function targetAt(port: number, username = 'root', podId = 'pod-1'): ShellTarget {
  return { podId, address: { host: '127.0.0.1', port, username }, pins: null };
}

/** A port where nobody listens: reserved ones below 1024 are never handed out. */
export const CLOSED_PORT = 1;
