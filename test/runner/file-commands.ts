/** The files by which a step hands over outputs, state, environment, paths and its summary. */

import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const FILE_COMMANDS = ['path', 'env', 'step_summary', 'state', 'output'] as const;
export type FileCommand = (typeof FILE_COMMANDS)[number];
export type Files = Readonly<Record<FileCommand, string>>;
export const FILE_FOLDER = '_runner_file_commands';

const PREFIX: Readonly<Record<FileCommand, string>> = {
  path: 'add_path_',
  env: 'set_env_',
  step_summary: 'step_summary_',
  state: 'save_state_',
  output: 'set_output_',
};
const MOST_SUMMARY_BYTES = 1024 * 1024;

/** Which file a path is; null = none of them. */
export function fileCommandOf(path: string): FileCommand | null {
  if (!path.includes(`/${FILE_FOLDER}/`)) return null;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return FILE_COMMANDS.find((each) => name.startsWith(PREFIX[each])) ?? null;
}

/** Makes a fresh, empty set below `temp`; by name as in the github context. */
export function newFiles(temp: string): Files {
  const folder = join(temp, FILE_FOLDER);
  mkdirSync(folder, { recursive: true });
  const suffix = randomUUID();
  const path = (name: FileCommand): string => join(folder, PREFIX[name] + suffix);
  const files = {
    path: path('path'),
    env: path('env'),
    step_summary: path('step_summary'),
    state: path('state'),
    output: path('output'),
  };
  for (const each of Object.values(files)) writeFileSync(each, '');
  return files;
}

export function textIn(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** `name=value` and `name<<delimiter` … `delimiter`, in order. Throws where the runner does. */
export function pairsIn(text: string): [string, string][] {
  const pairs: [string, string][] = [];
  const whole = text.endsWith('\n');
  const lines = text.split('\n');
  if (whole) lines.pop();
  const bare = (at: number): string => (lines[at] ?? '').replace(/\r$/, '');
  for (let at = 0; at < lines.length; at += 1) {
    const line = bare(at);
    if (line === '') continue;
    const equals = line.indexOf('=');
    const heredoc = line.indexOf('<<');
    if (equals >= 0 && (heredoc < 0 || equals < heredoc)) {
      pairs.push([line.slice(0, equals), line.slice(equals + 1)]);
      continue;
    }
    if (heredoc < 0) throw new Error(`Invalid format '${line}'`);
    const [name, delimiter] = [line.slice(0, heredoc), line.slice(heredoc + 2)];
    if (name === '' || delimiter === '')
      throw new Error(`Invalid format '${line}'. Name must not be empty and delimiter must not be empty`);
    let end = at + 1;
    while (end < lines.length && bare(end) !== delimiter) end += 1;
    if (end >= lines.length) {
      if (!whole && end > at + 1) throw new Error('Invalid value. EOF marker missing new line.');
      throw new Error(`Invalid value. Matching delimiter not found '${delimiter}'`);
    }
    pairs.push([
      name,
      lines
        .slice(at + 1, end)
        .join('\n')
        .replace(/\r$/, ''),
    ]);
    at = end;
  }
  return pairs;
}

/** The summary as it would be uploaded; an error text when it is too big; empty = none. */
export function summaryIn(path: string): { readonly text: string } | { readonly error: string } {
  if (!existsSync(path)) return { text: '' };
  const { size } = statSync(path);
  if (size <= MOST_SUMMARY_BYTES) return { text: readFileSync(path, 'utf8') };
  return {
    error: `$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of ${MOST_SUMMARY_BYTES / 1024}k, got ${Math.floor(size / 1024)}k.`,
  };
}
