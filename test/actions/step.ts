/** One step of a job as the runner runs it: INPUT_*, STATE_*, the hand-over files, and the signals of a cancel. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Texts = Readonly<Record<string, string>>;

export type StepEnd = {
  readonly code: number | null;
  /** What people read: the log without the lines that only hide a secret. */
  readonly log: string;
  /** Everything that the process wrote, `::add-mask::` lines included. */
  readonly raw: string;
  readonly outputs: Texts;
  readonly state: Texts;
  readonly env: Texts;
  readonly summary: string;
  /** Folders put before PATH. */
  readonly path: readonly string[];
};

export type StepCall = {
  readonly script: string;
  readonly node?: string;
  readonly env: Texts;
  readonly inputs: Texts;
  readonly state?: Texts;
  /** Where the hand-over files are made. */
  readonly temp: string;
  readonly cwd: string;
  /** Called with the running process and everything it has said so far, at each line. */
  readonly watch?: (child: ChildProcess, said: string) => void;
};

/** `name<<delimiter`, lines, `delimiter`, as the runner reads it; the last of a name counts. */
function readPairs(path: string): Texts {
  const pairs: Record<string, string> = {};
  const lines = readFileSync(path, 'utf8').split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const head = /^([^=]+?)<<(.+)$/.exec(lines[at] ?? '');
    if (head === null) continue;
    const end = lines.indexOf(head[2] ?? '', at + 1);
    pairs[head[1] ?? ''] = lines.slice(at + 1, end).join('\n');
    at = end;
  }
  return pairs;
}

function withoutMasks(log: string): string {
  return log
    .split('\n')
    .filter((line) => !line.startsWith('::add-mask::'))
    .join('\n');
}

/** Runs the script to its end; resolves whatever its exit code. */
export function runStep(call: StepCall): Promise<StepEnd> {
  const folder = mkdtempSync(join(call.temp, 'files-'));
  const file = (name: string): string => join(folder, name);
  for (const name of ['output', 'state', 'env', 'summary', 'path']) writeFileSync(file(name), '');
  const env = {
    ...call.env,
    ...Object.fromEntries(
      Object.entries(call.inputs).map(([name, text]) => [`INPUT_${name.toUpperCase()}`, text]),
    ),
    ...Object.fromEntries(Object.entries(call.state ?? {}).map(([name, text]) => [`STATE_${name}`, text])),
    GITHUB_OUTPUT: file('output'),
    GITHUB_STATE: file('state'),
    GITHUB_ENV: file('env'),
    GITHUB_PATH: file('path'),
    GITHUB_STEP_SUMMARY: file('summary'),
  };
  return new Promise((resolve, reject) => {
    const child = spawn(call.node ?? process.execPath, [call.script], { env, cwd: call.cwd });
    let raw = '';
    const hear = (chunk: Buffer): void => {
      raw += chunk.toString('utf8');
      call.watch?.(child, raw);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({
        code,
        raw,
        log: withoutMasks(raw),
        outputs: readPairs(file('output')),
        state: readPairs(file('state')),
        env: readPairs(file('env')),
        summary: readFileSync(file('summary'), 'utf8'),
        path: readFileSync(file('path'), 'utf8')
          .split('\n')
          .filter((line) => line !== ''),
      });
    });
  });
}
