/** Whether a reaper will come: what workflow files say of it, and how many minutes a schedule is billed. */
import { describe, expect, it } from 'vitest';
import { parseWorkflow } from '../../src/adapters/actions-workflows/parse.ts';
import { firesIn30Days } from '../../src/domain/cron.ts';
import { type Part, seen, unseen } from '../../src/domain/part.ts';
import { judgeReapers, type Workflow } from '../../src/domain/workflow.ts';

function workflow(text: string, of: Partial<Workflow> = {}): Workflow {
  const read = parseWorkflow('.github/workflows/reap.yml', text);
  if (read === null) throw new Error('no workflow');
  return { ...read, state: seen('active'), ...of };
}

const REAP = `
name: reap
on:
  schedule: [{ cron: "7,22,37,52 * * * *" }]
jobs:
  reap:
    runs-on: ubuntu-latest
    steps: [{ uses: podtrack/register/reap@v1 }]
`;

function warnings(all: readonly Workflow[], review = new Map<string, Part<boolean>>()): string[] {
  return judgeReapers(all, review).flatMap(({ grade, says }) => (grade === 'warn' ? [says] : []));
}

describe('C64: what keeps a reaper away, found by setup', () => {
  it('nothing of a plain one, and its billed minutes are told', () => {
    const findings = judgeReapers([workflow(REAP)], new Map());
    expect(findings).toEqual([
      {
        grade: 'note',
        says: '.github/workflows/reap.yml: its schedule takes at least 2880 billed minutes in 30 days, if GitHub fires them all',
      },
    ]);
  });

  it('none at all', () => {
    expect(warnings([workflow(REAP.replace('register/reap', 'register/teardown'))])).toMatchObject([
      expect.stringContaining('no workflow of this repository runs the reaper'),
    ]);
  });

  it('b: an environment that waits for a reviewer; one that cannot be asked for is no more than a note', () => {
    const bound = workflow(
      REAP.replace('  reap:\n    runs-on', '  reap:\n    environment: prod\n    runs-on'),
    );
    expect(warnings([bound], new Map([['prod', seen(true)]]))).toMatchObject([
      expect.stringContaining('waits for a reviewer of environment prod'),
    ]);
    expect(warnings([bound], new Map([['prod', seen(false)]]))).toEqual([]);
    expect(warnings([bound], new Map([['prod', unseen('403')]]))).toEqual([]);
  });

  it('c: a listened-to workflow that was renamed', () => {
    const on = 'on:\n  workflow_run: { workflows: [train, old name], types: [completed] }';
    const listening = workflow(REAP.replace(/on:\n.*\n/, `${on}\n`));
    const train = workflow('name: train\non: push\njobs: {}');
    expect(warnings([listening, train])).toMatchObject([expect.stringContaining('"old name"')]);
  });

  it('d: a guard by the repository’s name, and none by its id', () => {
    const guarded = (guard: string): Workflow =>
      workflow(REAP.replace('  reap:\n    runs-on', `  reap:\n    if: ${guard}\n    runs-on`));
    expect(warnings([guarded("github.repository == 'orchard/old'")])).toMatchObject([
      expect.stringContaining('github.repository_id'),
    ]);
    expect(warnings([guarded("github.repository_id == '501'")])).toEqual([]);
  });

  it('a workflow that GitHub has switched off, and one that nothing starts', () => {
    expect(warnings([workflow(REAP, { state: seen('disabled_inactivity') })])).toMatchObject([
      expect.stringContaining('disabled_inactivity'),
    ]);
    expect(warnings([workflow(REAP.replace(/on:\n.*\n/, 'on: workflow_dispatch\n'))])).toMatchObject([
      expect.stringContaining('nothing starts it'),
    ]);
  });
});

describe('how often a schedule fires in 30 days', () => {
  it.each([
    ['*/5 * * * *', 8640],
    ['*/10 * * * *', 4320],
    ['*/15 * * * *', 2880],
    ['3,33 * * * *', 1440],
    ['7 4 * * *', 30],
    ['0 9-17/2 * * *', 150],
    ['0 0 * * 1-5', 22],
    ['0 0 1 * *', 1],
    ['0 0 1 * 1', 6],
    ['0 0 * 1-6 *', 15],
    ['5/20 * * * *', 2160],
  ])('%s: %i', (cron, fires) => {
    expect(firesIn30Days(cron)).toBe(fires);
  });

  it.each(['', '* * * *', '60 * * * *', '@daily', '* * * * mon', '*/0 * * * *'])(
    '"%s" is not reckoned',
    (cron) => {
      expect(firesIn30Days(cron)).toBeNull();
    },
  );
});

describe('a workflow file', () => {
  it('that is none, or holds odd things, breaks nothing', () => {
    expect(parseWorkflow('a.yml', ': : :\n- [')).toBeNull();
    expect(parseWorkflow('a.yml', 'just text')).toBeNull();
    expect(
      parseWorkflow(
        'a.yml',
        'on: push\njobs: { a: { steps: [1, { uses: x/reap@v1 }], environment: { name: e } } }',
      ),
    ).toMatchObject({
      name: 'a.yml',
      jobs: [{ name: 'a', environment: 'e', uses: ['x/reap@v1'] }],
    });
  });
});
