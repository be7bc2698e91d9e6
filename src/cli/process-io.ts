/** The real process as the command line's surroundings: streams, terminal, signals, and the end. */
import type { CliIo } from './call.ts';
import { run } from './main.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** A second signal, or work that does not let go in this time, ends the process as it stands. */
const LAST_WORDS_MS = 2_000;

/** Runs the command line of this process and leaves its exit code; a clean end needs no `exit`. */
export async function runProcess(): Promise<void> {
  const stop = new AbortController();
  const hear = (signal: NodeJS.Signals): void => {
    if (stop.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143);
    stop.abort(signal);
  };
  for (const signal of SIGNALS) process.on(signal, hear);
  // A reader that has seen enough (`| head`) is no error.
  process.stdout.on('error', () => process.exit(process.exitCode ?? 0));
  const code = await run(process.argv.slice(2), process.env, processIo(stop.signal));
  process.exitCode = code;
  for (const signal of SIGNALS) process.off(signal, hear);
  // What was cut off may still hold connections open.
  if (stop.signal.aborted) setTimeout(() => process.exit(code), LAST_WORDS_MS).unref();
  if (code === 130 || code === 143) process.exit(code);
}

function processIo(signal: AbortSignal): CliIo {
  const columns = process.stdout.columns ?? process.stderr.columns ?? 80;
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    input: readAll,
    outIsTerminal: process.stdout.isTTY === true,
    errIsTerminal: process.stderr.isTTY === true,
    columns,
    cwd: process.cwd(),
    signal,
  };
}

async function readAll(): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}
