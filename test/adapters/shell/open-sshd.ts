/** A real OpenSSH sshd of its own: own port, own keys, own configuration, a child of the test and gone with it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { component } from '../../components.ts';
import { keyPair } from './keys.ts';

export type OpenSshd = {
  readonly port: number;
  readonly username: string;
  stop(): Promise<void>;
};

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => {
    probe.listen(0, '127.0.0.1', resolve);
  });
  const address = probe.address();
  await new Promise((resolve) => {
    probe.close(resolve);
  });
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

function configuration(folder: string, port: number, env: string): string {
  return [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${join(folder, 'host')}`,
    `AuthorizedKeysFile ${join(folder, 'authorized')}`,
    'PidFile none',
    'StrictModes no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'UsePAM no',
    `SetEnv SHLVL=1${env}`,
    '',
  ].join('\n');
}

async function listening(child: ChildProcess): Promise<void> {
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('Server listening')) resolve();
    });
    child.once('exit', () => reject(new Error(`sshd ended: ${said}`)));
  });
}

/** `env` reaches the commands; values must not hold blanks. */
export async function openSshd(
  publicLine: string,
  env: Readonly<Record<string, string>> = {},
): Promise<OpenSshd> {
  const folder = mkdtempSync(join(tmpdir(), 'podtrack-sshd-'));
  const port = await freePort();
  // sshd run by root insists on this empty folder.
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true });
  writeFileSync(join(folder, 'host'), keyPair().privateText, { mode: 0o600 });
  writeFileSync(join(folder, 'authorized'), `${publicLine}\n`, { mode: 0o600 });
  const extra = Object.entries(env).map(([name, value]) => ` ${name}=${value}`);
  writeFileSync(join(folder, 'config'), configuration(folder, port, extra.join('')));
  const child = spawn(component('sshd') ?? 'sshd', ['-D', '-e', '-f', join(folder, 'config')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await listening(child);
  return {
    port,
    username: userInfo().username,
    async stop() {
      const gone = new Promise((resolve) => {
        child.once('exit', resolve);
      });
      child.kill('SIGTERM');
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
