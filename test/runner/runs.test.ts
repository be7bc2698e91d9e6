/** Runs of several jobs: needs, matrix, attempts; and the stream of effects with its cuts. */
import { afterAll, describe, expect, it } from 'vitest';
import type { Effect } from './effects.ts';
import type { Forge } from './options.ts';
import { course, jobOf, onlyJob, said, standWith, stepNamed } from './stand.ts';

const FILES = {
  'keep/action.yml': `name: k
description: k
outputs: {o: {description: o}}
runs: {using: node24, main: main.mjs, post: post.mjs}
`,
  'keep/main.mjs': `import { appendFileSync } from 'node:fs';
appendFileSync(process.env.GITHUB_STATE, 'one=1\\n');
appendFileSync(process.env.GITHUB_OUTPUT, 'o=1\\n');
appendFileSync(process.env.GITHUB_STATE, 'two=2\\n');
`,
  'keep/post.mjs': `console.log('post', process.env.STATE_one, process.env.STATE_two);`,
};
const told: string[] = [];
const forge: Forge = {
  tokenIssued: (_token, permissions) => told.push(`token ${JSON.stringify(permissions)}`),
  tokenEnded: () => told.push('token ended'),
  runChanged: ({ id, attempt, status, conclusion }) => told.push(`${id}/${attempt} ${status} ${conclusion}`),
};
const stand = standWith(FILES, { forge });
afterAll(() => stand.close());

describe('jobs', () => {
  it('wait for their needs, are skipped after a failure, and run with always() and failure()', async () => {
    const report = await stand.run(`on: push
jobs:
  bad: {runs-on: x, steps: [{run: exit 1}]}
  next: {runs-on: x, needs: bad, steps: [{run: echo next}]}
  far: {runs-on: x, needs: next, if: failure(), steps: [{run: echo far}]}
  last: {runs-on: x, needs: [bad, next], if: always(), steps: [{run: "echo \${{ needs.bad.result }} \${{ needs.next.result }}"}]}
`);
    expect(Object.fromEntries(Object.entries(report.sums).map(([key, { result }]) => [key, result]))).toEqual(
      {
        bad: 'failure',
        next: 'skipped',
        far: 'success',
        last: 'success',
      },
    );
    expect(report.jobs.at(-1)?.log).toContain('failure skipped');
    expect(report.conclusion).toBe('failure');
  });

  it('one job alone takes its needs as given', async () => {
    const yaml = `on: push
jobs:
  first: {runs-on: x, outputs: {w: x}, steps: [{run: exit 1}]}
  second: {runs-on: x, needs: first, steps: [{run: "echo got \${{ needs.first.outputs.w }}"}]}
`;
    const job = onlyJob(await stand.run(yaml, { job: 'second', needs: { first: { w: 'word' } } }));
    expect(job.log).toContain('got word');
  });

  it('inputs of a dispatch: defaults, booleans that stay booleans, and none that is not declared', async () => {
    const yaml = `on: {workflow_dispatch: {inputs: {dry: {type: boolean, default: false}, pod: {required: true}}}}
jobs: {one: {runs-on: x, steps: [{run: "echo \${{ inputs.dry == false }} \${{ inputs.pod }} \${{ github.event.inputs.pod }}"}]}}
`;
    expect(onlyJob(await stand.run(yaml, { inputs: { pod: 'p1' } })).log).toContain('true p1 p1');
    await expect(stand.run(yaml, { inputs: { other: 'x' } })).rejects.toThrow(/Unexpected inputs/);
  });
});

describe('a matrix', () => {
  it('has its product, excludes and includes; job-index and job-total tell its legs apart; the last to end gives the outputs', async () => {
    const report = await stand.run(`on: push
jobs:
  one:
    runs-on: x
    outputs: {leg: "\${{ steps.s.outputs.leg }}"}
    strategy:
      max-parallel: 1
      matrix: {gpu: [a, b], n: [1, 2], exclude: [{gpu: b, n: 2}], include: [{gpu: a, n: 1, extra: e}, {gpu: c}]}
    steps:
      - {id: s, run: "echo leg=\${{ matrix.gpu }}\${{ matrix.n }}\${{ matrix.extra }}-\${{ strategy.job-index }}of\${{ strategy.job-total }} >> \\"$GITHUB_OUTPUT\\""}
`);
    expect(report.jobs.map(({ name }) => name)).toEqual([
      'one (a, 1, e)',
      'one (a, 2)',
      'one (b, 1)',
      'one (c)',
    ]);
    expect(report.jobs.map(({ outputs }) => outputs['leg'])).toEqual([
      'a1e-0of4',
      'a2-1of4',
      'b1-2of4',
      'c-3of4',
    ]);
    expect(report.sums['one']?.outputs).toEqual({ leg: 'c-3of4' });
    expect(new Set(report.jobs.map(({ checkRunId }) => checkRunId)).size).toBe(4);
  });

  const legs = (more: string): string =>
    jobOf(
      `- run: "[ \${{ matrix.n }} = 1 ] && sleep 0.3 && exit 1; sleep 20"`,
      `strategy: {${more}matrix: {n: [1, 2]}}`,
    );

  it('fails fast: the other legs are cancelled', async () => {
    const report = await stand.run(legs(''));
    expect(report.jobs.map(({ result }) => result)).toEqual(['failure', 'cancelled']);
    expect(report.sums['one']?.result).toBe('failure');
  });
});

describe('attempts', () => {
  it('a re-run keeps the run id, counts the attempt, mints new check runs, and leaves out what succeeded', async () => {
    told.length = 0;
    const run = await stand.start(`on: push
permissions: {contents: write}
jobs:
  good: {runs-on: x, outputs: {w: kept}, steps: [{run: echo good}]}
  bad: {runs-on: x, needs: good, steps: [{run: 'echo "$GITHUB_RUN_ID $GITHUB_RUN_ATTEMPT \${{ needs.good.outputs.w }}"; [ $GITHUB_RUN_ATTEMPT = 2 ]'}]}
`);
    const first = await run.finished;
    const second = await run.rerun('failed').finished;
    expect([first, second].map(({ id, attempt, conclusion }) => [id, attempt, conclusion])).toEqual([
      [run.id, 1, 'failure'],
      [run.id, 2, 'success'],
    ]);
    const [before, after] = [first, second].map(({ jobs }) => jobs.find(({ key }) => key === 'bad'));
    expect(after?.log).toContain(`${run.id} 2 kept`);
    expect(after?.checkRunId).not.toBe(before?.checkRunId);
    expect(told.filter((line) => line.includes('/2'))).toEqual([
      `${run.id}/2 in_progress null`,
      `${run.id}/2 completed success`,
    ]);
    expect(told.filter((line) => line.startsWith('token {'))).toEqual(
      Array(3).fill('token {"contents":"write"}'),
    );
  });
});

describe('effects', () => {
  const names = (effects: readonly Effect[]): string[] =>
    effects.map(({ kind, when, what, stage }) =>
      kind === 'file' ? `${stage} ${when} ${what}` : `${stage} ${kind}`,
    );

  it('are numbered in order: processes, and each write of a runner file before and after', async () => {
    const report = await stand.run(jobOf('- uses: $/keep'), { onEffect: () => undefined });
    expect(names(report.effects)).toEqual([
      'main process-start',
      'main before state',
      'main after state',
      'main before output',
      'main after output',
      'main before state',
      'main after state',
      'main process-end',
      'post process-start',
      'post process-end',
    ]);
    expect(report.effects.map(({ number }) => number)).toEqual(report.effects.map((_, at) => at + 1));
    expect(report.jobs[0]?.log).toContain('post 1 2');
  });

  it.each([
    [2, 'post undefined undefined'],
    [3, 'post 1 undefined'],
    [6, 'post 1 undefined'],
    [7, 'post 1 2'],
  ])(
    'a step killed at effect %i has written what came before, and not what comes after',
    async (cut, post) => {
      const report = await stand.run(jobOf('- uses: $/keep'), {
        onEffect: ({ number }) => (number === cut ? 'kill-step' : undefined),
      });
      const job = onlyJob(report);
      expect(stepNamed(job, 'Run $/keep')).toMatchObject({ signal: 'SIGKILL', conclusion: 'failure' });
      expect(said(stepNamed(job, 'Post Run $/keep'))).toContain(post);
    },
  );

  it.each([
    ['lose-runner' as const, ['Run $/keep: cancelled'], 'failure'],
    ['crash-worker' as const, ['Run $/keep: cancelled'], 'failure'],
    ['cancel' as const, ['Run $/keep: cancelled', 'Post Run $/keep: success'], 'cancelled'],
    ['shutdown' as const, ['Run $/keep: cancelled', 'Post Run $/keep: skipped'], 'failure'],
  ])('a test may answer an effect with %s', async (how, steps, result) => {
    const report = await stand.run(jobOf('- uses: $/keep'), {
      onEffect: ({ number }) => (number === 4 ? how : undefined),
    });
    const job = onlyJob(report);
    expect(course(job)).toEqual(steps);
    expect(job.result).toBe(result);
  });

  it('what the world sees joins the stream, and may cut as well', async () => {
    const run = await stand.start(jobOf('- run: sleep 20'), {
      onEffect: ({ kind }) => (kind === 'world' ? 'lose-runner' : undefined),
    });
    while (run.jobs()[0]?.core.machine.entries.size !== 1)
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(run.note({ when: 'before', what: 'push' })).toBe('lose-runner');
    expect((await run.finished).effects.at(-1)).toMatchObject({ kind: 'world', what: 'push' });
  });
});
