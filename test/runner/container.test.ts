/** A container job: steps of another user than the runner, whose files, workspace and home may not be theirs. From the shipped dist. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JobReport } from './job-run.ts';
import type { StartWish } from './options.ts';
import { endClean, openScene, type Scene } from './scene.ts';
import { type Checkout, shippedCheckout } from './shipped-checkout.ts';
import { course, onlyJob } from './stand.ts';

const POD = 'train0pod1';
const MOST_MS = 120_000;
const UID = 1001;
/** Only root may become somebody else. */
const isRoot = process.getuid?.() === 0;

/** A Node that runs each script as another user; `owned`: the runner's files of the step are given to him before. */
const otherUser = (owned: boolean): string => `#!${process.execPath}
const { chownSync } = require('node:fs');
const { env } = process;
const files = ['OUTPUT', 'STATE', 'ENV', 'PATH', 'STEP_SUMMARY'].map((name) => env['GITHUB_' + name]);
if (${owned}) for (const path of [...files, env.RUNNER_TEMP]) if (path) chownSync(path, ${UID}, ${UID});
process.setgroups([]);
process.setgid(${UID});
process.setuid(${UID});
process.argv.splice(1, 1);
import(process.argv[1]);
`;

let checkout: Checkout;
beforeAll(() => {
  checkout = shippedCheckout();
  chmodSync(checkout.folder, 0o755);
}, 300_000);
afterAll(() => checkout.remove());

let folder: string;
let scene: Scene | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'podtrack-container-'));
  chmodSync(folder, 0o755);
});
afterEach(async () => {
  await endClean(scene);
  scene = null;
  rmSync(folder, { recursive: true, force: true });
});

/** The machine can be walked through by everybody, as a container's mounts can. */
const onJob: NonNullable<StartWish['onJob']> = ({ core: { machine } }) => {
  for (let path = machine.temp; path !== tmpdir(); path = dirname(path)) chmodSync(path, 0o755);
};

async function runAs(program: string): Promise<{ on: Scene; job: JobReport }> {
  const node = join(folder, 'node');
  writeFileSync(node, program);
  chmodSync(node, 0o755);
  const on = await openScene({ pods: [POD], checkout, runner: { home: '/github/home', node } });
  scene = on;
  return { on, job: onlyJob(await on.runExample('register', { inputs: { 'pod-id': POD }, onJob })) };
}

describe.runIf(isRoot)('C68: a container job of another user', () => {
  it(
    'to whom the runner’s files belong: nothing but these is needed, neither HOME nor the workspace',
    async () => {
      const { on, job } = await runAs(otherUser(true));
      expect(job.result, job.log.join('\n')).toBe('success');
      expect(on.hasPod(POD)).toBe(false);
      expect(await on.record(POD)).toMatchObject({ status: 'terminated', end: { verified: true } });
    },
    MOST_MS,
  );

  it(
    'to whom the runner’s files do not belong: red at register, with the mend, and the pod is not touched',
    async () => {
      const { on, job } = await runAs(otherUser(false));
      expect(job.result).toBe('failure');
      expect(course(job)).toContain('Post Run podtrack/register@v1: success');
      const said = job.log.join('\n');
      expect(said).toMatch(/Writing the runner's file for saved state: EACCES.*--user/);
      expect(said).not.toContain('unexpected:');
      const touched = on.world.requests().filter(({ method }) => method !== 'GET');
      expect(touched).toEqual([]);
      expect(await on.record(POD).catch(() => null)).toBeNull();
    },
    MOST_MS,
  );
});

/** A Node whose scripts cannot use one of the runner's places; it stands as a folder where a file should be, or nowhere. */
const without = (variable: string, place: string): string => `#!${process.execPath}
process.env[${JSON.stringify(variable)}] = ${JSON.stringify(place)};
process.argv.splice(1, 1);
import(process.argv[1]);
`;

describe('C68: places of the runner that cannot be used', () => {
  it(
    'a RUNNER_TEMP in which nobody can write: the system’s place for temporary files is taken, and the pod is ended',
    async () => {
      const { on, job } = await runAs(without('RUNNER_TEMP', '/proc'));
      expect(job.result, job.log.join('\n')).toBe('success');
      expect(await on.record(POD)).toMatchObject({ status: 'terminated', end: { verified: true } });
    },
    MOST_MS,
  );

  it(
    'a summary that cannot be written is a warning, and no colour',
    async () => {
      const { on, job } = await runAs(without('GITHUB_STEP_SUMMARY', '/proc'));
      expect(job.result, job.log.join('\n')).toBe('success');
      expect(job.log.join('\n')).toContain('no summary could be written: EISDIR');
      expect(on.hasPod(POD)).toBe(false);
    },
    MOST_MS,
  );
});
