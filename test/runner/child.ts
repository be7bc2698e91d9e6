/** One process of a step: its lines, its end, and the signals by which the runner stops it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Texts } from './expressions.ts';

export type Limits = {
  /** How long a minute of `timeout-minutes` lasts. */
  readonly minuteMs: number;
  readonly sigintMs: number;
  readonly sigtermMs: number;
  /** From a cancel to the end of everything: the interrupted step, `always()` steps and posts. */
  readonly cancelBudgetMs: number;
  /** How long the output of children that outlive the entry process is waited for. */
  readonly streamGraceMs: number;
};

/** (runner: ProcessInvoker, JobDispatcher) */
export const REAL_LIMITS: Limits = {
  minuteMs: 60_000,
  sigintMs: 7_500,
  sigtermMs: 2_500,
  cancelBudgetMs: 285_000,
  streamGraceMs: 5_000,
};

export type ChildCall = {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Texts;
  readonly cwd: string;
  readonly limits: Limits;
  readonly stop: AbortSignal;
  readonly onLine: (line: string) => void;
  readonly onStart: (child: ChildProcess) => void;
  /** Given: the script is asked before and after each write of a runner file, and waits for the return. */
  readonly onFile?: (when: 'before' | 'after', path: string) => void;
};

export type ChildEnd = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

const HOLD = fileURLToPath(new URL('hold-files.mjs', import.meta.url));

function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
  stream.once('end', () => {
    if (rest !== '') onLine(rest);
  });
}

function answerQuestions(child: ChildProcess, onFile: NonNullable<ChildCall['onFile']>): void {
  const [asked, word] = [child.stdio[3] as Readable, child.stdio[4] as Writable];
  word.on('error', () => undefined);
  readLines(asked, (line) => {
    const [, when = '', path = ''] = /^(before|after) (.*)$/.exec(line) ?? [];
    onFile(when === 'before' ? 'before' : 'after', path);
    word.write('.');
  });
}

function later(waitMs: number, ended: Promise<unknown>): Promise<'ended' | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), waitMs);
  });
  return Promise.race([ended.then(() => 'ended' as const), late]).finally(() => clearTimeout(timer));
}

/** SIGINT, SIGTERM, kill: to the entry process alone; its children are not told. */
async function stopInSteps(child: ChildProcess, exited: Promise<unknown>, limits: Limits): Promise<void> {
  child.kill('SIGINT');
  if ((await later(limits.sigintMs, exited)) === 'ended') return;
  child.kill('SIGTERM');
  if ((await later(limits.sigtermMs, exited)) === 'ended') return;
  child.kill('SIGKILL');
}

/** Resolves when the process has ended, whatever its code. It leads a group of its own, and reads nothing. */
export async function runChild(call: ChildCall): Promise<ChildEnd> {
  const held = call.onFile !== undefined;
  const child = spawn(call.file, [...(held ? ['--import', HOLD] : []), ...call.args], {
    cwd: call.cwd,
    env: call.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...(held ? (['pipe', 'pipe'] as const) : [])],
  });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  readLines(child.stdout as Readable, call.onLine);
  readLines(child.stderr as Readable, call.onLine);
  if (call.onFile !== undefined) answerQuestions(child, call.onFile);
  await once(child, 'spawn');
  call.onStart(child);
  const stopping = new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      stopInSteps(child, exited, call.limits).then(resolve, reject);
    };
    if (call.stop.aborted) stop();
    else call.stop.addEventListener('abort', stop, { once: true });
  });
  const [code, signal] = await exited;
  if (call.stop.aborted) await stopping;
  if ((await later(call.limits.streamGraceMs, closed)) === 'late')
    for (const stream of child.stdio) stream?.destroy();
  return { code, signal };
}
