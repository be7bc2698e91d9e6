/** The podtrack command as a small script on PATH: the same Node and the same bundle as the step that made it. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type CommandWish = {
  /** A private folder that outlives the step. */
  readonly folder: string;
  readonly node: string;
  readonly script: string;
  /** Variables that the command gets where the step has none of its own; never a secret. */
  readonly defaults: Readonly<Record<string, string>>;
  readonly windows: boolean;
};

/** Gives the folder to put on PATH. */
export function writeCommand(wish: CommandWish): string {
  const bin = join(wish.folder, 'bin');
  mkdirSync(bin, { mode: 0o700 });
  const path = join(bin, 'podtrack');
  writeFileSync(path, shellText(wish), { mode: 0o700, flag: 'wx' });
  chmodSync(path, 0o700);
  // PowerShell and cmd do not know scripts by their first line.
  if (wish.windows) writeFileSync(`${path}.cmd`, batchText(wish), { flag: 'wx' });
  return bin;
}

/** Where there is no home the command keeps its scratch here, which goes with the job. */
function homeLine(folder: string): string {
  const home = quoted(join(folder, 'home'));
  return `[ -n "\${HOME:-}\${PODTRACK_HOME:-}" ] || { PODTRACK_HOME=${home}; export PODTRACK_HOME; }`;
}

function shellText({ folder, node, script, defaults }: CommandWish): string {
  const lines = Object.entries(defaults).map(
    ([name, value]) => `[ -n "\${${name}:-}" ] || { ${name}=${quoted(value)}; export ${name}; }`,
  );
  return ['#!/bin/sh', ...lines, homeLine(folder), `exec ${quoted(node)} ${quoted(script)} "$@"`, ''].join(
    '\n',
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function batchText({ node, script, defaults }: CommandWish): string {
  const lines = Object.entries(defaults)
    .filter(([, value]) => !/[%"\r\n]/.test(value))
    .map(([name, value]) => `@if not defined ${name} set "${name}=${value}"`);
  return ['@setlocal', ...lines, `@"${node}" "${script}" %*`, ''].join('\r\n');
}
