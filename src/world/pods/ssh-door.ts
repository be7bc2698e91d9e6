/** A pod's port 22: a real SSH server on a port of 127.0.0.1 that can be dropped, frozen, and given another host key. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createServer, type Socket } from 'node:net';
import ssh2, { type Connection, type ServerChannel, type Session, type Server as SshServer } from 'ssh2';
import type { PodAddress } from '../pod-hosts.ts';
import type { Conduct } from './conduct.ts';
import type { OpensshKey } from './openssh-key.ts';
import { joinCommand, signalGroup } from './ssh-command.ts';
import { judgeLogin, type LoginRule } from './ssh-login.ts';
import { joinTerminal } from './ssh-terminal.ts';

/** OpenSSH's MaxSessions: of more channels at once the surplus is refused. */
const MAX_SESSIONS = 10;
const HOST = '127.0.0.1';

/** Starts the pod's shell with these arguments. */
export type Launch = (shellArguments: readonly string[]) => ChildProcessWithoutNullStreams;

export interface SshDoorOptions {
  readonly hostKey: OpensshKey;
  readonly login: LoginRule;
  readonly conduct: Conduct;
  readonly launch: Launch;
  /** RunPod's SSH proxy: no command without a terminal, and a command given is not looked at. */
  readonly terminalOnly: boolean;
}

export interface SshDoor {
  readonly address: PodAddress;
  /** Closes the port and every connection: no route. */
  close(): Promise<void>;
  /** Listens again on the same port. */
  reopen(): Promise<void>;
  /** Frozen: connections are held, new ones taken, and nothing is answered. */
  freeze(frozen: boolean): void;
  /** The key shown to connections from now on. */
  setHostKey(key: OpensshKey): void;
}

/** Opens the door on a free port. Rejects when this machine lets nobody listen. */
export async function openSshDoor(options: SshDoorOptions): Promise<SshDoor> {
  const sockets = new Set<Socket>();
  const held: Socket[] = [];
  let frozen = false;
  let ssh = sshServer(options, options.hostKey);
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    if (frozen) held.push(socket);
    else ssh.injectSocket(socket);
  });
  const listen = (port: number) =>
    new Promise<number>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, HOST, () => {
        server.off('error', reject);
        const bound = server.address();
        resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
      });
    });
  const address = { host: HOST, port: await listen(0) };
  return {
    address,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
    reopen: async () => {
      if (!server.listening) await listen(address.port);
    },
    freeze: (wanted) => {
      frozen = wanted;
      for (const socket of sockets) {
        if (wanted) socket.pause();
        else socket.resume();
      }
      if (!wanted) for (const socket of held.splice(0)) ssh.injectSocket(socket);
    },
    setHostKey: (key) => {
      ssh = sshServer(options, key);
    },
  };
}

function sshServer(options: SshDoorOptions, key: OpensshKey): SshServer {
  // Through the default import: Node finds no named `Server` in this CommonJS package when the source runs unbundled.
  return new ssh2.Server({ hostKeys: [key.privateKey] }, (connection) => serve(connection, options));
}

function serve(connection: Connection, options: SshDoorOptions): void {
  const sessions = new Set<() => void>();
  connection.on('error', () => connection.end());
  connection.once('close', () => {
    for (const hangUp of sessions) hangUp();
  });
  connection.on('authentication', (attempt) => {
    setTimeout(() => {
      // Without a signature the client only asks whether a key would do.
      const signed = attempt.method === 'publickey' && attempt.signature !== undefined;
      if (signed && options.conduct.watch('before', 'ssh login')) connection.end();
      else judgeLogin(attempt, options.login);
    }, options.conduct.loginDelayMs);
  });
  connection.once('ready', () => void options.conduct.watch('after', 'ssh login'));
  connection.on('session', (accept, reject) => {
    if (sessions.size >= MAX_SESSIONS) reject();
    else serveSession(accept(), options, sessions);
  });
}

function serveSession(session: Session, options: SshDoorOptions, sessions: Set<() => void>): void {
  let child: ChildProcessWithoutNullStreams | undefined;
  let terminal = false;
  let gone = false;
  // A client that leaves closes the pipes and kills nothing; a channel whose input nobody reads would not even tell that it closed.
  const hangUp = () => {
    gone = true;
    sessions.delete(hangUp);
    for (const pipe of [child?.stdin, child?.stdout, child?.stderr]) pipe?.destroy();
  };
  sessions.add(hangUp);
  const begin = (channel: ServerChannel, command: string | null) => {
    // `finish` is when our own close goes out: the client may open its next channel on seeing it, so room is made by then.
    channel.once('finish', hangUp);
    channel.once('close', hangUp);
    if (options.terminalOnly && !terminal) {
      refuseWithoutTerminal(channel);
      return;
    }
    setTimeout(() => {
      const what = `ssh ${command ?? 'shell'}`;
      if (gone || options.conduct.watch('before', what)) return;
      const fallback = terminal ? ['-i'] : [];
      child = options.launch(command === null || options.terminalOnly ? fallback : ['-c', command]);
      child.once('exit', () => void options.conduct.watch('after', what));
      if (terminal) joinTerminal(channel, child);
      else joinCommand(channel, child, options.conduct);
    }, options.conduct.execDelayMs);
  };
  session.on('pty', (accept) => {
    terminal = true;
    accept?.();
  });
  session.on('exec', (accept, _reject, info) => begin(accept(), info.command));
  session.on('shell', (accept) => begin(accept(), null));
  session.on('signal', (accept, _reject, info) => {
    accept?.();
    signalGroup(child?.pid, info.name);
  });
}

function refuseWithoutTerminal(channel: ServerChannel): void {
  channel.resume();
  channel.write("Error: Your SSH client doesn't support PTY\n");
  channel.exit(1);
  channel.end();
}
