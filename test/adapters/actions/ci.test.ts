/** Owner liveness against the GitHub server for tests: by id, one question per run, and what is never concluded. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { actionsCi } from '../../../src/adapters/actions-ci.ts';
import type { Owner } from '../../../src/domain/owner.ts';
import type { Ci } from '../../../src/ports.ts';
import { anOwner } from '../../domain/build.ts';
import { type VirtualClock, virtualClock } from '../../fakes/virtual-clock.ts';
import { REPOSITORY, type Stand, standUp } from '../../github-server/asking.ts';
import { TOKEN } from '../../github-server/switches.ts';

const NOW = Date.UTC(2026, 2, 3, 10, 30);
const SERVER = 'https://github.example';

let stand: Stand;
let clock: VirtualClock;
beforeEach(async () => {
  clock = virtualClock(NOW);
  stand = await standUp({ now: () => clock.now() });
});
afterEach(() => stand.close());

function ci(token: string | null = TOKEN): Ci {
  const env = { GITHUB_SERVER_URL: SERVER, GITHUB_API_URL: stand.apiUrl };
  return actionsCi({ env, token, userAgent: 'test', clock });
}

function ownerOf(runId: number, of: Partial<Owner> = {}, repositoryId = REPOSITORY.id): Owner {
  const key = { server: SERVER, repositoryId: String(repositoryId), runId: String(runId) };
  return anOwner({ key, attempt: 1, checkRunId: null, ...of });
}

const asked = (): string[] => stand.seen.map(({ label }) => label);
const running = { status: 'in_progress', conclusion: null, attempt: 1 };

describe('what is asked', () => {
  it('a completed run says when and how; a running one that it runs; each is asked once, however many pods it has', async () => {
    stand.switches.runs.set(7, {
      ...running,
      status: 'completed',
      conclusion: 'cancelled',
      updatedAt: '2026-03-03T10:20:00Z',
    });
    stand.switches.runs.set(8, running);
    const answers = await ci().liveness([ownerOf(7), ownerOf(8), ownerOf(7), ownerOf(7, { job: 'other' })]);
    const over = { state: 'completed', completedAt: Date.UTC(2026, 2, 3, 10, 20), conclusion: 'cancelled' };
    const [seven, eight] = [
      { kind: 'seen', value: over },
      { kind: 'seen', value: { state: 'in-progress' } },
    ];
    expect(answers).toEqual([seven, eight, seven, seven]);
    expect(asked().toSorted()).toEqual(['GET actions/runs/attempts', 'GET actions/runs/attempts']);
  });

  it('an attempt is asked for itself: the first is over while the second runs', async () => {
    stand.switches.runs.set(7, { ...running, attempt: 2 });
    const answers = await ci().liveness([ownerOf(7), ownerOf(7, { attempt: 2 })]);
    expect(answers).toMatchObject([{ value: { state: 'completed' } }, { value: { state: 'in-progress' } }]);
  });

  it('while a run goes on its jobs are told apart by their check run, over as many pages as there are', async () => {
    const job = (id: number, over: boolean) => ({
      id,
      status: over ? 'completed' : 'in_progress',
      conclusion: over ? 'failure' : null,
      completedAt: over ? '2026-03-03T10:25:00Z' : null,
    });
    const jobs = Array.from({ length: 130 }, (_, index) => job(1000 + index, index % 2 === 1));
    stand.switches.runs.set(7, { ...running, jobs });
    const owners = ['1000', '1001', '1129', '5555'].map((checkRunId) => ownerOf(7, { checkRunId }));
    const answers = await ci().liveness(owners);
    expect(answers.map((one) => (one.kind === 'seen' ? one.value.state : one.reason))).toEqual([
      'in-progress',
      'completed',
      'completed',
      'in-progress',
    ]);
    expect(asked()).toEqual(['GET actions/runs/attempts', 'GET actions/jobs', 'GET actions/jobs']);
  });

  it('C65: a rename and a move change nothing, since the repository is asked for by its id', async () => {
    stand.switches.runs.set(7, running);
    stand.rename('harbour/new');
    expect(await ci().liveness([ownerOf(7)])).toMatchObject([{ value: { state: 'in-progress' } }]);
  });
});

describe('what is not asked', () => {
  it('C65: an emulator that counts from 1 names no run, and another server’s run 44 is not this server’s', async () => {
    stand.switches.runs.set(44, { ...running, status: 'completed', conclusion: 'success' });
    const elsewhere = ownerOf(44);
    const key = { server: 'https://forge-two.example', repositoryId: String(REPOSITORY.id), runId: '44' };
    const answers = await ci().liveness([ownerOf(1, { key: null }), { ...elsewhere, key }]);
    expect(answers.map(({ kind }) => kind)).toEqual(['unseen', 'unseen']);
    expect(asked()).toEqual([]);
  });

  it('without a token nobody is asked', async () => {
    expect(await ci(null).liveness([ownerOf(7)])).toMatchObject([{ kind: 'unseen' }]);
    expect(asked()).toEqual([]);
  });
});

describe('C59: no right and no quota are no answer', () => {
  it('a: a right that is missing is named, and not asked for again in this cycle', async () => {
    stand.switches.runs.set(7, running);
    stand.switches.mayReadActions = false;
    const one = ci();
    expect(await one.liveness([ownerOf(7)])).toMatchObject([
      { kind: 'unseen', reason: 'this token may not ask for it: grant "actions: read"' },
    ]);
    expect(await one.liveness([ownerOf(7), ownerOf(8)])).toMatchObject([
      { kind: 'unseen' },
      { kind: 'unseen' },
    ]);
    expect(asked()).toHaveLength(1);
  });

  it('b: a spent quota is not asked again before its reset, 41 minutes later, and then it is', async () => {
    stand.switches.runs.set(7, running);
    const { rest } = stand.switches;
    Object.assign(rest, { limit: 1000, used: 1000, resetAt: Date.UTC(2026, 2, 3, 11, 11) });
    const one = ci();
    expect(await one.liveness([ownerOf(7)])).toMatchObject([
      { kind: 'unseen', reason: 'the quota of this token is spent' },
    ]);
    clock.jump(40 * 60_000);
    await one.liveness([ownerOf(7)]);
    expect(asked()).toHaveLength(1);
    clock.jump(2 * 60_000);
    expect(await one.liveness([ownerOf(7)])).toMatchObject([{ kind: 'seen' }]);
    expect(asked()).toHaveLength(2);
  });

  it('c: a body of errors under 200, and one about another run, are unknown', async () => {
    stand.switches.runs.set(7, running);
    const limited = { data: null, errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] };
    const other = {
      id: 8,
      status: 'completed',
      updated_at: '2026-03-03T10:00:00Z',
      repository: { id: REPOSITORY.id },
    };
    for (const body of [limited, other])
      stand.switches.faults.push({
        when: 'GET actions/runs/attempts',
        what: { status: 200, body },
        times: 1,
      });
    const one = ci();
    for (const words of [/shape/, /another run/]) {
      const [answer] = await one.liveness([ownerOf(7)]);
      expect(answer).toMatchObject({ kind: 'unseen' });
      expect(JSON.stringify(answer)).toMatch(words);
    }
  });

  it('d and e: a 404 is a deleted run only where the token provably may list runs of that very repository', async () => {
    const [nothingListed] = await ci().liveness([ownerOf(7)]);
    expect(nothingListed).toMatchObject({ kind: 'unseen' });
    stand.switches.runs.set(8, running);
    expect(await ci().liveness([ownerOf(7), ownerOf(9)])).toMatchObject([
      { value: { state: 'missing' } },
      { value: { state: 'missing' } },
    ]);
    expect(await ci().liveness([ownerOf(7, {}, 99)])).toMatchObject([{ kind: 'unseen' }]);
  });

  it('an attempt that is not shown yet while its run is there is no deleted run', async () => {
    stand.switches.runs.set(7, running);
    expect(await ci().liveness([ownerOf(7, { attempt: 2 })])).toMatchObject([{ kind: 'unseen' }]);
  });

  it('the last hundred requests of the hour are left to the registry', async () => {
    stand.switches.runs.set(7, running);
    stand.switches.runs.set(8, running);
    Object.assign(stand.switches.rest, { limit: 1000, used: 950 });
    const one = ci();
    await one.liveness([ownerOf(7)]);
    expect(await one.liveness([ownerOf(8)])).toMatchObject([{ kind: 'unseen' }]);
    expect(asked()).toHaveLength(1);
  });

  it('a dead token, a cut line and a server in trouble are unknown', async () => {
    stand.switches.runs.set(7, running);
    expect(await ci('ghs_dead').liveness([ownerOf(7)])).toMatchObject([{ kind: 'unseen' }]);
    for (const what of ['cut', 'after'] as const) {
      stand.switches.faults.push({ when: 'GET actions/runs/attempts', what, times: 1 });
      expect(await ci().liveness([ownerOf(7)])).toMatchObject([{ kind: 'unseen' }]);
    }
  });
});
