/** One login to one pod: dials, checks the host key before anything is sent, and names exactly what went wrong. */
import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { Client } from 'ssh2';
import { ConfigError, type WorldError, type WorldFailure } from '../../domain/errors.ts';
import type { Clock, ShellTarget } from '../../ports.ts';
import { bounded } from './bounded.ts';
import { connectFailure, oneLine } from './failures.ts';

export type Connection = {
  readonly client: Client;
  readonly hostKey: string;
  /** Resolves when the connection is gone, for whatever reason. */
  readonly gone: Promise<void>;
  /** Why it was lost, when it was not closed by us. */
  readonly lostBecause: () => string | null;
  readonly usable: () => boolean;
};

export type Login = {
  readonly privateKey: string;
  readonly clock: Clock;
  readonly keepaliveMs: number;
};

/** How far a login came; it decides what a failure means. */
type Phase = 'dialling' | 'connected' | 'key-accepted' | 'key-refused';

type Attempt = {
  phase: Phase;
  shownKey: string;
  greeting: string;
  readonly socket: Socket;
  readonly client: Client;
};

const KEEPALIVES = 3;

/** `SHA256:…` as OpenSSH prints it. */
export function fingerprint(hostKey: Buffer): string {
  return `SHA256:${createHash('sha256').update(hostKey).digest('base64').replace(/=+$/, '')}`;
}

function failureOf(attempt: Attempt, target: ShellTarget, error: Error & { level?: string }): WorldError {
  const said = attempt.greeting === '' ? '' : ` (it said: ${oneLine(attempt.greeting, 80)})`;
  const fail = (failure: WorldFailure, cameBack: string): WorldError =>
    connectFailure(failure, target, { cameBack, cause: error });
  switch (attempt.phase) {
    case 'dialling':
      return fail('no-route', oneLine(error.message));
    case 'connected':
      return fail(
        'held-shut',
        `the port is open but no SSH login came about: ${oneLine(error.message)}${said}`,
      );
    case 'key-refused':
      return fail(
        'wrong-host-key',
        `it showed ${attempt.shownKey}, accepted are ${target.pins?.join(', ') || 'none'}`,
      );
    case 'key-accepted':
      return error.level === 'client-authentication'
        ? fail('refused-login', 'the pod answers and does not accept this key')
        : fail('held-shut', `the connection ended during login: ${oneLine(error.message)}`);
  }
}

function isSshGreeting(bytes: Buffer): boolean {
  return bytes.subarray(0, 4).toString('latin1') === 'SSH-';
}

/** Only the public key is tried: no agent, no files of this machine, no passwords. */
function startLogin(attempt: Attempt, target: ShellTarget, login: Login): void {
  attempt.phase = 'connected';
  attempt.socket.once('data', (bytes: Buffer) => {
    if (!isSshGreeting(bytes)) attempt.greeting = bytes.subarray(0, 200).toString('latin1');
  });
  attempt.client.connect({
    sock: attempt.socket,
    username: target.address.username,
    privateKey: login.privateKey,
    authHandler: ['publickey'],
    readyTimeout: 0,
    keepaliveInterval: login.keepaliveMs,
    keepaliveCountMax: KEEPALIVES,
    hostVerifier: (key: Buffer) => {
      attempt.shownKey = fingerprint(key);
      const accepted = target.pins === null || target.pins.includes(attempt.shownKey);
      attempt.phase = accepted ? 'key-accepted' : 'key-refused';
      return accepted;
    },
  });
}

function settle(attempt: Attempt, target: ShellTarget, login: Login): Promise<Connection> {
  return new Promise((resolve, reject) => {
    let lost: string | null = null;
    let markGone: () => void = () => undefined;
    const gone = new Promise<void>((done) => {
      markGone = done;
    });
    const fail = (error: Error): void => {
      lost ??= error.message;
      attempt.socket.destroy();
      reject(failureOf(attempt, target, error));
    };
    attempt.socket.on('error', fail);
    attempt.socket.on('close', () => {
      fail(new Error('the other side closed the connection'));
      markGone();
    });
    attempt.client.on('error', fail);
    attempt.client.once('ready', () => {
      const usable = (): boolean => !attempt.socket.destroyed && attempt.socket.writable;
      resolve({ client: attempt.client, hostKey: attempt.shownKey, gone, lostBecause: () => lost, usable });
    });
    attempt.socket.once('connect', () => {
      try {
        startLogin(attempt, target, login);
      } catch (error) {
        // ssh2 parses the key here; the shapes that readPrivateKey lets through and ssh2 does not end here.
        attempt.socket.destroy();
        const told = { tried: 'Use the SSH private key', state: 'Nothing was sent to the pod', cause: error };
        const cameBack = 'the SSH library cannot read it';
        reject(
          new ConfigError('ssh-key', {
            ...told,
            cameBack,
            next: 'Make a new one: ssh-keygen -t ed25519 -N ""',
          }),
        );
      }
    });
  });
}

/** One try. Throws WorldError `no-route`, `held-shut`, `wrong-host-key` or `refused-login`. */
export async function logIn(target: ShellTarget, login: Login, untilAt: number): Promise<Connection> {
  // Loaded here and not above: ssh2 costs a tenth of a second of CPU, and most commands never need it.
  const ssh2 = (await import('ssh2')).default;
  const { host, port } = target.address;
  const socket = connect({ host, port, noDelay: true });
  const attempt: Attempt = {
    phase: 'dialling',
    shownKey: '',
    greeting: '',
    socket,
    client: new ssh2.Client(),
  };
  const overdue = (): Error => {
    socket.destroy();
    return failureOf(attempt, target, new Error('no answer in time'));
  };
  return bounded({ clock: login.clock, untilAt, overdue }, () => settle(attempt, target, login));
}
