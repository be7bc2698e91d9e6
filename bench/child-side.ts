/** The other end of `child.ts`: hears its task, answers, and tells what it has cost. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Cost } from './messages.ts';

/** The task as the parent sent it: both are this one program. */
export async function heard<Task>(): Promise<Task> {
  const [task]: [Task] | unknown[] = await once(process, 'message');
  return task as Task;
}

export async function answer(result: object): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    process.send?.(result, undefined, {}, (error: Error | null) =>
      error === null ? resolve() : reject(error),
    );
  });
}

/** Linux hands the parent's peak on to a child in `maxRSS`; VmHWM begins anew with each program. */
function peakRssBytes(): number {
  try {
    const status = readFileSync('/proc/self/status', 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}

/** Runs `work`; wall time of it alone, CPU and memory of the whole process. */
export async function costOf<T>(work: () => Promise<T>): Promise<{ cost: Cost; result: T }> {
  const begunAt = performance.now();
  const result = await work();
  const wallMs = performance.now() - begunAt;
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  return {
    cost: { wallMs, cpuMs: (userCPUTime + systemCPUTime) / 1000, peakRssBytes: peakRssBytes() },
    result,
  };
}
