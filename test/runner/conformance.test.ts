/** The runner does with YAML what GitHub's does: one row per behaviour, the YAML and what must come of it. */
import { afterAll, describe, expect, it } from 'vitest';
import { FILES } from './sample-actions.ts';
import { jobOf, nodeAction, onlyJob, said, standWith, stepNamed } from './stand.ts';

const stand = standWith(FILES, { secrets: { KEY: 's3cr3t-value', LINES: 'first-line\nsecond-line' } });
afterAll(() => stand.close());

describe('expressions, environment and files', () => {
  it('env of workflow, job and step, the newest wins; GITHUB_ENV and GITHUB_PATH reach later steps', async () => {
    const job = onlyJob(
      await stand.run(
        `env: {A: workflow, B: workflow, C: workflow}\n${jobOf(
          `- run: |
    echo "$A $B $C"
    echo "D=from file" >> "$GITHUB_ENV"
    printf 'E<<X\\none\\ntwo\\nX\\n' >> "$GITHUB_ENV"
    echo "$HOME/tools" >> "$GITHUB_PATH"
  env: {C: step}
- run: echo "$D/$E/\${{ env.D }}" && echo "\${PATH%%:*}"`,
          'env: {B: job}',
        )}`,
      ),
    );
    const [first, second] = job.steps;
    expect(said(first ?? stepNamed(job, ''))).toEqual(['workflow job step']);
    expect(said(second ?? stepNamed(job, ''))).toEqual([
      'from file/one',
      'two/from file',
      expect.stringMatching(/home\/tools$/),
    ]);
  });

  it('outputs of steps, job and needs; a job sees only what the job before declares', async () => {
    const report = await stand.run(`on: push
jobs:
  first:
    runs-on: x
    outputs: {word: "\${{ steps.s.outputs.w }}"}
    steps:
      - {id: s, run: echo w=hello >> "$GITHUB_OUTPUT"}
  second:
    needs: first
    runs-on: x
    steps:
      - run: echo "\${{ needs.first.outputs.word }} \${{ needs.first.result }}"
`);
    expect(report.sums['first']?.outputs).toEqual({ word: 'hello' });
    expect(report.jobs.at(-1)?.log).toContain('hello success');
  });

  it('an unknown context, an unknown step key, or `secrets` inside an action is refused before anything runs', async () => {
    await expect(stand.run(jobOf(`- run: echo \${{ nowhere.x }}`))).rejects.toThrow(
      /Unrecognized named-value: 'nowhere'/,
    );
    await expect(stand.run(jobOf('- {run: echo, colour: red}'))).rejects.toThrow(/Unexpected value 'colour'/);
    const inside = standWith({
      'a/action.yml': `name: a\ndescription: a\nruns:\n  using: composite\n  steps:\n    - {run: "echo \${{ secrets.KEY }}", shell: sh}\n`,
    });
    const job = onlyJob(await inside.run(jobOf('- uses: $/a')));
    inside.close();
    expect(job).toMatchObject({ result: 'failure', steps: [] });
    expect(job.annotations[0]?.message).toContain("Unrecognized named-value: 'secrets'");
  });

  it.each([
    ['echo "no format" >> "$GITHUB_OUTPUT"', "Invalid format 'no format'"],
    ['printf "a<<X\\nb\\n" >> "$GITHUB_OUTPUT"', "Invalid value. Matching delimiter not found 'X'"],
  ])('a file command that cannot be read fails the step: %s', async (script, message) => {
    const job = onlyJob(await stand.run(jobOf(`- run: ${JSON.stringify(script)}`)));
    expect(job.result).toBe('failure');
    expect(job.steps[0]?.annotations.map((each) => each.message)).toEqual([
      "Unable to process file command 'output' successfully.",
      message,
    ]);
  });

  it('a summary is masked by lines; over 1 MiB it is dropped whole with an error, and the job goes on', async () => {
    const job = onlyJob(
      await stand.run(
        jobOf(`- run: echo "key \${{ secrets.KEY }} end" >> "$GITHUB_STEP_SUMMARY"
- run: head -c 1048577 /dev/zero | tr '\\0' x >> "$GITHUB_STEP_SUMMARY"
- run: echo on`),
      ),
    );
    expect(job.steps[0]?.summary).toBe('key *** end\n');
    expect(job.steps[1]).toMatchObject({ conclusion: 'success', summary: '' });
    expect(job.steps[1]?.annotations[0]?.message).toContain('supports content up to a size of 1024k');
    expect(job.result).toBe('success');
  });
});

describe('inputs of actions', () => {
  it('defaults are evaluated, upper-cased with hyphens kept, and again at post time: job.status has changed by then', async () => {
    const yaml = jobOf(
      `- {uses: suite/tools/speak@v1, with: {word: "\${{ env.W }}"}}\n- run: echo W=later >> "$GITHUB_ENV"\n- run: exit 1`,
      'env: {W: now}\nstrategy: {matrix: {gpu: [a40]}}',
    );
    const job = onlyJob(await stand.run(yaml));
    expect(stepNamed(job, 'Run suite/tools/speak@v1').inputs).toEqual({
      word: 'now',
      status: 'success',
      check: String(job.checkRunId),
      matrix: '{\n  "gpu": "a40"\n}',
      index: '0/1',
      token: job.token,
    });
    expect(said(stepNamed(job, 'Post Run suite/tools/speak@v1'))).toEqual([
      'Post job cleanup.',
      'post now "failure" later',
    ]);
    expect(job.name).toBe('one (a40)');
  });

  it('an input that the action does not declare warns, an empty one stays empty, and without a matrix it is null', async () => {
    const job = onlyJob(await stand.run(jobOf('- {uses: $/speak, with: {word: "", colour: red}}')));
    expect(job.steps[0]?.inputs).toMatchObject({ word: '', matrix: 'null', colour: 'red' });
    expect(job.steps[0]?.annotations[0]?.message).toMatch(
      /^Unexpected input\(s\) 'colour', valid inputs are \['word', /,
    );
  });
});

describe('results', () => {
  it('implicit success(), failure(), always(), continue-on-error; a failing post fails the job', async () => {
    const job = onlyJob(
      await stand.run(
        jobOf(`- {id: soft, run: exit 1, continue-on-error: true}
- {run: "echo \${{ steps.soft.outcome }} \${{ steps.soft.conclusion }}"}
- {uses: $/fail-js}
- {run: echo skipped}
- {run: echo f, if: failure()}
- {run: echo a, if: always()}
- {run: echo c, if: cancelled()}
- {run: echo both, if: "\${{ failure() && env.X == '' }}"}`),
      ),
    );
    expect(job.steps.map(({ conclusion }) => conclusion)).toEqual([
      'success',
      'success',
      'failure',
      'skipped',
      'success',
      'success',
      'skipped',
      'success',
    ]);
    expect(job.log).toContain('failure success');
    expect(job.steps[2]).toMatchObject({
      exitCode: 1,
      annotations: [{ kind: 'error', message: 'bad', title: 't' }],
    });
  });

  it('bash is called with pipefail only where it is named; defaults.run.shell names it', async () => {
    const unnamed = onlyJob(await stand.run(jobOf('- run: false | true')));
    const named = onlyJob(await stand.run(jobOf('- {run: false | true, shell: bash}')));
    const byDefault = onlyJob(
      await stand.run(jobOf('- run: false | true', 'defaults: {run: {shell: bash}}')),
    );
    expect([unnamed, named, byDefault].map(({ result }) => result)).toEqual([
      'success',
      'failure',
      'failure',
    ]);
  });

  it('a step has ten annotations of a kind; what composites say counts for them', async () => {
    const many = `for i in $(seq 12); do echo "::warning::w$i"; done; echo "##[error]inside a line"; echo "::notice title=T%3AT::one%0Atwo"`;
    const job = onlyJob(await stand.run(jobOf(`- run: ${JSON.stringify(many)}`)));
    const kinds = job.steps[0]?.annotations.map(({ kind }) => kind);
    expect(kinds?.filter((kind) => kind === 'warning')).toHaveLength(10);
    expect(job.steps[0]?.annotations.slice(-2)).toEqual([
      { kind: 'error', message: 'inside a line', title: '' },
      { kind: 'notice', message: 'one\ntwo', title: 'T:T' },
    ]);
  });
});

describe('secrets', () => {
  it('are hidden in every line with their encodings; a job output that would show one is dropped', async () => {
    const yaml = jobOf(
      `- {id: s, run: "echo \\"\${{ secrets.KEY }} $(printf s3cr3t-value | base64) second-line\\"; echo \\"::add-mask::late\\"; echo so late; echo o=x-late >> \\"$GITHUB_OUTPUT\\"; echo k=fine >> \\"$GITHUB_OUTPUT\\""}
- run: echo "token \${{ github.token }}"`,
      `outputs: {o: "\${{ steps.s.outputs.o }}", k: "\${{ steps.s.outputs.k }}"}`,
    );
    const job = onlyJob(await stand.run(yaml));
    expect(said(job.steps[0] ?? stepNamed(job, ''))).toEqual(['*** *** ***', 'so ***']);
    expect(said(job.steps[1] ?? stepNamed(job, ''))).toEqual(['token ***']);
    expect(job.outputs).toEqual({ k: 'fine' });
    expect(job.annotations).toEqual([
      { kind: 'warning', message: "Skip output 'o' since it may contain secret.", title: '' },
    ]);
  });

  it('a run of a fork has no secrets and a token that reads', async () => {
    const job = onlyJob(
      await stand.run(jobOf(`- run: echo "[\${{ secrets.KEY }}]"`, 'permissions: {contents: write}'), {
        fork: true,
      }),
    );
    expect(job.log).toContain('[]');
    expect(job.permissions).toEqual({ contents: 'read' });
  });

  it('ACTIONS_* of the results service reach JavaScript actions, and no run step', async () => {
    const served = standWith(
      {
        'js/action.yml': nodeAction('m.mjs'),
        'js/m.mjs': 'console.log("js", process.env.ACTIONS_RESULTS_URL)',
      },
      { serviceEnv: { ACTIONS_RESULTS_URL: 'http://results.localhost/' } },
    );
    const job = onlyJob(await served.run(jobOf('- uses: $/js\n- run: echo "sh [$ACTIONS_RESULTS_URL]"')));
    served.close();
    expect(job.log).toEqual(expect.arrayContaining(['js http://results.localhost/', 'sh []']));
  });
});
