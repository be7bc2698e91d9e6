/** Ways to spoil a registry: bytes, types, hostile values, files where none belong, forged and cut histories. */
import fc from 'fast-check';
import type { MemoryHost } from '../../src/adapters/memory-registry.ts';
import { podPath } from '../../src/domain/registry/layout.ts';
import { sha256 } from '../domain/registry/record-maker.ts';

/** Changes a host in place; `at` and `more` choose where, from 0 to below 1. */
type Spoil = (host: MemoryHost, at: number, more: number) => void;

const pick = <T>(of: readonly T[], at: number): T => {
  const found = of[Math.floor(at * of.length)];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
};

const HOSTILE: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1e308,
  2 ** 53,
  Number.MAX_SAFE_INTEGER,
  '',
  ' ',
  '\u202e',
  'a'.repeat(5000),
  [],
  {},
  [[]],
  '../../../../etc/passwd',
  '..',
  '/etc/passwd',
  'C:\\Windows',
  'pods/../../x',
  '$(reboot)',
  '`id`',
  '; rm -rf /',
  '-oProxyCommand=x',
  'reaper',
  'reaper:r1',
  'active',
  'terminating',
  'terminated',
  'intent',
  'runpod',
  'foreign1',
  'A',
  '203.0.113.66:22',
  'http://evil.example',
  '2026-03-02T12:00:00Z',
  '1970-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '0000-01-01T00:00:00+23:59',
  '2026-02-30T00:00:00Z',
  { host: 'evil.example', port: 22 },
  { toString: 'x' },
  ['a', 'foreign1'],
];

const LINES = [
  'Podtrack-Op: fence pod=runpod.foreign1 rev=1 key=k reason=forced',
  'Podtrack-Pod: runpod.foreign1',
  'Podtrack-Seq: 999999999999999999',
  `Podtrack-Op: ${'x'.repeat(5000)}`,
  'Podtrack-Op: %ff%00 pod=../../x',
  `Podtrack-Previous: ${'a'.repeat(40)}`,
];

function tipFiles(host: MemoryHost): Map<string, string> {
  return new Map(host.commits.at(-1)?.files);
}

/** A new commit, as somebody who may push would make it. */
function commit(host: MemoryHost, files: ReadonlyMap<string, string>, message = 'by hand\n'): void {
  const id = sha256(`${host.commits.length} ${message} ${[...files].join()}`).slice(0, 40);
  host.commits = [...host.commits, { id, at: host.commits.at(-1)?.at ?? 0, message, files }];
}

function changeFile(host: MemoryHost, at: number, change: (text: string) => string): void {
  const files = tipFiles(host);
  const names = [...files.keys()].filter((path) => path.endsWith('.json'));
  if (names.length === 0) return;
  const path = pick(names, at);
  files.set(path, change(files.get(path) ?? ''));
  commit(host, files);
}

/** Every place in a JSON value, as the keys that lead there. */
function places(value: unknown, below: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [below];
  return [below, ...Object.entries(value).flatMap(([key, inner]) => places(inner, [...below, key]))];
}

function withValue(value: unknown, [key, ...rest]: readonly string[], next: unknown): unknown {
  if (key === undefined) return next;
  if (typeof value !== 'object' || value === null) return value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  copy[key] = withValue(copy[key], rest, next);
  return copy;
}

const asJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const setHostile = (text: string, at: number, more: number): string => {
  // What was made deep before would break this walk, which is not the one under test.
  if (text.length > 60_000) return text;
  const value = asJson(text);
  return JSON.stringify(withValue(value, pick(places(value), at), pick(HOSTILE, more)));
};

/** A record of ours under another name: where it says it lies, or anywhere. */
function copyRecord(host: MemoryHost, at: number, more: number): void {
  const files = tipFiles(host);
  const pods = [...files.keys()].filter((path) => path.startsWith('pods/'));
  if (pods.length === 0) return;
  const text = files.get(pick(pods, at)) ?? '';
  const id = pick(['foreign1', 'A', 'a-', 'a_', 'nobody'], more);
  const renamed = text.replace(/"id": "[^"]*"/, `"id": "${id}"`);
  const right = podPath(`runpod.${id}`, sha256);
  const path = pick(
    [right, right, `pods/zz/runpod.${id}.json`, `pods/../runpod.${id}.json`, `pods/${id}.json`],
    (at * 7) % 1,
  );
  files.set(path, more < 0.5 ? renamed : text);
  commit(host, files);
}

const deep = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

const SPOILS: Readonly<Record<string, Spoil>> = {
  'byte flip': (host, at, more) =>
    changeFile(host, at, (text) => {
      const bytes = Buffer.from(text);
      const index = Math.floor(more * bytes.length);
      if (index < bytes.length) bytes[index] = (bytes[index] ?? 0) ^ (1 << Math.floor(at * 8));
      return bytes.toString('utf8');
    }),
  truncation: (host, at, more) =>
    changeFile(host, at, (text) => text.slice(0, Math.floor(more * text.length))),
  'type swap': (host, at, more) => changeFile(host, at, (text) => setHostile(text, more, (at * 31) % 1)),
  'hostile value': (host, at, more) => changeFile(host, (at * 13) % 1, (text) => setHostile(text, at, more)),
  'copied record': copyRecord,
  'deep JSON': (host, at, more) =>
    changeFile(host, at, (text) => text.replace('{', `{"fromNowhere":${deep(more < 0.5 ? 20 : 20_000)},`)),
  'prototype keys': (host, at, more) =>
    changeFile(host, at, (text) =>
      text.replaceAll(
        more < 0.5 ? '{' : '{\n  "',
        more < 0.5 ? '{"__proto__":{"status":"active","kind":"end"},"constructor":1,' : '{"__proto__":null,"',
      ),
    ),
  'forged message': (host, at, more) =>
    commit(
      host,
      tipFiles(host),
      `${pick(LINES, more)}\n\n${pick(LINES, at)}\n${pick(LINES, (at * 17) % 1)}\n`,
    ),
  'cut history': (host, at) => {
    host.commits = host.commits.slice(0, 1 + Math.floor(at * host.commits.length));
  },
  'swapped history': (host, at, more) => {
    const commits = [...host.commits];
    const [one, other] = [Math.floor(at * commits.length), Math.floor(more * commits.length)];
    const [left, right] = [commits[one], commits[other]];
    if (left === undefined || right === undefined) return;
    [commits[one], commits[other]] = [right, left];
    host.commits = commits;
  },
  'lost file': (host, at) => {
    const files = tipFiles(host);
    files.delete(pick([...files.keys(), 'none'], at));
    commit(host, files);
  },
  'strange path': (host, at, more) => {
    const files = tipFiles(host);
    const text = files.get(pick([...files.keys(), 'none'], at)) ?? '{}';
    files.set(
      pick(
        [
          'pods/x.json',
          'pods/../../meta.json',
          'pods/aa/../b.json',
          'pods//.json',
          'pods/\u202e.json',
          '../escape.json',
        ],
        more,
      ),
      text,
    );
    commit(host, files);
  },
  'spoiled sweep': (host, at, more) => {
    if (host.state === null) return;
    host.state = {
      ...host.state,
      text: more < 0.3 ? host.state.text.slice(0, at * 40) : setHostile(host.state.text, at, more),
    };
  },
};

export type Spoiling = { readonly kind: string; readonly at: number; readonly more: number };

const share = fc.double({ min: 0, max: 0.999999, noNaN: true });

/** One to five spoilings, one after the other. */
export const spoilings: fc.Arbitrary<readonly Spoiling[]> = fc.array(
  fc.record({ kind: fc.constantFrom(...Object.keys(SPOILS)), at: share, more: share }),
  { minLength: 1, maxLength: 5 },
);

export function spoil(host: MemoryHost, all: readonly Spoiling[]): void {
  for (const { kind, at, more } of all) SPOILS[kind]?.(host, at, more);
}

/** Asked of the raw texts, without any of our parsers: whether some version of some file says that this pod is ours. */
export function saysOurs(
  host: MemoryHost,
  pod: { readonly id: string; readonly createdAt: number | null },
): boolean {
  const path = podPath(`runpod.${pod.id}`, sha256);
  return host.commits.some(({ files }) => {
    const said = asJson(files.get(path) ?? '') as Readonly<Record<string, unknown>> | null;
    if (said === null || said['id'] !== pod.id || said['provider'] !== 'runpod') return false;
    const { createdAt } = said as { createdAt?: unknown };
    if (createdAt === null || pod.createdAt === null) return true;
    return typeof createdAt === 'string' && Math.abs(Date.parse(createdAt) - pod.createdAt) < 1000;
  });
}
