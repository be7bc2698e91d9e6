/** An SSH server in this process that runs commands in a real /bin/sh, and misbehaves when told to. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type Socket, type Server as TcpServer } from 'node:net';
import ssh2, { type Connection, type ServerChannel } from 'ssh2';
import { outputsOf } from '../../../src/world/pods/ssh-writers.ts';
import { keyPair } from './keys.ts';

/** Each fault can be set and cleared while the server runs. */
export type Faults = {
  /** Take the TCP connection and hang up at once, as a full or starting sshd does. */
  hangUp?: boolean;
  /** Take the TCP connection and never speak. */
  mute?: boolean;
  /** Speak something that is not SSH. */
  greeting?: string;
  refuseLogin?: boolean;
  refuseChannel?: boolean;
  /** Drop the connection after so many bytes of output. */
  cutAfterBytes?: number;
  /** Send no more than so many bytes of output and stay silent. */
  freezeAfterBytes?: number;
  /** Noise on both streams before the command starts, as rc files make. */
  noise?: string;
};

export type SshServer = {
  readonly port: number;
  readonly faults: Faults;
  readonly accepted: () => number;
  readonly mostChannels: () => number;
  /** Connections open now. */
  readonly open: () => number;
  /** A new host key from now on, as after a pod's reset. */
  newHostKey(): void;
  /** Ends every connection, as a pod that dies does. */
  dropAll(): void;
  stop(): Promise<void>;
};

export type SshServerOptions = {
  readonly publicLine: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
};

type State = {
  readonly options: SshServerOptions;
  readonly faults: Faults;
  readonly children: Set<ChildProcess>;
  channels: number;
  mostChannels: number;
};

/** A command is the head of a process group of its own, so that nothing it started outlives its channel. */
function end(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The whole group is gone already.
  }
}

function feed(
  state: State,
  out: ReturnType<typeof outputsOf>,
  connection: Connection,
  child: ChildProcess,
): void {
  let sent = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    const { cutAfterBytes, freezeAfterBytes } = state.faults;
    const limit = cutAfterBytes ?? freezeAfterBytes ?? Number.POSITIVE_INFINITY;
    const part = chunk.subarray(0, Math.max(0, limit - sent));
    sent += part.length;
    const cut = sent >= (cutAfterBytes ?? Number.POSITIVE_INFINITY);
    const cutOff = cut ? () => connection.end() : undefined;
    if ((part.length > 0 || cut) && !out.stdout.write(part, cutOff)) {
      child.stdout?.pause();
      out.stdout.once('drain', () => child.stdout?.resume());
    }
  });
  child.stderr?.on('data', (chunk: Buffer) => out.stderr.write(chunk));
}

function run(state: State, channel: ServerChannel, connection: Connection, command: string): void {
  const { options, faults } = state;
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: options.cwd ?? '/tmp', ...options.env };
  const child = spawn('/bin/sh', ['-c', command], { env, cwd: options.cwd ?? '/tmp', detached: true });
  state.children.add(child);
  state.channels += 1;
  state.mostChannels = Math.max(state.mostChannels, state.channels);
  if (faults.noise !== undefined) {
    channel.write(faults.noise);
    channel.stderr.write(faults.noise);
  }
  child.stdin?.on('error', () => undefined);
  channel.on('error', () => undefined);
  channel.pipe(child.stdin as NodeJS.WritableStream);
  const out = outputsOf(channel);
  feed(state, out, connection, child);
  child.on('close', (code) => {
    state.children.delete(child);
    if (faults.freezeAfterBytes !== undefined) return;
    out.stdout.end(() => {
      out.stderr.end(() => {
        channel.exit(code ?? 1);
        channel.end();
      });
    });
  });
  channel.on('close', () => {
    state.channels -= 1;
    end(child);
  });
}

function serve(state: State, connection: Connection): void {
  const accepted = ssh2.utils.parseKey(state.options.publicLine);
  if (accepted instanceof Error) throw accepted;
  const publicBytes = (Array.isArray(accepted) ? accepted[0] : accepted)?.getPublicSSH();
  connection.on('error', () => undefined);
  connection.on('authentication', (context) => {
    const known =
      context.method === 'publickey' && publicBytes !== undefined && context.key.data.equals(publicBytes);
    if (known && state.faults.refuseLogin !== true) context.accept();
    else context.reject(['publickey']);
  });
  connection.on('session', (accept, reject) => {
    if (state.faults.refuseChannel === true) {
      reject();
      return;
    }
    accept().on('exec', (take, _refuse, info) => run(state, take(), connection, info.command));
  });
}

function greet(state: State, socket: Socket): boolean {
  const { hangUp, mute, greeting } = state.faults;
  if (hangUp === true) socket.destroy();
  // A socket that nobody reads would never notice that the client left.
  if (mute === true || greeting !== undefined) socket.resume();
  if (greeting !== undefined) socket.end(greeting);
  return hangUp !== true && mute !== true && greeting === undefined;
}

async function listen(server: TcpServer): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

export async function sshServer(options: SshServerOptions): Promise<SshServer> {
  const state: State = { options, faults: {}, children: new Set(), channels: 0, mostChannels: 0 };
  const sockets = new Set<Socket>();
  let accepted = 0;
  const fresh = (): ssh2.Server =>
    new ssh2.Server({ hostKeys: [keyPair().privateText] }, (c) => serve(state, c));
  let ssh = fresh();
  const tcp = createServer((socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    if (greet(state, socket)) ssh.injectSocket(socket);
  });
  const port = await listen(tcp);
  const dropAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port,
    faults: state.faults,
    accepted: () => accepted,
    mostChannels: () => state.mostChannels,
    open: () => sockets.size,
    newHostKey() {
      ssh = fresh();
    },
    dropAll,
    async stop() {
      dropAll();
      for (const child of state.children) end(child);
      await new Promise((resolve) => {
        tcp.close(resolve);
      });
    },
  };
}
