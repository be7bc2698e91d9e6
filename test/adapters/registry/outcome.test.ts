/** Every answer of git that is known from the field, from forges and from own runs, and what it means. */
import { describe, expect, it } from 'vitest';
import { judgePush, judgeRead, tellingLine } from '../../../src/adapters/git-registry/outcome.ts';

const REF = 'refs/heads/podtrack';
const push = (stderr: string, stdout = '', exitCode: number | null = 1) =>
  judgePush({ exitCode, stdout, stderr }, REF);
const porcelain = (flag: string, summary: string): string =>
  `To https://forge.example/acme/ci\n${flag}\tabc:${REF}\t${summary}\nDone\n`;
const rejected = (reason: string): string => porcelain('!', reason);

const LOST: readonly (readonly [string, string, string])[] = [
  ['the client saw a newer tip', '', rejected('[rejected] (fetch first)')],
  ['the client knows the newer tip', '', rejected('[rejected] (non-fast-forward)')],
  ['the lease is stale', '', rejected('[rejected] (stale info)')],
  [
    'the server moved meanwhile',
    `remote: error: cannot lock ref '${REF}': is at ${'1'.repeat(40)} but expected ${'2'.repeat(40)}`,
    rejected('[remote rejected] (failed to update ref)'),
  ],
  [
    'somebody created it first',
    `remote: error: cannot lock ref '${REF}': reference already exists`,
    rejected('[remote rejected] (failed to update ref)'),
  ],
  [
    'the lock is named in the line',
    '',
    rejected(`[remote rejected] (cannot lock ref '${REF}': is at 3f2a but expected 9d0c)`),
  ],
  [
    'in words for people',
    ` ! [remote rejected] HEAD -> podtrack (cannot lock ref '${REF}': is at 3f2a but expected 9d0c)\nerror: failed to push some refs`,
    '',
  ],
  [
    'in words for people, by hint',
    ' ! [rejected]        HEAD -> podtrack (fetch first)\nerror: failed to push some refs\nhint: Updates were rejected',
    '',
  ],
  ['another one was there, short', '', rejected('[remote rejected] (reference already exists)')],
  ['newer git', '', rejected('[remote rejected] (incorrect old value provided)')],
  ['one of several refs was stale', '', rejected('[remote rejected] (atomic push failed)')],
];

const FINAL: readonly (readonly [string, string, RegExp, number])[] = [
  [
    'a ruleset',
    `remote: error: GH013: Repository rule violations found for ${REF}.\nremote: - Changes must be made through a pull request.\n${rejected('[remote rejected] (push declined due to repository rule violations)')}`,
    /ruleset/,
    1,
  ],
  [
    'a protected branch of GitHub',
    `remote: error: GH006: Protected branch update failed for ${REF}.\n${rejected('[remote rejected] (protected branch hook declined)')}`,
    /protect/,
    1,
  ],
  [
    'a protected branch elsewhere',
    `remote: error: Not allowed to push to protected branch podtrack\n${rejected('[remote rejected] (pre-receive hook declined)')}`,
    /protect/,
    1,
  ],
  [
    'protection from force pushes',
    `remote: error: branch podtrack-state is protected from force push\n${rejected('[remote rejected] (pre-receive hook declined)')}`,
    /protect/,
    1,
  ],
  [
    'protection from deletion',
    `remote: error: branch podtrack is protected from deletion\n${rejected('[remote rejected] (pre-receive hook declined)')}`,
    /protect/,
    1,
  ],
  [
    'a secret found',
    `remote: error: GH009: Secrets detected! This push failed.\n${rejected('[remote rejected] (push declined due to secret scanning)')}`,
    /secret/,
    1,
  ],
  [
    'a user who may only read',
    `remote: error: User permission denied for writing.\n${rejected('[remote rejected] (pre-receive hook declined)')}`,
    /contents: write/,
    1,
  ],
  [
    'a token that may only read',
    "remote: Permission to acme/ci.git denied to github-actions[bot].\nfatal: unable to access 'https://forge.example/acme/ci/': The requested URL returned error: 403",
    /contents: write/,
    128,
  ],
  [
    'write access not granted',
    "remote: Write access to repository not granted.\nfatal: unable to access 'https://x/': The requested URL returned error: 403",
    /contents: write/,
    128,
  ],
  [
    'a read scope elsewhere',
    "remote: Forbidden\nfatal: unable to access 'https://forge.example/acme/ci/': The requested URL returned error: 403",
    /contents: write/,
    128,
  ],
  [
    'two authorization headers',
    'remote: Duplicate header: "Authorization"\nfatal: unable to access \'https://forge.example/\': The requested URL returned error: 400',
    /persist-credentials/,
    128,
  ],
  [
    'a bad token',
    "remote: Failed to authenticate user\nfatal: Authentication failed for 'https://forge.example/'",
    /valid token/,
    128,
  ],
  [
    'no credentials',
    "fatal: could not read Username for 'https://forge.example': terminal prompts disabled",
    /valid token/,
    128,
  ],
  [
    'bad credentials of GitHub',
    'remote: Invalid username or token. Password authentication is not supported for Git operations.\nfatal: Authentication failed',
    /valid token/,
    128,
  ],
  [
    'a refused ssh key',
    'git@forge.example: Permission denied (publickey).\nfatal: Could not read from remote repository.',
    /valid token or key/,
    128,
  ],
  [
    'a missing repository',
    'remote: Push to create is not enabled for users.\nfatal: unable to access: The requested URL returned error: 403',
    /address/,
    128,
  ],
  [
    'a repository that is not shown',
    "remote: Repository not found.\nfatal: repository 'https://github.com/a/b/' not found",
    /address/,
    128,
  ],
  [
    'a folder that is no repository',
    "fatal: '/tmp/x' does not appear to be a git repository\nfatal: Could not read from remote repository.",
    /address/,
    128,
  ],
  [
    'an archived repository',
    'remote: This repo is archived. You can view files and clone it, but cannot push or open issues/pull-requests.\nfatal: unable to access: The requested URL returned error: 403',
    /Unarchive/,
    128,
  ],
  [
    'an archived repository of GitHub',
    'remote: This repository was archived so it is read-only.\nfatal: unable to access: The requested URL returned error: 403',
    /Unarchive/,
    128,
  ],
  [
    'any other hook',
    `remote: no pushes on Fridays\n${rejected('[remote rejected] (pre-receive hook declined)')}`,
    /administrator/,
    1,
  ],
  [
    'a repository that takes no force pushes',
    `remote: error: denying non-fast-forward refs/heads/podtrack-state (you should pull first)\n${rejected('[remote rejected] (non-fast-forward)')}`,
    /receive/,
    1,
  ],
  [
    'a checked-out branch',
    `remote: error: refusing to update checked out branch: ${REF}\n${rejected('[remote rejected] (branch is currently checked out)')}`,
    /bare/,
    1,
  ],
  ['a full disk', 'remote: fatal: write error: No space left on device', /room/, 1],
  ['a folder of another user', "fatal: detected dubious ownership in repository at '/srv/x'", /owner/, 128],
  [
    'a folder without write permission',
    'remote: error: insufficient permission for adding an object to repository database ./objects',
    /permission/,
    1,
  ],
  [
    'an unknown certificate',
    "fatal: unable to access 'https://x/': SSL certificate problem: self-signed certificate",
    /certificate/,
    128,
  ],
];

/** Words of other forges, and of GitHub's newer rules. */
const hooked = (said: string): string =>
  `${said}\n${rejected('[remote rejected] (pre-receive hook declined)')}`;
const GH013 = `remote: error: GH013: Repository rule violations found for ${REF}.\nremote: \nremote: - GITHUB PUSH PROTECTION`;
const ruled = (said: string): string =>
  `${GH013}\n${said}\n${rejected('[remote rejected] (push declined due to repository rule violations)')}`;
const http = (status: number): string =>
  `error: RPC failed; HTTP ${status} curl 22 The requested URL returned error: ${status}\nsend-pack: unexpected disconnect while reading sideband packet\nfatal: the remote end hung up unexpectedly\nEverything up-to-date`;

const ELSEWHERE: readonly (readonly [string, string, string, RegExp])[] = [
  ['push protection: a secret', ruled('remote:     - Push cannot contain secrets'), 'secret-found', /secret/],
  ['push protection: a path', ruled('remote:     - File path is restricted'), 'ruleset', /ruleset/],
  [
    'a forced push that GitHub does not take',
    hooked('remote: error: GH003: Sorry, force-pushing to podtrack-state is not allowed.'),
    'protected-branch',
    /protection/,
  ],
  [
    'GitLab, protected',
    hooked('remote: GitLab: You are not allowed to push code to protected branches on this project.'),
    'protected-branch',
    /protection/,
  ],
  [
    'GitLab, protected from force',
    hooked('remote: GitLab: You are not allowed to force push code to a protected branch on this project.'),
    'protected-branch',
    /force pushes/,
  ],
  [
    'an old GitLab, protected',
    hooked('remote: GitLab: You are not allowed to access some of the refs!'),
    'protected-branch',
    /protection/,
  ],
  [
    'an old GitLab, read only',
    hooked("remote: GitLab: You don't have permission"),
    'read-only',
    /contents: write/,
  ],
  [
    'GitLab, read only',
    "remote: You are not allowed to push code to this project.\nfatal: unable to access 'https://gitlab.example/a/b.git/': The requested URL returned error: 403",
    'read-only',
    /contents: write/,
  ],
  [
    'GitLab, a push rule',
    hooked("remote: GitLab: Commit message does not follow the pattern 'JIRA-\\d+'"),
    'hook',
    /administrator/,
  ],
  [
    'GitLab, full',
    hooked(
      'remote: GitLab: Your push has been rejected, because this repository has exceeded its size limit of 10 MB',
    ),
    'configuration',
    /compact/,
  ],
  [
    'GitLab, credentials',
    "remote: HTTP Basic: Access denied. The provided password or token is incorrect\nfatal: Authentication failed for 'https://gitlab.example/a/b.git/'",
    'bad-credentials',
    /valid token/,
  ],
  [
    'Gitea, protected',
    hooked('remote: Gitea: Not allowed to push to protected branch podtrack'),
    'protected-branch',
    /protection/,
  ],
  [
    'Gitea, read only',
    hooked('remote: Gitea: User permission denied for writing.'),
    'read-only',
    /contents: write/,
  ],
  ['Forgejo, full', hooked('remote: Forgejo: Quota exceeded'), 'configuration', /room/],
  [
    'Bitbucket Cloud, protected',
    hooked('remote: Permission denied to update branch podtrack.'),
    'protected-branch',
    /protection/,
  ],
  [
    'Bitbucket Server, protected',
    hooked(`remote: Branch ${REF} can only be modified through pull requests.`),
    'protected-branch',
    /protection/,
  ],
  [
    'Bitbucket, committer rule',
    hooked('remote: You can only push your own commits in this repository'),
    'hook',
    /administrator/,
  ],
  [
    'Bitbucket, scopes',
    'remote: Your credentials lack one or more required privilege scopes.\nfatal: unable to access: The requested URL returned error: 403',
    'read-only',
    /contents: write/,
  ],
  [
    'Azure, protected',
    rejected(
      '[remote rejected] (TF402455: Pushes to this branch are not permitted; you must use a pull request to update this branch.)',
    ),
    'protected-branch',
    /protection/,
  ],
  [
    'Azure, read only',
    "remote: TF401027: You need the Git 'GenericContribute' permission to perform this action.",
    'read-only',
    /contents: write/,
  ],
  [
    'Gerrit',
    rejected('[remote rejected] (prohibited by Gerrit: not permitted: update)'),
    'protected-branch',
    /protection/,
  ],
  [
    'a deploy key for reading',
    'ERROR: The key you are authenticating with has been marked as read only.\nfatal: Could not read from remote repository.',
    'read-only',
    /contents: write/,
  ],
  [
    'a shallow push',
    rejected('[remote rejected] (shallow update not allowed)'),
    'configuration',
    /receive\.\*/,
  ],
  ['a large file', hooked('remote: error: GH001: Large files detected.'), 'configuration', /compact/],
  ['413', http(413), 'configuration', /limit of the server/],
  ['507', http(507), 'configuration', /room/],
];

const AMBIGUOUS: readonly (readonly [string, string])[] = [
  [
    'a 500 that may have landed',
    'error: RPC failed; HTTP 500 curl 22 The requested URL returned error: 500\nsend-pack: unexpected disconnect while reading sideband packet\nfatal: the remote end hung up unexpectedly\nEverything up-to-date',
  ],
  ['a 502', "fatal: unable to access 'https://x/': The requested URL returned error: 502"],
  ['a cut connection', 'fatal: the remote end hung up unexpectedly'],
  [
    'an early end',
    'error: RPC failed; curl 18 transfer closed with outstanding read data remaining\nfatal: early EOF',
  ],
  [
    'a slow network',
    'error: RPC failed; curl 28 Operation too slow. Less than 100 bytes/sec transferred the last 30 seconds',
  ],
  ['no answer at all', ''],
  ['words that nobody has seen yet', 'fatal: the cheese has run out'],
  [
    'a failure without a report',
    '!\tabc:refs/heads/podtrack\t[remote failure] (remote failed to report status)',
  ],
];

describe('judgePush', () => {
  it.each([
    ['an update', ' ', 'abc..def'],
    ['a new branch', '*', '[new branch]'],
    ['a replacement', '+', 'abc...def (forced update)'],
    ['a repetition', '=', '[up to date]'],
  ])('%s is done', (_name, flag, summary) => {
    expect(push('', porcelain(flag, summary), 0)).toEqual({ kind: 'done' });
  });

  it('a good push stays good whatever the server chatters', () => {
    const chatter =
      'remote: Create a new pull request for podtrack\nremote: warning: The last gc run reported the following error\nremote: error: nothing';
    expect(push(chatter, porcelain(' ', 'a..b'), 0).kind).toBe('done');
  });

  it('exit 0 without a line for the very ref proves nothing', () => {
    expect(push('Everything up-to-date', '', 0).kind).toBe('ambiguous');
    expect(push('', porcelain(' ', 'a..b').replace(REF, `${REF}-state`), 0).kind).toBe('ambiguous');
  });

  it.each(LOST)('lost race: %s', (_name, stderr, stdout) => {
    expect(push(stderr, stdout).kind).toBe('lost-race');
  });

  it.each(FINAL)('never again: %s', (_name, text, next, exitCode) => {
    const outcome = push(text, '', exitCode);
    expect(outcome).toMatchObject({ kind: 'final', next: expect.stringMatching(next) });
  });

  it.each(ELSEWHERE)('never again, in the words of %s', (_name, text, because, next) => {
    expect(push(text)).toMatchObject({ kind: 'final', because, next: expect.stringMatching(next) });
  });

  it.each([
    `remote: error: cannot lock ref '${REF}': Unable to create '/data/x.git/./refs/heads/podtrack.lock': File exists.`,
    "error: Unable to create '/data/x.git/shallow.lock': File exists.",
  ])('a lock file may be a race: %s', (text) => {
    expect(push(text, rejected('[remote rejected] (failed to update ref)')).kind).toBe('locked');
  });

  it.each([
    'remote: You have exceeded a secondary rate limit. Please wait a few minutes before you try again.\nfatal: unable to access: The requested URL returned error: 403',
    "fatal: unable to access 'https://x/': The requested URL returned error: 429",
  ])('a limit is waited for, though it may be a 403: %s', (text) => {
    expect(push(text, '', 128)).toMatchObject({ kind: 'limited', waitMs: 60_000 });
  });

  it.each(AMBIGUOUS)('unknown, so the branch is read first: %s', (_name, text) => {
    expect(push(text, '', 128).kind).toBe('ambiguous');
  });

  it('a git that was ended by the clock proves nothing', () => {
    expect(push('', porcelain(' ', 'a..b'), null).kind).toBe('ambiguous');
  });
});

describe('judgeRead', () => {
  it.each([
    [0, '', 'done'],
    [128, "fatal: '/x' does not appear to be a git repository", 'final'],
    [128, 'fatal: Authentication failed', 'final'],
    [128, "fatal: unable to access 'https://x/': Could not resolve host: x", 'ambiguous'],
    [null, '', 'ambiguous'],
  ])('exit %s with %j is %s', (exitCode, stderr, kind) => {
    expect(judgeRead({ exitCode, stdout: '', stderr }).kind).toBe(kind);
  });
});

describe('tellingLine', () => {
  it('picks what failed and shows no credentials', () => {
    expect(tellingLine("hint: x\nfatal: unable to access 'https://user:secret@x/y': 500\n")).toBe(
      "fatal: unable to access 'https://x/y': 500",
    );
    expect(tellingLine('')).toBe('git said nothing');
    expect(tellingLine(`fatal: ${'x'.repeat(500)}`)).toHaveLength(200);
  });
});
