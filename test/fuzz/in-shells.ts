/** Runs parts of the on-pod scripts under each shell of this machine, for many values at once. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { component } from '../components.ts';
import { SHELLS } from '../on-pod/pod-stand.ts';

const parts = fileURLToPath(new URL('../../on-pod/parts', import.meta.url));

/**
 * The lines that `script` prints, by shell. Each value is a file 0, 1, 2 … in `$folder`; `$count` says how many. The parts are read
 * by `. "$parts/x.sh"`.
 */
export function inEachShell(
  values: readonly (string | Uint8Array)[],
  script: string,
): ReadonlyMap<string, readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'podtrack-fuzz-'));
  try {
    for (const [index, value] of values.entries()) writeFileSync(join(folder, String(index)), value);
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      folder,
      parts,
      count: String(values.length),
    };
    const ran = SHELLS.flatMap((name): [string, readonly string[]][] => {
      const shell = component(name);
      if (shell === null) return [];
      const { stdout, stderr, status } = spawnSync(shell, ['-c', script], {
        argv0: name === 'busybox' ? 'sh' : name,
        env,
        encoding: 'latin1',
        maxBuffer: 64 * 1024 * 1024,
      });
      if (status !== 0 || stderr !== '')
        throw new Error(`${name} ended with ${status}: ${stderr.slice(0, 400)}`);
      return [[name, stdout.split('\n').slice(0, -1)]];
    });
    return new Map(ran);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
