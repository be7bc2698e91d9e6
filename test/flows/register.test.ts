/** Register: every gate refuses before anything is touched, and the record stands before anything else begins. */
import { describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../src/adapters/memory-registry.ts';
import { ConfigError, Refusal, WorldError } from '../../src/domain/errors.ts';
import { ADOPTED } from '../../src/domain/new-record.ts';
import { seen, unseen } from '../../src/domain/part.ts';
import { formatStamp, type Stamp } from '../../src/domain/stamp.ts';
import { actingReaper } from '../../src/flows/acting.ts';
import { takeFence } from '../../src/flows/ending/fence.ts';
import type { RegisterInput } from '../../src/flows/entry/register-checks.ts';
import { register } from '../../src/flows/register.ts';
import type { Provider, World } from '../../src/ports.ts';
import { anOwner, minutes, NOW } from '../domain/build.ts';
import { worldError } from '../fakes/scripted-provider.ts';
import { answering, cycles, ended, ours, put, record, registerInput, type Stage, stage } from './stage.ts';

const NONCE = 'aabbccddeeff0011';

const stampFor = (of: Partial<Stamp> & { registryId: string }): string =>
  formatStamp({
    repositoryId: '501',
    runId: '7',
    mintedAt: NOW - minutes(61),
    ttlAt: NOW + minutes(120),
    nonce: NONCE,
    ...of,
  });

/** A stage with a registry that exists already: a colleague's pod stands in it. */
async function shared(): Promise<Stage> {
  const on = stage();
  await ours(on, 'colleague', { switched: { util: '97' } });
  return on;
}

async function registryId(on: Stage): Promise<string> {
  return (await on.world.registry.read()).state.meta.registryId;
}

/** Young: made by this run, so that no login is needed. */
const young = { createdAt: NOW - minutes(10), startedAt: NOW - minutes(9) };

async function refusal(work: Promise<unknown>): Promise<Refusal> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Refusal) return error;
  throw new Error(`no Refusal came of it: ${String(error)}`);
}

const WRITES = ['terminate', 'stop', 'start'];

/** Fails when `work` has asked anything of a pod beyond reads, or has written anything anywhere. */
async function expectUntouched(on: Stage, work: () => Promise<unknown>): Promise<unknown> {
  const commits = on.host.commits.length;
  const calls = on.provider.calls.length;
  const scripts = on.shell.calls.length;
  const error = await work().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Error);
  expect(on.host.commits.length).toBe(commits);
  const asked = on.provider.calls.slice(calls);
  expect(asked.filter((call) => WRITES.some((word) => call.startsWith(word)))).toEqual([]);
  const sent = on.shell.calls.slice(scripts).map(({ call }) => call);
  expect(sent.filter((call) => call.script !== 'switch' || call.args[0] !== 'mark')).toEqual([]);
  expect(on.shell.openNow()).toBe(0);
  return error;
}

describe('what is asked for', () => {
  it.each<[string, Partial<RegisterInput>]>([
    ['no path and no word on artifacts', { remotePath: null }],
    ['a path and its decline', { noArtifacts: true }],
    ['a relative path', { remotePath: 'results' }],
    ['a path into somebody else’s home', { remotePath: '~root/results' }],
    ['a path with a line break', { remotePath: '/results\n/etc' }],
  ])('%s names remote-path', async (_what, of) => {
    const on = await shared();
    put(on, 'p', young);
    const error = await expectUntouched(on, () => register(on.world, registerInput('p', of)));
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).input).toBe('remote-path');
  });

  it.each(['/workspace/results', '~/results', '/workspace/a b/ü'])('%j is a path', async (remotePath) => {
    const on = stage();
    put(on, 'p', young);
    await register(on.world, registerInput('p', { remotePath }));
    expect((await record(on, 'p')).artifacts).toMatchObject({ remotePath, none: false });
  });

  it('a pod that the account does not have, or that is TERMINATED, names pod-id', async () => {
    const on = await shared();
    const none = await expectUntouched(on, () => register(on.world, registerInput('nobody')));
    expect(none).toMatchObject({ input: 'pod-id' });
    put(on, 'dead', { ...young, status: 'TERMINATED', statusText: 'TERMINATED' });
    const dead = await expectUntouched(on, () => register(on.world, registerInput('dead')));
    expect(dead).toMatchObject({ input: 'pod-id' });
  });
});

describe('the key', () => {
  const withProvider = (on: Stage, provider: Provider): World => ({ ...on.world, provider });

  it.each([
    ['read-only', /may look but not terminate/],
    ['refused', /may not read pods/],
  ] as const)('that is %s is found out before anything is written (case C16)', async (key, says) => {
    const on = await shared();
    put(on, 'p', young);
    const world = withProvider(on, on.provider.withKey(key));
    const error = await expectUntouched(on, () => register(world, registerInput('p')));
    expect(error).toMatchObject({ gate: 'key-cannot-terminate' });
    expect((error as Refusal).message).toMatch(says);
  });

  it('that could not be measured is taken, and that is said', async () => {
    const on = stage();
    put(on, 'p', young);
    const provider: Provider = {
      ...on.provider,
      abilities: () => Promise.resolve({ read: 'yes', terminate: 'unknown' }),
    };
    const { warnings } = await register(withProvider(on, provider), registerInput('p'));
    expect(warnings.join()).toMatch(/could not be measured/);
  });
});

describe('whose registry and whose pod', () => {
  it('the registry of another repository is not written', async () => {
    const on = stage();
    const of = { clock: on.clock, chance: on.world.chance, host: on.host };
    const theirs = memoryRegistry({ ...of, repository: { server: 'https://github.com', id: '1' } });
    await theirs.probeWrite();
    put(on, 'p', young);
    const here = memoryRegistry({ ...of, repository: { server: 'https://github.com', id: '2' } });
    const world = { ...on.world, registry: here };
    const error = await expectUntouched(on, () => register(world, registerInput('p')));
    expect(error).toMatchObject({ gate: 'foreign-registry' });
  });

  it('another registry’s stamp needs adopt', async () => {
    const on = await shared();
    put(on, 'p', { ...young, stamp: stampFor({ registryId: 'f'.repeat(32) }) });
    const error = await expectUntouched(on, () => register(on.world, registerInput('p')));
    expect(error).toMatchObject({ gate: 'other-registry' });
    const { record: taken } = await register(on.world, registerInput('p', { adopt: true }));
    expect(taken.notes).toEqual([ADOPTED]);
  });

  it('our own stamp needs nothing, whatever the age of the pod', async () => {
    const on = await shared();
    put(on, 'p', { stamp: stampFor({ registryId: await registryId(on) }), createdAt: NOW - minutes(60) });
    const opened = on.shell.opened.length;
    const { record: taken } = await register(on.world, registerInput('p', { runStartedAt: NOW }));
    expect(taken.nonce).toBe(NONCE);
    expect(on.shell.opened.length).toBe(opened);
  });

  it.each<[string, string | null, string | null]>([
    ['another volume', 'vol-2', 'vol-1'],
    ['no volume', null, 'vol-1'],
  ])('%s than the one expected is refused', async (_what, volumeId, expected) => {
    const on = await shared();
    put(on, 'p', { ...young, volumeId });
    const error = await expectUntouched(on, () =>
      register(on.world, registerInput('p', { volumeId: expected })),
    );
    expect(error).toMatchObject({ gate: 'volume-mismatch' });
  });

  it('an address that is not the provider’s is told and not stored', async () => {
    const on = stage();
    put(on, 'p', young);
    const expectedAddress = { host: '198.51.100.7', port: 22 };
    const { warnings } = await register(on.world, registerInput('p', { expectedAddress }));
    expect(warnings.join()).toMatch(/not the one the provider shows/);
    expect(JSON.stringify([...(on.host.commits.at(-1)?.files ?? [])])).not.toMatch(
      /198\.51\.100|203\.0\.113/,
    );
  });
});

describe('a pod to which no direct way leads', () => {
  const doors = [
    ['proxy-only', /proxy alone, a terminal .* copies nothing/],
    ['private-address', /private or carrier-grade/],
    ['no-port-22', /does not expose 22\/tcp/],
  ] as const;

  it.each(doors)(
    'is refused when results are wanted and there is %s (cases C29, C70)',
    async (reason, says) => {
      const on = await shared();
      put(on, 'p', { ...young, ssh: unseen(reason), proxied: true });
      const error = await expectUntouched(on, () => register(on.world, registerInput('p')));
      expect(error).toMatchObject({ gate: 'no-way-to-copy', message: expect.stringMatching(says) });
      expect(String(error)).toContain('SSH does not pass an HTTP proxy');
    },
  );

  it.each(doors)(
    'is registered without results, and told of, with %s (cases C29, C70)',
    async (reason, says) => {
      const on = stage();
      put(on, 'p', { ...young, ssh: unseen(reason), proxied: true });
      const input = registerInput('p', { noArtifacts: true, remotePath: null });
      const { record: entered, warnings } = await register(on.world, input);
      expect(entered.status).toBe('active');
      expect(warnings.join()).toMatch(says);
    },
  );

  it('may still come up: one that is not ready is registered (case C29)', async () => {
    const on = stage();
    put(on, 'p', { ...young, ssh: unseen('not-ready'), proxied: true });
    expect((await register(on.world, registerInput('p'))).how).toBe('registered');
  });
});

describe('an unstamped pod that was there before this run', () => {
  const older = { createdAt: NOW - minutes(91) };

  it.each(['no-route', 'refused-login', 'held-shut'] as const)(
    'is not taken when the login ends in %s',
    async (door) => {
      const on = await shared();
      put(on, 'p', older);
      answering(on, 'p', { door });
      const error = await expectUntouched(on, () => register(on.world, registerInput('p')));
      expect(error).toMatchObject({ gate: 'login-needed' });
    },
  );

  it('is not taken while it has no address', async () => {
    const on = await shared();
    put(on, 'p', { ...older, ssh: unseen('not-ready') });
    const error = await expectUntouched(on, () => register(on.world, registerInput('p')));
    expect(error).toMatchObject({ gate: 'login-needed' });
  });

  it('is taken after a login that changed nothing on it', async () => {
    const on = stage();
    put(on, 'p', older);
    answering(on, 'p');
    await register(on.world, registerInput('p'));
    expect(on.shell.calls.map(({ call }) => call.args[0])).toEqual(['mark']);
    expect((await record(on, 'p')).status).toBe('active');
  });

  it.each([
    ['a younger one needs no login', { createdAt: NOW - minutes(89) }, NOW - minutes(90), 0],
    ['one of unknown age needs it', { createdAt: null }, NOW - minutes(90), 1],
    ['with a run of unknown age an hour decides', { createdAt: NOW - minutes(61) }, null, 1],
    ['with a run of unknown age an hour is enough', { createdAt: NOW - minutes(59) }, null, 0],
  ])('%s', async (_what, pod, runStartedAt, logins) => {
    const on = stage();
    put(on, 'p', pod);
    answering(on, 'p');
    await register(on.world, registerInput('p', { runStartedAt }));
    expect(on.shell.opened).toHaveLength(logins);
  });

  it('needs it too when its stamp was copied from another pod', async () => {
    const on = await shared();
    const stamp = stampFor({ registryId: await registryId(on), mintedAt: NOW - minutes(60 * 24) });
    put(on, 'p', { ...older, stamp });
    const error = await expectUntouched(on, () => register(on.world, registerInput('p')));
    expect(error).toMatchObject({ gate: 'login-needed' });
  });

  it('with another registry’s mark on it needs adopt', async () => {
    const on = await shared();
    put(on, 'p', older);
    const theirs = answering(on, 'p', { mark: { registryId: 'f'.repeat(32), ownerUuid: 'x' } });
    theirs.planted = { stopAtMs: NOW, absoluteAtMs: NOW, ownerAtMs: NOW, extensionsLeft: 0 };
    const error = await expectUntouched(on, () => register(on.world, registerInput('p')));
    expect(error).toMatchObject({ gate: 'other-registry' });
    await register(on.world, registerInput('p', { adopt: true }));
    expect((await record(on, 'p')).notes).toEqual([ADOPTED]);
  });
});

describe('a pod that is recorded already', () => {
  const second = anOwner({ uuid: 'u-second', attempt: 2 });

  it('is reclaimed by a later attempt of the same owner, with its limits as they are', async () => {
    const on = stage();
    const before = await ours(on, 'p');
    on.clock.jump(minutes(10));
    const again = await register(on.world, registerInput('p', { killInGiven: false }, second));
    expect(again.how).toBe('reclaimed');
    expect(again.record).toMatchObject({ owner: { uuid: 'u-second' }, deadlines: before.deadlines });
  });

  it('is reclaimed with new limits when a person gave kill-in', async () => {
    const on = stage();
    await ours(on, 'p');
    const killInMs = minutes(200);
    const again = await register(on.world, registerInput('p', { killInGiven: true, killInMs }, second));
    expect(again.record.deadlines.ownerSetAt).toBe(NOW + killInMs);
  });

  it.each([
    ['a sibling leg of the matrix that may still run', anOwner({ uuid: 'u-2', matrix: 'b' }), null],
    [
      'a process of the same owner that provably lives',
      anOwner({ uuid: 'u-2' }),
      { state: 'in-progress' as const },
    ],
    ['another owner', anOwner({ uuid: 'u-2', key: null, label: 'other', labelGiven: true }), null],
    ['an unlabelled process', anOwner({ uuid: 'u-2', key: null, label: null }), null],
  ])('is not taken from %s: that needs a claim', async (_what, owner, liveness) => {
    const on = stage();
    await ours(on, 'p', { owner: { matrix: 'a' } });
    const mine = liveness === null ? owner : { ...owner, matrix: 'a' };
    if (liveness !== null) on.owners.set('u-p', seen(liveness));
    const error = await expectUntouched(on, () => register(on.world, registerInput('p', {}, mine)));
    expect(error).toMatchObject({ gate: 'needs-claim' });
  });

  it('is mine when I register twice, and the right to write is proven all the same (case C43)', async () => {
    const on = stage();
    const input = registerInput('p');
    put(on, 'p', young);
    await register(on.world, input);
    const commits = on.host.commits.length;
    expect((await register(on.world, input)).how).toBe('already-mine');
    expect(on.host.commits.length).toBe(commits + 1);
  });

  it('is not begun on while somebody is ending it', async () => {
    const on = stage();
    const mine = await ours(on, 'p');
    const why = { reason: 'idle' as const, inferred: true, verdict: null };
    await takeFence(on.world, actingReaper('reaper-1', null), mine, why);
    const error = await expectUntouched(on, () => register(on.world, registerInput('p')));
    expect(error).toMatchObject({ gate: 'fence-held' });
    const other = await expectUntouched(on, () => register(on.world, registerInput('p', {}, second)));
    expect(other).toMatchObject({ gate: 'registry-refused' });
  });

  it('under an id that another pod bears by now is not mistaken for it', async () => {
    const on = stage();
    await ours(on, 'p');
    on.clock.jump(minutes(1));
    put(on, 'p', { createdAt: NOW - minutes(5) });
    const error = await refusal(register(on.world, registerInput('p')));
    expect(error.gate).toBe('registry-refused');
    expect(ended(on)).toEqual([]);
  });
});

describe('the record', () => {
  it('stands before any wait, for a pod that never becomes reachable (case C01)', async () => {
    const on = stage();
    put(on, 'p', { ...young, ssh: unseen('not-ready'), telemetry: unseen('no runtime') });
    await register(on.world, registerInput('p'));
    expect((await record(on, 'p')).status).toBe('active');
    expect(on.shell.opened).toEqual([]);
  });

  it('of a stopped pod takes no price from the 0.0 that the provider shows (case C09)', async () => {
    const on = stage();
    const stopped = { status: 'EXITED' as const, statusText: 'EXITED', costPerHourMicroUsd: 0 };
    put(on, 'p', { ...young, ...stopped });
    await register(on.world, registerInput('p'));
    expect((await record(on, 'p')).costPerHourMicroUsd).toBeNull();
    put(on, 'q', { ...young, ...stopped });
    await register(on.world, registerInput('q', { costPerHourMicroUsd: 2_690_000 }));
    expect((await record(on, 'q')).costPerHourMicroUsd).toBe(2_690_000);
  });

  it('pins the host key that the container log prints', async () => {
    const on = stage();
    const fingerprint = `SHA256:${'A'.repeat(43)}`;
    put(on, 'p', young);
    on.provider.logBook.set('p', ['start', `256 ${fingerprint} root@p (ED25519)`]);
    await register(on.world, registerInput('p'));
    expect((await record(on, 'p')).hostKey).toMatchObject({ fingerprint, from: 'container-log' });
    expect((await record(on, 'p')).hostKey?.others).toBeUndefined();
  });

  it('pins the key of every kind that the last start printed, and of no earlier start (case C30)', async () => {
    const on = stage();
    const [old, rsa, ed] = ['O', 'R', 'E'].map((letter) => `SHA256:${letter.repeat(43)}`);
    put(on, 'p', young);
    const first = ['start container for x: begin', 'Pod Started', `256 ${old} root@p (ED25519)`];
    const second = ['Pod Started', `3072 ${rsa} root@p (RSA)`, `256 ${ed} root@p (ED25519)`];
    on.provider.logBook.set('p', [...first, ...second]);
    await register(on.world, registerInput('p'));
    expect((await record(on, 'p')).hostKey).toMatchObject({
      fingerprint: ed,
      others: [rsa],
      from: 'container-log',
    });
  });

  it('is written although the reaper has not come for hours, and that is said (case C22)', async () => {
    const on = await shared();
    await cycles(on, 1);
    put(on, 'p', { createdAt: NOW, startedAt: NOW });
    on.clock.jump(minutes(119));
    on.owners.set('u-p', seen({ state: 'in-progress' }));
    expect((await register(on.world, registerInput('p'))).warnings).toEqual([]);
    put(on, 'q', { createdAt: NOW, startedAt: NOW });
    on.clock.jump(minutes(5));
    const input = registerInput('q', { runStartedAt: NOW - minutes(1) });
    expect((await register(on.world, input)).warnings.join()).toMatch(/last sweep .* was 2 h 4 min ago/);
  });

  it('says so too when the reaper has never come', async () => {
    const on = await shared();
    on.clock.jump(minutes(180));
    put(on, 'p', { createdAt: NOW, startedAt: NOW });
    const input = registerInput('p', { runStartedAt: NOW - minutes(1) });
    expect((await register(on.world, input)).warnings.join()).toMatch(/was never/);
  });
});

describe('a write that fails after the ownership check', () => {
  /** Everything up to the write works, and the write itself does not. */
  const unwritable = (on: Stage): World => ({
    ...on.world,
    registry: {
      ...on.world.registry,
      submit: () => Promise.reject(worldError('write-refused', 'Writing the registry')),
    },
  });
  const thrown = async (world: World, input: RegisterInput): Promise<WorldError> => {
    const error = await register(world, input).then(
      () => null,
      (what: unknown) => what,
    );
    if (error instanceof WorldError) return error;
    throw new Error(`no WorldError came of it: ${String(error)}`);
  };

  async function stamped(of: { nonce: string }): Promise<Stage> {
    const on = await shared();
    put(on, 'p', { ...young, stamp: stampFor({ registryId: await registryId(on), nonce: of.nonce }) });
    return on;
  }

  it('ends the pod that carries this job’s own nonce, and says by what proof (case C42)', async () => {
    const on = await stamped({ nonce: NONCE });
    const error = await thrown(unwritable(on), registerInput('p', { ownNonce: NONCE }));
    expect(ended(on)).toEqual(['p']);
    expect(error.told.state).toMatch(/so it was ended \(DELETE accepted, then GET 404\)/);
    expect(error.failure).toBe('write-refused');
  });

  it.each<[string, string, string | null]>([
    ['carries another nonce', '1111111111111111', NONCE],
    ['was not made by this job', NONCE, null],
  ])('leaves and names a pod that %s', async (_what, nonce, ownNonce) => {
    const on = await stamped({ nonce });
    const error = await thrown(unwritable(on), registerInput('p', { ownNonce }));
    expect(ended(on)).toEqual([]);
    expect(error.told.state).toMatch(/^Pod p was not made by this job: it was left running/);
  });

  it('leaves a pod without a stamp', async () => {
    const on = await shared();
    put(on, 'p', young);
    await thrown(unwritable(on), registerInput('p', { ownNonce: NONCE }));
    expect(ended(on)).toEqual([]);
  });

  it('does not say that it was ended while the pod is still shown (case C05)', async () => {
    const on = await stamped({ nonce: NONCE });
    on.provider.linger('p', 1000);
    const error = await thrown(unwritable(on), registerInput('p', { ownNonce: NONCE }));
    expect(error.told.state).toMatch(/not confirmed \(it is still shown\): it may bill/);
  });

  it('says that it may bill when it could not be ended either', async () => {
    const on = await stamped({ nonce: NONCE });
    on.provider.fail('terminate', 'server-error');
    const error = await thrown(unwritable(on), registerInput('p', { ownNonce: NONCE }));
    expect(error.told.state).toMatch(/could not be recorded, nor ended .*: it may bill/);
  });
});
