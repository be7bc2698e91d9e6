/** Takes down what others could have seen while something ran: addresses that servers were asked for, and arguments of processes. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Exhibit } from './secret-scan.ts';

export type Witness = { exhibits(): readonly Exhibit[]; close(): void };

const REQUESTS = 'http.server.request.start';

/**
 * Every server of this process is a double: each address with its query, and each header but the one for credentials.
 * `hosts`: only what these were asked; null = all.
 */
export function watchRequests(hosts: ReadonlySet<string> | null = null): Witness {
  const seen: Exhibit[] = [];
  const hear = (message: unknown): void => {
    const { request } = message as { request: IncomingMessage };
    const { authorization: _, ...headers } = request.headers;
    const host = request.headers.host ?? '?';
    if (hosts?.has(host) === false) return;
    const where = `request to ${host}`;
    seen.push({ where, text: `${request.method} ${request.url}\n${JSON.stringify(headers)}` });
  };
  subscribe(REQUESTS, hear);
  return { exhibits: () => seen, close: () => void unsubscribe(REQUESTS, hear) };
}

const LOOK_EVERY_MS = 8;
/** A process begins with its parent's arguments, and takes its own a moment later. */
const LOOKS = 12;

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}

/** Looks at every process of this machine that begins from now on; one that is over within a look is missed. */
export function watchArguments(everyMs = LOOK_EVERY_MS): Witness {
  const left = new Map<string, number>(readdirSync('/proc').map((pid) => [pid, 0]));
  const seen = new Set<string>();
  const look = (): void => {
    for (const pid of readdirSync('/proc')) {
      const looks = left.get(pid) ?? (/^\d+$/.test(pid) ? LOOKS : 0);
      if (looks === 0) continue;
      left.set(pid, looks - 1);
      const line = textOf(`/proc/${pid}/cmdline`);
      if (line !== null && line !== '') seen.add(line.replaceAll('\0', ' '));
    }
  };
  const timer = setInterval(look, everyMs);
  return {
    exhibits: () => [...seen].map((text) => ({ where: `arguments: ${text.slice(0, 60)}`, text })),
    close: () => clearInterval(timer),
  };
}

/** A folder may vanish while it is read. */
function namesBelow(folder: string, tries = 3): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch (error) {
    if (tries > 1) return namesBelow(folder, tries - 1);
    throw error;
  }
}

/** Every file below a folder, by `name` and its path there. */
export function filesBelow(name: string, folder: string): Exhibit[] {
  return namesBelow(folder)
    .filter((path) => statSync(join(folder, path), { throwIfNoEntry: false })?.isFile() === true)
    .map((path) => ({ where: `${name} /${path}`, text: textOf(join(folder, path)) ?? '' }));
}

/** What processes have in their environment. */
export function environments(name: string, pids: readonly number[]): Exhibit[] {
  return pids.map((pid) => ({
    where: `${name} environment of ${textOf(`/proc/${pid}/comm`)?.trim() ?? '?'}`,
    text: textOf(`/proc/${pid}/environ`) ?? '',
  }));
}
