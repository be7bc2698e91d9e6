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
};

const atExit = z.object({ cpuMs: z.number(), peakRssBytes: z.number() });

/** Runs it to its end; throws when it does not end with 0. */
export async function start({ name, args, env }: Command): Promise<Start> {
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
  if (code !== 0) throw new Error(`${name} ended with ${String(code)}: ${errors.slice(0, 500)}`);
  return { wallMs, ...atExit.parse(JSON.parse(told)) };
}
