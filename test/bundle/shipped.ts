/** The shipped dist/, copied alone into an empty folder and run there as a child process. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../..', import.meta.url));
export const dist = join(repository, 'dist');

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** Names of the files of dist that the process loaded. */
  readonly loaded: readonly string[];
}

export interface Shipped {
  run(node: string, ...args: string[]): Ended;
  remove(): void;
}

/** Node writes one coverage file per process; it lists every script that was loaded, whoever loaded it. */
function loadedFiles(folder: string): string[] {
  const urls = readdirSync(folder).flatMap((file) => {
    const { result }: { result: { url: string }[] } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    return result.map(({ url }) => url);
  });
  return urls.filter((url) => url.startsWith('file:')).map((url) => basename(fileURLToPath(url)));
}

export function shipAlone(): Shipped {
  const folder = mkdtempSync(join(tmpdir(), 'podtrack-shipped-'));
  const coverage = join(folder, 'coverage');
  const home = join(folder, 'home');
  mkdirSync(home);
  cpSync(dist, join(folder, 'dist'), { recursive: true });
  return {
    run(node, ...args) {
      rmSync(coverage, { recursive: true, force: true });
      const { status, stdout, stderr } = spawnSync(node, [join(folder, 'dist', 'cli.js'), ...args], {
        cwd: home,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], HOME: home, NO_COLOR: '1', NODE_V8_COVERAGE: coverage },
        timeout: 60_000,
      });
      return { code: status, out: stdout, err: stderr, loaded: loadedFiles(coverage) };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export interface DistFile {
  readonly name: string;
  readonly size: number;
  readonly text: string;
}

export function distFiles(): DistFile[] {
  return readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(dist, name)).isFile())
    .map((name) => {
      const bytes = readFileSync(join(dist, name));
      return { name, size: bytes.length, text: bytes.toString('utf8') };
    });
}
