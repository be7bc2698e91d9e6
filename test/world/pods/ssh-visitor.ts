/** A real ssh2 client for the tests of the world's pods, and a pod to visit. */
import { Client, type ConnectConfig } from 'ssh2';
import type { HostedPod, PodAddress } from '../../../src/world/pod-hosts.ts';
import { fingerprintOf, makeOpensshKey } from '../../../src/world/pods/openssh-key.ts';

export const visitorKey = makeOpensshKey('visitor');

/** A running GPU pod as the account side would hand it over. */
export function hostedPod(change: Partial<HostedPod> = {}): HostedPod {
  return {
    id: 'p0d0000000test',
    name: 'train',
    image: 'runpod/pytorch:1.0.2-cu1281-torch280-ubuntu2404',
    args: '',
    env: { PUBLIC_KEY: visitorKey.publicLine, RUNPOD_API_KEY: 'rpa_POD', FOO: 'a"b' },
    ports: ['22/tcp', '8888/http'],
    sshKeys: [visitorKey.publicLine],
    files: {},
    gpu: { name: 'NVIDIA GeForce RTX 4090', count: 1, util: 87, memUsedMiB: 2048, memTotalMiB: 24564 },
    volumePath: null,
    ...change,
  };
}

export interface Heard {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** One open connection. */
export interface Visit {
  readonly hostKey: string;
  exec(command: string, input?: string | Buffer): Promise<Heard>;
  end(): void;
  readonly client: Client;
}

/** Logs in; rejects with ssh2's own error. */
export function visit(address: PodAddress, change: Partial<ConnectConfig> = {}): Promise<Visit> {
  const client = new Client();
  let hostKey = '';
  return new Promise((resolve, reject) => {
    // A client may fail twice, first of its own and then with the socket: the second must find a listener too.
    client.on('error', reject);
    client.once('ready', () => {
      resolve({
        client,
        hostKey,
        exec: (command, input) => exec(client, command, input),
        end: () => client.end(),
      });
    });
    client.connect({
      ...address,
      username: 'root',
      privateKey: visitorKey.privateKey,
      hostVerifier: (key: Buffer) => {
        hostKey = fingerprintOf(key);
        return true;
      },
      ...change,
    });
  });
}

function exec(client: Client, command: string, input?: string | Buffer): Promise<Heard> {
  return new Promise((resolve, reject) => {
    client.exec(command, (cause, channel) => {
      if (cause !== undefined) {
        reject(cause);
        return;
      }
      const stdout: Buffer[] = [];
      const stderr: Buffer[] = [];
      let end: { code: number | null; signal: string | null } = { code: null, signal: null };
      channel.on('data', (bytes: Buffer) => stdout.push(bytes));
      channel.stderr.on('data', (bytes: Buffer) => stderr.push(bytes));
      channel.on('exit', (code: number | null, signal?: string) => {
        end = { code, signal: signal ?? null };
      });
      channel.on('close', () => {
        resolve({ ...end, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() });
      });
      channel.end(input);
    });
  });
}
