/** Holds a registry's history against what its writers wrote down: the invariants that no storm may break. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyAll } from '../../src/domain/registry/apply.ts';
import { parseMeta, parseRecord } from '../../src/domain/registry/files.ts';
import { isPodPath, META_PATH } from '../../src/domain/registry/layout.ts';
import { parseMessage, parseOpTrailer } from '../../src/domain/registry/message.ts';
import type { RegistryOp } from '../../src/domain/registry/ops.ts';
import { emptyRegistry, type RegistryState } from '../../src/domain/registry/state.ts';
import type { Line } from './task.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

type Sent = { readonly op: RegistryOp; readonly atNs: bigint };
export type Journal = {
  readonly sent: ReadonlyMap<string, Sent>;
  /** Last word about each key that somebody was told. */
  readonly told: ReadonlyMap<string, { readonly result: string; readonly atNs: bigint }>;
  readonly lines: readonly Line[];
};

/** A line that a kill cut in the middle was never told to anybody. */
export function readJournals(folder: string): Journal {
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const lines = texts.flatMap((text) =>
    text.split('\n').flatMap((line): Line[] => {
      try {
        return line === '' ? [] : [JSON.parse(line)];
      } catch {
        return [];
      }
    }),
  );
  const sent = new Map<string, Sent>();
  const told = new Map<string, { result: string; atNs: bigint }>();
  for (const line of lines) {
    if (line.kind === 'sent') for (const op of line.ops) sent.set(op.key, { op, atNs: BigInt(line.atNs) });
    if (line.kind === 'told')
      for (const [index, key] of line.keys.entries())
        told.set(key, { result: line.results[index] ?? '', atNs: BigInt(line.atNs) });
  }
  return { sent, told, lines };
}

type Commit = {
  readonly oid: string;
  readonly parents: readonly string[];
  readonly seq: number | null;
  readonly keys: readonly string[];
  readonly refused: readonly string[];
  readonly paths: readonly string[];
};

function readCommits(git: (...args: string[]) => string): readonly Commit[] {
  const out = git(
    'log',
    '--first-parent',
    '--reverse',
    '--name-only',
    '--format=%x01%H %P%x02%B%x02',
    'refs/heads/podtrack',
  );
  return out
    .split('\u0001')
    .slice(1)
    .map((entry) => {
      const [head = '', message = '', paths = ''] = entry.split('\u0002');
      const [oid = '', ...parents] = head.trim().split(' ');
      const { trailers } = parseMessage(message);
      const values = (name: string): string[] =>
        trailers.filter(([each]) => each === name).map(([, value]) => value);
      const keyed = (name: string): string[] =>
        values(name).map((value) => parseOpTrailer(value)['key'] ?? '');
      const seq = values('Podtrack-Seq')[0];
      return {
        oid,
        parents,
        seq: seq === undefined ? null : Number(seq),
        keys: keyed('Podtrack-Op'),
        refused: keyed('Podtrack-Refused'),
        paths: paths
          .trim()
          .split('\n')
          .filter((path) => path !== ''),
      };
    });
}

export type Verdict = {
  readonly commits: number;
  readonly events: number;
  readonly folded: number;
  readonly acknowledged: number;
  /** What is broken, in words; empty = nothing. */
  readonly violations: readonly string[];
};

/** I1, I4: what was acknowledged stands there once, what was not at most once, and nothing that nobody sent. */
function counted(commits: readonly Commit[], { sent, told }: Journal): string[] {
  const times = new Map<string, number>();
  for (const { keys } of commits) for (const key of keys) times.set(key, (times.get(key) ?? 0) + 1);
  const refusedLate = new Set(commits.flatMap(({ refused }) => refused));
  const lost = [...told].filter(
    ([key, { result }]) => result !== 'refused' && !times.has(key) && !refusedLate.has(key),
  );
  const doubled = [...times].filter(([, count]) => count > 1);
  const strange = [...times.keys()].filter((key) => !sent.has(key));
  const refused = [...told].filter(([key, { result }]) => result === 'refused' && times.has(key));
  return [
    ...lost.map(([key]) => `I1 lost: ${key}`),
    ...doubled.map(([key, count]) => `I1 doubled: ${key} stands ${count} times`),
    ...strange.map((key) => `I4 nobody sent ${key}`),
    ...refused.map(([key]) => `I4 refused and written: ${key}`),
    ...[...refusedLate].map((key) => `I1 acknowledged as queued and refused later: ${key}`),
  ];
}

/** I2: one parent each, seq one by one. */
function linear(commits: readonly Commit[]): string[] {
  return commits.flatMap(({ oid, parents, seq }, index) => {
    const before = commits[index - 1];
    const wanted = before === undefined ? [] : [before.oid];
    return [
      ...(JSON.stringify(parents) === JSON.stringify(wanted)
        ? []
        : [`I2 parents of ${oid}: ${parents.join(' ')}`]),
      ...(seq === index + 1 ? [] : [`I2 seq of ${oid} is ${String(seq)}, not ${index + 1}`]),
    ];
  });
}

/** I5: what was committed and told before another op was begun stands before it. Queued ops come when they come. */
function ordered(commits: readonly Commit[], { sent, told }: Journal): string[] {
  let latest = 0n;
  let latestKey = '';
  const broken: string[] = [];
  for (const key of commits.flatMap(({ keys }) => keys)) {
    const answer = told.get(key);
    if (answer?.result === 'applied' && answer.atNs < latest)
      broken.push(`I5 ${key} was told before ${latestKey} was begun, and stands after it`);
    const begun = sent.get(key)?.atNs ?? 0n;
    if (begun > latest) [latest, latestKey] = [begun, key];
  }
  return broken;
}

type Read = (name: string) => string;

/** I3: the tree at every commit is what its ops make of the tree before. */
function folds(commits: readonly Commit[], { sent }: Journal, read: Read): string[] {
  const broken: string[] = [];
  let state: RegistryState | null = null;
  for (const { oid, keys, paths } of commits) {
    if (state === null) {
      const first = parseMeta(read(`${oid}:${META_PATH}`));
      if (first.kind !== 'whole') return [`I3 ${oid} has no meta.json`];
      state = emptyRegistry(first.value.registryId, null, 0);
    }
    const ops = keys.flatMap((key) => sent.get(key)?.op ?? []);
    const { state: after, results }: ReturnType<typeof applyAll> = applyAll(state, ops);
    if (results.some(({ kind }) => kind !== 'applied')) broken.push(`I3 ops of ${oid} do not apply again`);
    const touched = new Set(Object.keys(after.pods).filter((key) => after.pods[key] !== state?.pods[key]));
    const shown = paths.filter(isPodPath);
    if (shown.length !== touched.size)
      broken.push(`I3 ${oid} changes ${shown.length} records, its ops ${touched.size}`);
    for (const path of shown) {
      const parsed = parseRecord(path, read(`${oid}:${path}`), sha256);
      const key = path.replace(/^.*\/|\.json$/g, '');
      const same =
        parsed.kind === 'whole' &&
        JSON.stringify(parsed.value) === JSON.stringify(sortedAs(parsed.value, after.pods[key]));
      if (!same) broken.push(`I3 ${path} at ${oid} is not what its ops make of it`);
    }
    state = after;
  }
  return broken;
}

/** `other` with its fields in the order of `like`, so that the two can be compared as text. */
function sortedAs(like: unknown, other: unknown): unknown {
  if (typeof like !== 'object' || like === null || Array.isArray(like)) return other;
  if (typeof other !== 'object' || other === null) return other;
  const fields = new Map(Object.entries(other));
  const names = [...new Set([...Object.keys(like), ...fields.keys()])];
  return Object.fromEntries(
    names
      .filter((name) => fields.has(name))
      .map((name) => [
        name,
        sortedAs(Object.entries(like).find(([each]) => each === name)?.[1], fields.get(name)),
      ]),
  );
}

/** All objects of one repository, by one process each for the log and for the files. */
export function verify(folder: string, journal: Journal): Verdict {
  const git = (...args: string[]): string =>
    execFileSync('git', [`--git-dir=${folder}`, ...args], { encoding: 'utf8', maxBuffer: 2 ** 30 });
  const commits = readCommits(git);
  const names = commits.flatMap(({ oid, paths }) =>
    paths.filter((path) => isPodPath(path) || path === META_PATH).map((path) => `${oid}:${path}`),
  );
  const texts = readAll(folder, names);
  const left = git(
    'for-each-ref',
    '--format=%(refname)',
    'refs/podtrack/queue/',
    'refs/heads/podtrack-intents/',
  ).trim();
  const folded =
    git('log', '--format=%B', 'refs/heads/podtrack').match(/^Podtrack-Op: .* queued=/gm)?.length ?? 0;
  const violations = [
    ...counted(commits, journal),
    ...linear(commits),
    ...ordered(commits, journal),
    ...folds(commits, journal, (name) => texts.get(name) ?? ''),
    ...(left === '' ? [] : [`the queue is not empty: ${left.split('\n').length} entries`]),
  ];
  return {
    commits: commits.length,
    events: commits.reduce((sum, { keys }) => sum + keys.length, 0),
    folded,
    acknowledged: [...journal.told.values()].filter(({ result }) => result !== 'refused').length,
    violations,
  };
}

function readAll(folder: string, names: readonly string[]): ReadonlyMap<string, string> {
  const out = execFileSync('git', [`--git-dir=${folder}`, 'cat-file', '--batch'], {
    input: `${names.join('\n')}\n`,
    maxBuffer: 2 ** 30,
  });
  const texts = new Map<string, string>();
  let at = 0;
  for (const name of names) {
    const end = out.indexOf(10, at);
    const size = /^[0-9a-f]+ \w+ (\d+)$/.exec(out.subarray(at, end).toString('utf8'))?.[1];
    at = end + 1;
    if (size === undefined) continue;
    texts.set(name, out.subarray(at, at + Number(size)).toString('utf8'));
    at += Number(size) + 1;
  }
  return texts;
}
