/** Which files below the artifact root are wanted: patterns as data, their limits, and what they make of a manifest. */
import { z } from 'zod';
import type { Manifest } from './artifacts.ts';
import { ConfigError } from './errors.ts';

/** Breaks lines, or shows a person another text than the one that is meant. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** Together; they stand in the record and in its last mirror. */
const MOST_PATTERNS = 64;
const LONGEST_PATTERN = 256;
/** What braces may multiply to, over all patterns: each alternative is tried on each name. */
const MOST_ALTERNATIVES = 256;

const pattern = z.string().refine((text) => patternFault(text) === null, 'not a usable pattern');

/** Relative to the artifact root. Exclude wins over include; no include = every file. */
export const choice = z
  .object({ include: z.array(pattern), exclude: z.array(pattern) })
  .refine((of) => choiceFault(of) === null, 'too many patterns');
export type Choice = Readonly<z.infer<typeof choice>>;

/** Patterns made ready by whoever knows how: whether any of them matches a path, or a folder above it. */
export type Compile = (patterns: readonly string[]) => (path: string) => boolean;

/** Why no pattern may read like this; null = it may. */
export function patternFault(text: string): string | null {
  if (text === '') return 'it is empty';
  if (text.length > LONGEST_PATTERN) return `it is longer than ${LONGEST_PATTERN} characters`;
  if (UNSEEN.test(text)) return 'it holds a control character';
  if (/^[/~]/.test(text)) return 'it is absolute; patterns are relative to remote-path';
  if (text.startsWith('!')) return 'it is a negation; what is not wanted goes into exclude';
  const parts = text.split('/');
  if (parts.includes('..')) return 'it leads out of remote-path';
  if (parts.slice(0, -1).includes('') || parts.includes('.'))
    return 'it has an empty part, or a part that is a dot';
  if (/\{[^{}]*\.\.[^{}]*\}/.test(text)) return 'it counts in braces; write [0-9], or {a,b}';
  return alternatives(text) > MOST_ALTERNATIVES ? 'its braces give too many alternatives' : null;
}

/** At least as many patterns as the braces unfold to; a brace that is not closed stands for itself. */
function alternatives(text: string): number {
  let product = 1;
  const open: number[] = [];
  for (const [letter = ''] of text.matchAll(/\\?./gsu)) {
    const inner = open.at(-1);
    if (letter === '{') open.push(1);
    else if (letter === ',' && inner !== undefined) open[open.length - 1] = inner + 1;
    else if (letter === '}') product *= open.pop() ?? 1;
  }
  return product;
}

function choiceFault({ include, exclude }: { include: readonly string[]; exclude: readonly string[] }) {
  const all = [...include, ...exclude];
  if (all.length > MOST_PATTERNS)
    return `there are ${all.length} patterns, and at most ${MOST_PATTERNS} are taken`;
  const unfolded = all.reduce((sum, text) => sum + alternatives(text), 0);
  return unfolded > MOST_ALTERNATIVES
    ? `their braces unfold to ${unfolded} patterns, and at most ${MOST_ALTERNATIVES} are taken`
    : null;
}

function refused(input: string, cameBack: string): ConfigError {
  return new ConfigError(input, {
    tried: `Reading the patterns of ${input}`,
    cameBack,
    state: 'Nothing was changed',
    next: 'Give one pattern a line, relative to remote-path, such as checkpoints/**/*.pt',
  });
}

/** One pattern a line; blanks around it, empty lines and lines that begin with # do not count. */
function patternsOf(input: string, text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  const patterns = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (patterns.length === 0) throw refused(input, 'no line of it is a pattern');
  return patterns.map((line) => {
    const plain = line.startsWith('./') ? line.slice(2) : line;
    const fault = patternFault(plain);
    if (fault !== null) throw refused(input, `"${line.slice(0, 60)}": ${fault}`);
    return plain;
  });
}

/** The texts that were given for each; none = nothing was given. */
type Texts = { readonly include: readonly string[]; readonly exclude: readonly string[] };

/** null = no pattern, so every file. `dashes` as the door writes its names. Throws ConfigError naming the input. */
export function parseChoice(of: Texts, dashes: '' | '--'): Choice | null {
  const inputs = { include: `${dashes}include`, exclude: `${dashes}exclude` };
  const include = of.include.flatMap((text) => patternsOf(inputs.include, text));
  const exclude = of.exclude.flatMap((text) => patternsOf(inputs.exclude, text));
  if (include.length + exclude.length === 0) return null;
  const fault = choiceFault({ include, exclude });
  if (fault !== null) throw refused(include.length > exclude.length ? inputs.include : inputs.exclude, fault);
  return { include, exclude };
}

/** Whether a path is wanted. */
export function chooser(of: Choice | null, compile: Compile): (path: string) => boolean {
  if (of === null) return () => true;
  const isIncluded = of.include.length === 0 ? () => true : compile(of.include);
  const isExcluded = compile(of.exclude);
  return (path) => isIncluded(path) && !isExcluded(path);
}

export type Chosen = {
  readonly manifest: Manifest;
  /** Files that the patterns left out. */
  readonly leftOut: number;
};

/** The wanted part of a manifest. Links and what is no file are chosen by their own path. */
export function choose(all: Manifest, isWanted: (path: string) => boolean): Chosen {
  const wanted = ({ path }: { readonly path: string }): boolean => isWanted(path);
  const files = all.files.filter(wanted);
  const manifest = { files, links: all.links.filter(wanted), others: all.others.filter(isWanted) };
  return { manifest, leftOut: all.files.length - files.length };
}

/** The order of patterns, and saying one twice, change nothing. */
export function sameChoice(one: Choice | null, other: Choice | null): boolean {
  const key = (patterns: readonly string[] = []): string => JSON.stringify([...new Set(patterns)].sort());
  return key(one?.include) === key(other?.include) && key(one?.exclude) === key(other?.exclude);
}

/** `only checkpoints/**, without *.tmp`; null = every file. */
export function saysChoice(of: Choice | null): string | null {
  if (of === null) return null;
  const only = of.include.length === 0 ? [] : [`only ${of.include.join(' ')}`];
  const without = of.exclude.length === 0 ? [] : [`without ${of.exclude.join(' ')}`];
  return [...only, ...without].join(', ');
}

/** `; 12 file(s) left out by patterns`, or nothing. */
export function saysLeftOut(leftOut: number): string {
  return leftOut === 0 ? '' : `; ${leftOut} file(s) left out by patterns`;
}
