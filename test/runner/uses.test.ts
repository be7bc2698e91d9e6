/** Composites and `uses:` as GitHub's runner takes them: scopes, order of posts, depth, and where a reference leads. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FILES } from './sample-actions.ts';
import { course, jobOf, onlyJob, said, standWith, stepNamed } from './stand.ts';

const stand = standWith(FILES);
afterAll(() => stand.close());

describe('composites', () => {
  it('map outputs, scope step ids, resolve $/ in their own repository, and post in reverse of registration', async () => {
    const job = onlyJob(
      await stand.run(
        jobOf(
          `- {id: o, uses: suite/tools/outer@v1, with: {word: w}}\n- uses: $/speak\n- run: echo "[\${{ steps.o.outputs.both }}] [\${{ steps.a.outputs.said }}]"`,
        ),
      ),
    );
    expect(course(job)).toEqual(
      [
        'Run suite/tools/outer@v1: success',
        'Run $/speak: success',
        `Run echo "[\${{ steps.o.outputs.both }}] [\${{ steps.a.outputs.said }}]": success`,
        'Post Run $/speak: success',
        'Post Run suite/tools/outer@v1: success',
      ].map((line) =>
        line.replace(
          `Run echo "[\${{ steps.o.outputs.both }}] [\${{ steps.a.outputs.said }}]"`,
          'Run echo "[a-w+n-b-w] []"',
        ),
      ),
    );
    expect(said(job.steps[2] ?? stepNamed(job, ''))).toEqual(['[a-w+n-b-w] []']);
    expect(said(job.steps[0] ?? stepNamed(job, ''))).toEqual(
      expect.arrayContaining([`path ${join(stand.folder, 'outer')}`, 'sees a-w not ']),
    );
    const post = said(stepNamed(job, 'Post Run suite/tools/outer@v1')).filter((line) =>
      line.startsWith('post'),
    );
    expect(post).toEqual(['post n-b-w "success" n-b-w', 'post a-w "success" a-w']);
  });

  it('with issue 3514 a nested post sees the inputs of the outermost composite, but its own state', async () => {
    const wrong = standWith(FILES, { wrongNestedInputs: true });
    const job = onlyJob(await wrong.run(jobOf('- {uses: $/outer, with: {word: w}}')));
    wrong.close();
    const post = said(stepNamed(job, 'Post Run $/outer')).filter((line) => line.startsWith('post'));
    expect(post).toEqual(['post n-b-w "success" n-w', 'post a-w "success" a-w']);
  });

  it('success() and failure() of an inner step look at the composite, not at the job', async () => {
    const job = onlyJob(
      await stand.run(
        jobOf(
          '- {uses: $/failing, continue-on-error: true}\n- {uses: $/failing, if: always()}\n- run: echo never',
        ),
      ),
    );
    expect(job.steps.map(({ outcome, conclusion }) => [outcome, conclusion])).toEqual([
      ['failure', 'success'],
      ['failure', 'failure'],
      ['skipped', 'skipped'],
    ]);
    expect(said(job.steps[0] ?? stepNamed(job, '')).filter((line) => !line.startsWith('##'))).toEqual([
      'always',
      'failed here',
    ]);
  });

  it('may be nested nine deep; the tenth level fails the set-up, and no step runs', async () => {
    const chain = (depth: number) =>
      Object.fromEntries(
        Array.from({ length: depth }, (_, at) => [
          `c${at}/action.yml`,
          `name: c\ndescription: c\nruns:\n  using: composite\n  steps:\n    - ${at + 1 < depth ? `uses: $/c${at + 1}` : '{run: echo bottom, shell: sh}'}\n`,
        ]),
      );
    const [nine, ten] = [standWith(chain(9)), standWith(chain(10))];
    const good = onlyJob(await nine.run(jobOf('- uses: $/c0')));
    const bad = onlyJob(await ten.run(jobOf('- uses: $/c0')));
    nine.close();
    ten.close();
    expect(good.log).toContain('bottom');
    expect(bad).toMatchObject({ result: 'failure', steps: [] });
    expect(bad.annotations[0]?.message).toBe('Composite action depth exceeded max depth 9');
  });
});

describe('uses', () => {
  it('a runner that does not know $/ says so and runs nothing', async () => {
    const old = standWith(FILES, { knowsSelfReference: false });
    const job = onlyJob(await old.run(jobOf('- run: echo first\n- uses: suite/tools/outer@v1')));
    old.close();
    expect(job.steps).toEqual([]);
    expect(job.annotations[0]?.message).toContain("Unable to resolve self-reference '$/'");
  });

  it('an action that the test does not name fails the set-up', async () => {
    const job = onlyJob(await stand.run(jobOf('- uses: actions/checkout@v5')));
    expect(job).toMatchObject({ result: 'failure', steps: [] });
    expect(job.annotations[0]?.message).toContain('Unable to resolve action `actions/checkout@v5`');
  });

  it('a stand-in plays a foreign action, with its post', async () => {
    const withStandIn = standWith(FILES, {
      standIns: {
        'actions/setup-node': {
          defaults: { 'node-version': '24' },
          main: (call) => {
            call.say(`node ${call.inputs['node-version']}`);
            call.saveState('v', '1');
            call.exportVariable('NODE', 'there');
          },
          post: (call) => call.say(`post ${call.state['v']}`),
        },
      },
    });
    const job = onlyJob(await withStandIn.run(jobOf('- uses: actions/setup-node@v6\n- run: echo $NODE')));
    withStandIn.close();
    expect(job.log).toEqual(expect.arrayContaining(['node 24', 'there', 'post 1']));
  });

  it('./ is read anew from the workspace at each stage: wiped, its post fails and names the file; $/ is immune', async () => {
    const job = onlyJob(
      await stand.run(jobOf('- uses: $/speak\n- uses: ./speak\n- run: rm -r speak lib'), {
        onJob: ({ core }) => {
          for (const [path, text] of Object.entries(FILES).filter(([name]) => /speak|lib/.test(name))) {
            mkdirSync(join(core.machine.workspace, path, '..'), { recursive: true });
            writeFileSync(join(core.machine.workspace, path), text);
          }
        },
      }),
    );
    expect(course(job)).toEqual([
      'Run $/speak: success',
      'Run ./speak: success',
      'Run rm -r speak lib: success',
      'Post Run ./speak: failure',
      'Post Run $/speak: success',
    ]);
    expect(job.result).toBe('failure');
    expect(job.log.join('\n')).toMatch(/Can't find 'action.yml'.*Did you forget to run actions\/checkout/);
  });
});
