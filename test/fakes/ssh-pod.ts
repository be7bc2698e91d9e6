/** A pod behind a real SSH server that answers our scripts from memory: no process starts, whatever is asked of it. */
import { createServer, type Socket } from 'node:net';
import ssh2, { type Connection, type ServerChannel } from 'ssh2';
import { makeOpensshKey } from '../../src/world/pods/openssh-key.ts';
import { judgeLogin } from '../../src/world/pods/ssh-login.ts';
import { joinFarAway } from './far-away.ts';

/** One command as it came: the words after `podtrack`, and all of stdin; a plain command reads none of it. */
export type Asked = { readonly command: string; readonly args: readonly string[]; readonly stdin: Buffer };
export type Answers = (
  asked: Asked,
) => Promise<{ readonly exitCode: number; readonly stdout: Buffer | string }>;

export type SshPod = {
  readonly port: number;
  /** TCP connections taken so far, whatever came of them. */
  readonly connections: () => number;
  close(): Promise<void>;
};

export type SshPodOptions = {
  readonly publicLines: readonly string[];
  readonly answer: Answers;
  /** The way there and back, for every exchange of a login and of a command. */
  readonly roundTripMs: () => number;
};

const OURS = / podtrack((?: '(?:[^']|'\\'')*')*)$/;

/** Whether it comes from our adapter; anything else is somebody's plain command. */
export const isOurs = (command: string): boolean => OURS.test(command);

function wordsAfterName(command: string): string[] {
  const tail = OURS.exec(command)?.[1] ?? '';
  return [...tail.matchAll(/'((?:[^']|'\\'')*)'/g)].map((match) => (match[1] ?? '').replaceAll("'\\''", "'"));
}

/** Not by iteration: that would take the channel down together with its input. */
function allOf(channel: ServerChannel): Promise<Buffer> {
  const parts: Buffer[] = [];
  channel.on('data', (chunk: Buffer) => parts.push(chunk));
  return new Promise((resolve) => channel.once('end', () => resolve(Buffer.concat(parts))));
}

async function serveCommand(channel: ServerChannel, command: string, answer: Answers): Promise<void> {
  const stdin = isOurs(command) ? await allOf(channel) : Buffer.alloc(0);
  const end = stdin.indexOf(10);
  const token = stdin.subarray(0, Math.max(0, end)).toString('latin1');
  const { exitCode, stdout } = await answer({ command, args: wordsAfterName(command), stdin });
  channel.stderr.write(`\n${token} begin\n\n${token} end ${exitCode}\n`);
  channel.write(
    Buffer.concat([
      Buffer.from(`\n${token} begin\n`),
      Buffer.from(stdout),
      Buffer.from(`\n${token} end ${exitCode}\n`),
    ]),
  );
  channel.exit(0);
  channel.end();
}

function serve(connection: Connection, options: SshPodOptions): void {
  connection.on('error', () => connection.end());
  connection.on('authentication', (attempt) =>
    judgeLogin(attempt, { username: 'root', keys: () => options.publicLines, refused: () => false }),
  );
  connection.on('session', (accept) => {
    accept().on('exec', (take, _refuse, { command }) => {
      const channel = take();
      // Whoever asked may leave before he is answered.
      channel.on('error', () => undefined);
      serveCommand(channel, command, options.answer).catch(() => channel.close());
    });
  });
}

async function listening(
  server: { address(): unknown },
  listen: (done: () => void) => unknown,
): Promise<number> {
  await new Promise<void>((resolve) => {
    listen(resolve);
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null || !('port' in address)) throw new Error('no port');
  return Number(address.port);
}

/** Listens on a free port of 127.0.0.1, with a host key of its own. */
export async function openSshPod(options: SshPodOptions): Promise<SshPod> {
  const ssh = new ssh2.Server({ hostKeys: [makeOpensshKey('pod').privateKey] }, (one) => serve(one, options));
  // A server of our own, since ssh2's waits for acknowledgements before it sends small packets.
  const inside = createServer({ noDelay: true }, (socket) => ssh.injectSocket(socket));
  const inner = await listening(inside, (done) => inside.listen(0, '127.0.0.1', done));
  const sockets = new Set<Socket>();
  let connections = 0;
  const tcp = createServer({ noDelay: true }, (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    joinFarAway(socket, inner, options.roundTripMs());
  });
  return {
    port: await listening(tcp, (done) => tcp.listen(0, '127.0.0.1', done)),
    connections: () => connections,
    async close() {
      const closed = [tcp, inside].map((server) => new Promise((resolve) => server.close(resolve)));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}
