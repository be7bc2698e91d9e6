/** Joins one SSH channel to one process on the pod: three streams, exit status, signals, and the faults a test asked for. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { constants } from 'node:os';
import { Transform } from 'node:stream';
import type { ServerChannel } from 'ssh2';
import type { Conduct } from './conduct.ts';
import { outputsOf } from './ssh-writers.ts';

/**
 * Runs until the process has ended and its output is closed. As under OpenSSH without a terminal, the exit status goes out at
 * once and a background child that holds stdout keeps the channel open.
 */
export function joinCommand(
  channel: ServerChannel,
  child: ChildProcessWithoutNullStreams,
  conduct: Conduct,
): void {
  if (conduct.noise !== '') channel.write(conduct.noise);
  let open = 3;
  const finishOne = () => {
    open -= 1;
    if (open === 0) channel.stderr.end(() => channel.end());
  };
  const out = outputsOf(channel);
  child.stdout.pipe(stallAfter(conduct.stallAfterBytes)).pipe(out.stdout).once('finish', finishOne);
  child.stderr.pipe(out.stderr).once('finish', finishOne);
  channel.pipe(child.stdin);
  child.once('exit', (code, signal) => {
    if (signal === null) channel.exit(code ?? 255);
    else channel.exit(signal.replace(/^SIG/, ''), false, '');
    finishOne();
  });
  child.once('error', (cause) => {
    channel.stderr.end(`sh: ${cause.message}\n`);
    channel.exit(255);
    channel.end();
  });
  for (const stream of [
    child.stdin,
    child.stdout,
    child.stderr,
    out.stdout,
    out.stderr,
    channel,
    channel.stderr,
  ])
    stream.on('error', ignore);
}

/** Passes a client's `signal` request to the process and its children. */
export function signalGroup(pid: number | undefined, name: string): void {
  const signal = `SIG${name}`;
  if (pid === undefined || !isSignal(signal)) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended meanwhile: a late signal is lost on a real pod too.
  }
}

function isSignal(name: string): name is NodeJS.Signals {
  return name in constants.signals;
}

/** Lets so many bytes through and then neither data nor an end, as a connection does that hangs in mid transfer. */
function stallAfter(limit: number | null): Transform {
  let left = limit ?? Number.POSITIVE_INFINITY;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (chunk.length <= left) {
        left -= chunk.length;
        done(null, chunk);
        return;
      }
      this.push(chunk.subarray(0, left));
      left = 0;
    },
  });
}

/** EPIPE and resets are how the other side says that it has gone; the close that follows does the work. */
function ignore(): void {}
