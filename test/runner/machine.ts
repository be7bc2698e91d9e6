/** The machine of one job: its folders, its processes, and how all of them end when it is lost. */
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Machine = {
  readonly name: string;
  readonly workspace: string;
  readonly temp: string;
  readonly toolCache: string;
  readonly home: string;
  /** Stands in the environment of every process of the job; who keeps it is ended with the job. */
  readonly trackingId: string;
  readonly entries: Set<ChildProcess>;
  /** SIGKILL to every process of this job, detached ones too. */
  killAll(): void;
  remove(): void;
};

function environOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/** `parent`: where machines are put; default: the system's folder for what is temporary. */
export function createMachine(name: string, repository: string, parent: string | undefined): Machine {
  const folder = mkdtempSync(join(parent ?? tmpdir(), 'podtrack-runner-'));
  const project = repository.slice(repository.indexOf('/') + 1);
  const path = (...parts: readonly string[]): string => {
    const made = join(folder, ...parts);
    mkdirSync(made, { recursive: true });
    return made;
  };
  const trackingId = `github_${randomUUID()}`;
  const entries = new Set<ChildProcess>();
  return {
    name,
    workspace: path('_work', project, project),
    temp: path('_work', '_temp'),
    toolCache: path('_work', '_tool'),
    home: path('home'),
    trackingId,
    entries,
    killAll() {
      for (const { pid } of entries) if (pid !== undefined) kill(pid);
      for (const pid of readdirSync('/proc').filter((each) => /^\d+$/.test(each)))
        if (environOf(pid).split('\0').includes(`RUNNER_TRACKING_ID=${trackingId}`)) kill(Number(pid));
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}
