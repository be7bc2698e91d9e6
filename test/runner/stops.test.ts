/** How a job is stopped: cancel with its signals and budget, time limits, shutdown, a dead worker, a lost machine. */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { StartWish } from './options.ts';
import type { Run, RunReport } from './runner.ts';
import { course, jobOf, nodeAction, onlyJob, said, standWith, stepNamed } from './stand.ts';

/** Ignores what it is told to ignore, and says what it gets. */
const STUBBORN = `import { appendFileSync } from 'node:fs';
const { env } = process;
appendFileSync(env.GITHUB_STATE, 'begun=yes\\n');
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {
  console.log('got ' + signal);
  if (env.INPUT_YIELDS === signal) process.exit(0);
});
setInterval(() => {}, 1000);
console.log('ready');
`;
const FILES = {
  'long/action.yml': `name: l
description: l
inputs: {yields: {description: y, default: ""}, status: {description: s, default: "\${{ job.status }}"}}
runs: {using: node24, main: main.mjs, post: post.mjs}
`,
  'long/main.mjs': STUBBORN,
  'long/post.mjs': `console.log('post', process.env.STATE_begun, process.env.INPUT_STATUS);`,
  'endless/action.yml': `name: e
description: e
runs: {using: node24, main: main.mjs, post: post.mjs}
`,
  'endless/main.mjs': '',
  'endless/post.mjs': `process.on('SIGINT', () => console.log('post got SIGINT'));console.log('endless post'); setInterval(() => {}, 1000);`,
  'only/action.yml': `name: o
description: o
runs: {using: node24, main: main.mjs, post: post.mjs, post-if: failure()}
`,
  'only/main.mjs': '',
  'only/post.mjs': `console.log('post of a failure');`,
  'wrapped/action.yml': `name: w
description: w
runs:
  using: composite
  steps:
    - {uses: $/long, with: {yields: SIGINT}}
    - {run: echo not this, shell: sh}
    - {run: echo tidy, shell: sh, if: always()}
    - {run: echo told, shell: sh, if: cancelled()}
`,
  'js/action.yml': nodeAction('m.mjs'),
  'js/m.mjs': 'console.log("js")',
};
const stand = standWith(FILES);
afterAll(() => stand.close());

/** A process that ended and that nobody has asked for yet counts as dead. */
function lives(pid: number): boolean {
  return existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

/** Runs, and acts once a line says `ready`. */
async function actWhenReady(yaml: string, act: (run: Run) => void, wish: StartWish = {}): Promise<RunReport> {
  let ready: () => void = () => undefined;
  const isReady = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const onLine = (line: string): void => {
    if (line.endsWith('ready')) ready();
  };
  const run = await stand.start(yaml, { ...wish, onLine });
  await isReady;
  act(run);
  return await run.finished;
}

const LONG = (yields: string): string =>
  `- uses: $/js\n- {uses: $/long, with: {yields: "${yields}"}}\n- run: echo next\n- {run: echo always, if: always()}`;

describe('a cancel', () => {
  it.each([
    ['SIGINT', ['ready', 'got SIGINT'], null],
    ['SIGTERM', ['ready', 'got SIGINT', 'got SIGTERM'], null],
    ['', ['ready', 'got SIGINT', 'got SIGTERM'], 'SIGKILL'],
  ])(
    'tells the entry process in steps; one that yields to "%s" is cancelled whatever its code',
    async (yields, heard, signal) => {
      const job = onlyJob(await actWhenReady(jobOf(LONG(yields)), (run) => run.cancel()));
      expect(course(job)).toEqual([
        'Run $/js: success',
        'Run $/long: cancelled',
        'Run echo next: skipped',
        'Run echo always: success',
        'Post Run $/long: success',
      ]);
      const step = stepNamed(job, 'Run $/long');
      expect(said(step).filter((line) => !line.startsWith('##'))).toEqual(heard);
      expect(step).toMatchObject({ signal, exitCode: signal === null ? 0 : null });
      expect(said(stepNamed(job, 'Post Run $/long'))).toContain('post yes cancelled');
      expect(job.result).toBe('cancelled');
    },
  );

  it('leaves a running step alone whose condition holds still', async () => {
    const yaml = jobOf('- {run: "echo ready; sleep 0.5; echo done", if: always()}\n- run: echo next');
    const job = onlyJob(await actWhenReady(yaml, (run) => run.cancel()));
    expect(job.log).toContain('done');
    expect(job.steps.map(({ conclusion }) => conclusion)).toEqual(['success', 'skipped']);
  });

  it('reaches the step inside a composite; of the rest runs what always() and cancelled() let run', async () => {
    const job = onlyJob(await actWhenReady(jobOf('- uses: $/wrapped'), (run) => run.cancel()));
    const [composite] = job.steps;
    expect(composite?.children.map(({ conclusion }) => conclusion)).toEqual([
      'cancelled',
      'skipped',
      'success',
      'success',
    ]);
    expect(job.log).toEqual(expect.arrayContaining(['got SIGINT', 'tidy', 'told', 'post yes cancelled']));
  });

  it('gives posts and always() steps one budget: then everything is killed, and no further post runs', async () => {
    const job = onlyJob(
      await actWhenReady(
        jobOf(
          '- uses: $/long\n  if: always() && false\n- uses: $/only\n- uses: $/endless\n- run: echo ready; sleep 60',
        ),
        (run) => run.cancel(),
      ),
    );
    expect(course(job).slice(-2)).toEqual([
      'Run echo ready; sleep 60: cancelled',
      'Post Run $/endless: cancelled',
    ]);
    expect(job.steps.at(-1)).toMatchObject({ finished: false });
    expect(job.log).not.toContain('post got SIGINT');
    expect(job.result).toBe('cancelled');
  });

  it('before a step has begun registers no post of it', async () => {
    const job = onlyJob(
      await actWhenReady(jobOf('- run: echo ready; sleep 60\n- uses: $/long'), (run) => run.cancel()),
    );
    expect(course(job)).toEqual(['Run echo ready; sleep 60: cancelled', 'Run $/long: skipped']);
  });
});

describe('time limits', () => {
  it('a step that takes too long is told as by a cancel and failed; its post shares the limit', async () => {
    const job = onlyJob(
      await stand.run(
        jobOf('- {uses: $/long, timeout-minutes: 1, with: {yields: SIGINT}}\n- {run: echo f, if: failure()}'),
      ),
    );
    expect(stepNamed(job, 'Run $/long').annotations[0]?.message).toBe(
      "The action 'Run $/long' has timed out after 1 minutes.",
    );
    expect(course(job)).toEqual(['Run $/long: failure', 'Run echo f: success', 'Post Run $/long: success']);
    expect(job.result).toBe('failure');
  });

  it('a job that takes too long is cancelled, and says why', async () => {
    const job = onlyJob(
      await stand.run(jobOf('- {uses: $/long, with: {yields: SIGINT}}', 'timeout-minutes: 1')),
    );
    expect(job.annotations[0]?.message).toContain('has exceeded the maximum execution time of 1 minutes.');
    expect(said(stepNamed(job, 'Post Run $/long'))).toContain('post yes cancelled');
    expect(job.result).toBe('cancelled');
  });
});

describe('a process that dies, a runner that goes', () => {
  it('state survives a SIGKILL of main; the step fails and its post runs', async () => {
    const job = onlyJob(await actWhenReady(jobOf('- uses: $/long'), (run) => run.jobs()[0]?.killStep()));
    expect(stepNamed(job, 'Run $/long')).toMatchObject({
      signal: 'SIGKILL',
      conclusion: 'failure',
      state: { begun: 'yes' },
    });
    expect(said(stepNamed(job, 'Post Run $/long'))).toContain('post yes failure');
  });

  it('a shutdown of the runner stops the step and skips everything after it, posts too; the job has failed', async () => {
    const yaml = jobOf('- {uses: $/long, with: {yields: SIGINT}}\n- {run: echo always, if: always()}');
    const job = onlyJob(await actWhenReady(yaml, (run) => run.shutdown()));
    expect(course(job)).toEqual([
      'Run $/long: cancelled',
      'Run echo always: skipped',
      'Post Run $/long: skipped',
    ]);
    expect(job.result).toBe('failure');
    expect(job.annotations[0]?.message).toContain('shutdown signal');
  });

  it('a lost machine takes every process with it, detached ones too, and nothing runs after', async () => {
    const yaml = jobOf(
      '- run: (setsid sh -c "sleep 1; echo still > \\"$PWD/alive\\"" &) ; echo ready; sleep 60\n- uses: $/js',
    );
    let workspace = '';
    const job = onlyJob(
      await actWhenReady(yaml, (run) => {
        workspace = run.jobs()[0]?.core.machine.workspace ?? '';
        run.lose();
      }),
    );
    expect(job.steps).toHaveLength(1);
    expect(job.steps[0]).toMatchObject({ finished: false });
    expect(job.result).toBe('failure');
    await wait(1_300);
    expect(existsSync(`${workspace}/alive`)).toBe(false);
    expect(existsSync(workspace)).toBe(true);
  });

  it('a dead worker ends the job as failed without posts, while its process lives on alone', async () => {
    let pid = 0;
    const job = onlyJob(
      await actWhenReady(jobOf('- uses: $/long'), (run) => {
        pid = [...(run.jobs()[0]?.core.machine.entries ?? [])][0]?.pid ?? 0;
        run.crashWorker();
      }),
    );
    expect(course(job)).toEqual(['Run $/long: cancelled']);
    expect(job.result).toBe('failure');
    expect(lives(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });

  it('children of a step live into later steps and are ended with the job', async () => {
    const yaml = jobOf(
      '- run: sleep 100 >/dev/null 2>&1 & echo "PID=$!" >> "$GITHUB_ENV"\n- run: kill -0 "$PID" && echo lives',
    );
    const job = onlyJob(await stand.run(yaml));
    expect(job.log).toContain('lives');
    const pid = Number(job.steps[0]?.env['PID']);
    await wait(50);
    expect(lives(pid)).toBe(false);
  });

  it('post-if looks at the job', async () => {
    const good = onlyJob(await stand.run(jobOf('- uses: $/only')));
    const bad = onlyJob(await stand.run(jobOf('- uses: $/only\n- run: exit 1')));
    expect([good, bad].map((job) => job.steps.at(-1)?.conclusion)).toEqual(['skipped', 'success']);
  });
});
