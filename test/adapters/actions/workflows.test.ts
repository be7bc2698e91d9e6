/** The workflows of a repository through the GitHub server for tests, with and without the rights to see them. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { actionsWorkflows } from '../../../src/adapters/actions-workflows.ts';
import { seen } from '../../../src/domain/part.ts';
import type { Workflows } from '../../../src/ports.ts';
import { virtualClock } from '../../fakes/virtual-clock.ts';
import { REPOSITORY, type Stand, standUp } from '../../github-server/asking.ts';
import { runGit } from '../../github-server/run-git.ts';
import { TOKEN } from '../../github-server/switches.ts';

const REAP = '.github/workflows/reap.yml';
const TEXT = `name: reap
on: { schedule: [{ cron: "*/5 * * * *" }], workflow_run: { workflows: [train] } }
jobs: { reap: { environment: prod, if: "always()", steps: [{ uses: podtrack/register/reap@v1 }] } }
`;

let stand: Stand;
beforeEach(async () => {
  stand = await standUp();
  await commitFile(TEXT);
});
afterEach(() => stand.close());

async function commitFile(text: string): Promise<void> {
  const git = async (args: readonly string[], stdin?: string): Promise<string> =>
    (await runGit(stand.folder, [...args], stdin)).stdout.trim();
  const blob = await git(['hash-object', '-w', '--stdin'], text);
  const leaf = await git(['mktree'], `100644 blob ${blob}\treap.yml\n`);
  const middle = await git(['mktree'], `040000 tree ${leaf}\tworkflows\n`);
  const top = await git(['mktree'], `040000 tree ${middle}\t.github\n`);
  const person = 'hand <hand@localhost> 1700000000 +0000';
  const commit = `tree ${top}\nauthor ${person}\ncommitter ${person}\n\nworkflows\n`;
  const oid = await git(['hash-object', '-w', '-t', 'commit', '--stdin'], commit);
  await git(['update-ref', 'refs/heads/main', oid]);
}

function workflows(token: string | null = TOKEN): Workflows {
  const env = { GITHUB_API_URL: stand.apiUrl, GITHUB_REPOSITORY_ID: String(REPOSITORY.id) };
  return actionsWorkflows({ env, token, userAgent: 'test', clock: virtualClock(0) });
}

it('reads each file of the default branch, and what GitHub has switched off', async () => {
  stand.switches.workflowStates.set(REAP, 'disabled_inactivity');
  expect(await workflows().all()).toEqual(
    seen([
      {
        path: REAP,
        name: 'reap',
        state: seen('disabled_inactivity'),
        crons: ['*/5 * * * *'],
        listensTo: ['train'],
        jobs: [
          { name: 'reap', environment: 'prod', condition: 'always()', uses: ['podtrack/register/reap@v1'] },
        ],
      },
    ]),
  );
});

it('says whether an environment waits for a reviewer, and that one is not shown', async () => {
  stand.switches.environments.set('prod', { reviewers: true });
  stand.switches.environments.set('open', { reviewers: false });
  const looks = workflows();
  expect(await looks.needsReview('prod')).toEqual(seen(true));
  expect(await looks.needsReview('open')).toEqual(seen(false));
  expect(await looks.needsReview('none')).toMatchObject({ kind: 'unseen' });
});

it('without "actions: read" the files are read all the same, and what is missing is named', async () => {
  stand.switches.mayReadActions = false;
  const all = await workflows().all();
  expect(all).toMatchObject({ kind: 'seen', value: [{ name: 'reap', state: { kind: 'unseen' } }] });
  expect(JSON.stringify(all)).toContain('actions: read');
});

it('without a token, or a good one, nothing is known', async () => {
  expect(await workflows(null).all()).toMatchObject({ kind: 'unseen' });
  expect(await workflows('dead').all()).toMatchObject({ kind: 'unseen' });
});
