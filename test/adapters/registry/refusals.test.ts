/** The kinds in which a write is refused, the nine of the plan and three more, over git and over the API: what each is called, how often it is tried, what to do. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitRegistry } from '../../../src/adapters/git-registry.ts';
import { nodeChance } from '../../../src/adapters/node-chance.ts';
import { WorldError, type WorldFailure } from '../../../src/domain/errors.ts';
import type { RegistryStore } from '../../../src/ports.ts';
import { suiteWith } from '../../components.ts';
import { register } from '../../domain/registry/record-maker.ts';
import { refusal, secondaryLimit } from '../../github-server/refusals.ts';
import { type Scripted, TOKEN } from '../../github-server/switches.ts';
import { type GithubPlace, githubPlace, swiftClock } from './github-place.ts';

type Way = 'git' | 'api';
type Kind = {
  readonly kind: string;
  /** Makes the server refuse so from now on. */
  readonly refuse: Readonly<Record<Way, (place: GithubPlace) => void>>;
  /** null = it is written in the end. */
  readonly failure: WorldFailure | null;
  /** How often it is asked for. */
  readonly tries: number;
  readonly says: RegExp;
};

const scripted = (what: Scripted) => (place: GithubPlace) =>
  void place.server.switches.faults.push({ when: 'graphql createCommitOnBranch', what, times: 99 });
const graphError = (type: string, message: string): Scripted => ({
  status: 200,
  body: {
    data: { createCommitOnBranch: null },
    errors: [{ type, path: ['createCommitOnBranch'], message }],
  },
});
const overGit = (status: number, text: string) => (place: GithubPlace) =>
  void place.server.switches.gitFaults.push({ status, text, times: 99 });
const guarded = (how: 'rules' | 'classic') => (place: GithubPlace) => {
  place.server.switches.guarded = { refs: /podtrack/, how };
};
const both = (refuse: (place: GithubPlace) => void) => ({ git: refuse, api: refuse });

const LOCK =
  "cannot lock ref 'refs/heads/podtrack': Unable to create '/data/ci.git/podtrack.lock': File exists.";

function hook(says: string): (place: GithubPlace) => void {
  return ({ server }) => {
    const path = join(server.folder, 'hooks', 'pre-receive');
    mkdirSync(join(server.folder, 'hooks'), { recursive: true });
    writeFileSync(path, `#!/bin/sh\n${says}\nexit 1\n`);
    chmodSync(path, 0o755);
  };
}

/** Somebody else commits just before us. */
function overtake(place: GithubPlace): void {
  place.edit('by-hand.txt', 'first');
}

const KINDS: readonly Kind[] = [
  { kind: 'lease lost', refuse: both(overtake), failure: null, tries: 2, says: /./ },
  {
    kind: 'lock',
    refuse: {
      git: ({ server }) => writeFileSync(join(server.folder, 'refs/heads/podtrack.lock'), ''),
      api: scripted(graphError('UNPROCESSABLE', LOCK)),
    },
    failure: 'conflict',
    tries: 6,
    says: /lock file of a dead .*administrator must remove it/,
  },
  {
    kind: 'hook',
    refuse: {
      git: hook('echo "every change needs a ticket" >&2'),
      api: scripted(refusal(422, 'pre-receive hook declined')),
    },
    failure: 'write-refused',
    tries: 1,
    says: /a hook of the server refuses.*hook declined.*Ask the server’s administrator/,
  },
  {
    kind: 'ruleset',
    refuse: both(guarded('rules')),
    failure: 'write-refused',
    tries: 1,
    says: /a ruleset refuses.*ule violations found.*Exempt/,
  },
  {
    kind: 'protected branch',
    refuse: both(guarded('classic')),
    failure: 'write-refused',
    tries: 1,
    says: /the branch is protected.*Exempt/,
  },
  {
    kind: 'read-only token',
    refuse: both(({ server }) => void server.switches.tokens.set(TOKEN, 'read')),
    failure: 'write-refused',
    tries: 1,
    says: /contents: write/,
  },
  {
    kind: 'bad credentials',
    refuse: both(({ server }) => void server.switches.tokens.delete(TOKEN)),
    failure: 'unauthorized',
    tries: 1,
    says: /refused.*Give a valid token/,
  },
  {
    kind: 'quota',
    refuse: {
      git: overGit(403, 'You have exceeded a secondary rate limit. Please wait a few minutes.'),
      api: scripted(secondaryLimit(60)),
    },
    failure: 'rate-limited',
    tries: 2,
    says: /secondary rate limit.*Try again in .*register-many/,
  },
  {
    kind: 'secret found',
    refuse: {
      git: hook('echo "error: GH013: Repository rule violations found" "- Push cannot contain secrets" >&2'),
      api: scripted(refusal(422, 'Repository rule violations found\n\nPush cannot contain secrets')),
    },
    failure: 'write-refused',
    tries: 1,
    says: /for a secret.*change it at its source/,
  },
  {
    kind: 'too large',
    refuse: { git: overGit(413, ''), api: scripted({ status: 413, body: '' }) },
    failure: 'write-refused',
    tries: 1,
    says: /413.*compact the registry/,
  },
  {
    kind: 'no room',
    refuse: { git: overGit(507, ''), api: scripted({ status: 507, body: '' }) },
    failure: 'write-refused',
    tries: 1,
    says: /507.*ake room/,
  },
  {
    kind: 'server error',
    refuse: { git: overGit(500, ''), api: scripted({ status: 500, body: '' }) },
    failure: 'outcome-unknown',
    tries: 6,
    says: /unknown; the same keys may be sent again/,
  },
];

function storeOn(place: GithubPlace, way: Way): RegistryStore {
  const clock = swiftClock();
  if (way === 'api') return place.open({ clock });
  return gitRegistry({
    remote: place.server.gitUrl,
    scratchFolder: join(place.server.root, 'scratch'),
    credential: { username: 'x-access-token', token: TOKEN },
    clock,
    chance: nodeChance(),
    repository: null,
  });
}

/** How often the server was asked to move the registry branch. */
function triesOf({ server }: GithubPlace, way: Way): number {
  const asked = way === 'api' ? 'graphql createCommitOnBranch' : 'git /info/refs?service=git-receive-pack';
  return server.seen.filter(({ label }) => label === asked).length;
}

suiteWith(['git-http-backend'], 'a refused write', () => {
  let place: GithubPlace;
  beforeEach(async () => {
    place = await githubPlace();
  });
  afterEach(() => place.close());

  describe.each(['git', 'api'] as const)('over %s', (way) => {
    it.each(KINDS)(
      'C43: $kind is told apart, tried as often as it can help, and says what to do',
      async (row) => {
        await storeOn(place, way).submit([register('abc')]);
        const store = storeOn(place, way);
        await store.read();
        row.refuse[way](place);
        place.server.seen.length = 0;
        const error = await store.probeWrite().then(
          () => null,
          (thrown: unknown) => thrown,
        );
        const failure = error instanceof WorldError ? error.failure : null;
        expect([failure, triesOf(place, way)]).toEqual([row.failure, row.tries]);
        expect(error instanceof WorldError ? error.message : 'written').toMatch(row.says);
      },
    );
  });
});
