/** One request as the handlers see it, and the table rows that say which handler answers which path. */
import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Operation } from '../model/faults.ts';
import type { Caller } from '../model/keys.ts';
import type { PodState } from '../model/pod-state.ts';
import type { World } from '../model/state.ts';
import type { PodLogLine, PodTelemetry } from '../pod-hosts.ts';
import type { Reply } from './reply.ts';

/** What arrived on the socket; `path` without query, undecoded. */
export interface WorldRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Where live facts about containers come from, and how to be woken later. */
export interface Lookout {
  /** null = the host did not answer. */
  telemetry(pod: PodState): PodTelemetry | null;
  containerLog(pod: PodState): readonly PodLogLine[];
  /** Runs `look` again and again until the returned function is called. */
  every(ms: number, look: () => void): () => void;
}

export interface Call {
  readonly world: World;
  readonly request: WorldRequest;
  /** Decoded path parameters by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly caller: Caller;
  readonly lookout: Lookout;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with `{name}` for parameters. */
  readonly path: string;
  readonly operation: Operation;
  /** What a success must look like; null = no JSON body. */
  readonly answer: z.ZodType | null;
  readonly handle: (call: Call) => Reply;
}

/** The path parameter `id` (routes that read it have it). */
export function idOf(call: Call): string {
  return call.params['id'] ?? '';
}

export interface Found {
  readonly routes: readonly Route[];
  readonly params: Readonly<Record<string, string>>;
}

function paramsOf(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const word = given[i] ?? '';
    if (!part.startsWith('{')) {
      if (part !== word) return null;
    } else if (word === '') return null;
    else params[part.slice(1, -1)] = decoded(word);
  }
  return params;
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

/** All routes of a path whatever their method; a literal path wins over one with parameters. */
export function routesAt(table: readonly Route[], path: string): Found | null {
  const literal = table.filter((route) => route.path === path);
  if (literal.length > 0) return { routes: literal, params: {} };
  for (const { path: pattern } of table) {
    const params = paramsOf(pattern, path);
    if (params !== null) return { routes: table.filter((route) => route.path === pattern), params };
  }
  return null;
}
