/** Starts a Node program by itself and takes down what it cost, from outside and from its own last words. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

export type Start = { readonly wallMs: number; readonly cpuMs: number; readonly peakRssBytes: number };
export type Command = {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** How it ends when all is as it should be; default 0. */
  readonly code?: number;
};

const atExit = z.object({ cpuMs: z.number(), peakRssBytes: z.number() });

/** Runs it to its end; throws when it ends with another code than it should. */
export async function start({ name, args, env, code: wanted = 0 }: Command): Promise<Start> {
  const begunAt = performance.now();
  const preload = ['--require', join(process.cwd(), 'bench', 'at-exit.cjs')];
  const child = spawn(process.execPath, [...preload, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const [told, errors, code] = await Promise.all([
    text(child.stdio[3] as Readable),
    text(child.stderr as Readable),
    new Promise((resolve) => child.once('close', resolve)),
  ]);
  const wallMs = performance.now() - begunAt;
  if (code !== wanted) throw new Error(`${name} ended with ${String(code)}: ${errors.slice(0, 500)}`);
  return { wallMs, ...atExit.parse(JSON.parse(told)) };
}
