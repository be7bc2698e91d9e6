/** Arming: the best key that works, one relaunch, and a proof over a second connection, or a hard failure that says what state things are in. */
import { describe, expect, it } from 'vitest';
import { type Refusal, WorldError } from '../../src/domain/errors.ts';
import { seen } from '../../src/domain/part.ts';
import { reportCycle } from '../../src/domain/report.ts';
import { actingOwner } from '../../src/flows/acting.ts';
import type { ArmKeys } from '../../src/flows/arm.ts';
import { armPod } from '../../src/flows/arm-pod.ts';
import { claim } from '../../src/flows/claim.ts';
import type { OwnerAct } from '../../src/flows/move-deadline.ts';
import type { ScriptAnswer, ScriptCall } from '../../src/ports.ts';
import { anOwner, minutes, NOW } from '../domain/build.ts';
import type { SwitchedPod } from '../fakes/switched-pod.ts';
import { answering, cycles, ended, KEYS, ours, put, record, type Stage, stage, verdicts } from './stage.ts';

const SECRETS = { explicit: 'rpa_EXPLICITsecret', deadman: 'rpa_DEADMANsecret', full: 'rpa_FULLsecret' };
const owner = anOwner({ uuid: 'u-p' });
const act: OwnerAct = { acting: actingOwner(owner, null), owner, podId: 'p' };
const wish = (keys: Partial<ArmKeys> = {}, petWindowMs: number | null = null) => ({
  keys: { ...KEYS, ...keys },
  petWindowMs,
  killInMs: null,
  killAbsoluteMs: null,
});

const said = (lines: readonly string[], exitCode = 0): ScriptAnswer => ({
  exitCode,
  stdout: `${lines.join('\n')}\n`,
  stderr: '',
});
const word = (call: ScriptCall, name: string): string =>
  call.args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';

/** A registered pod that is not armed yet. */
async function unarmed(on: Stage, of: Partial<SwitchedPod> = {}): Promise<SwitchedPod> {
  await ours(on, 'p', { armed: false, switched: of });
  const pod = on.pods.get('p');
  if (pod === undefined) throw new Error('put just now');
  return pod;
}

/** Bends what one script or verb of the pod answers; null = as it is. */
function bend(pod: SwitchedPod, how: (call: ScriptCall, usual: ScriptAnswer) => ScriptAnswer | null): void {
  const usual = pod.answer;
  pod.answer = async (call) => {
    const answer = await usual(call);
    return typeof answer === 'string' ? answer : (how(call, answer) ?? answer);
  };
}

const isVerb = (call: ScriptCall, verb: string): boolean => call.script === 'switch' && call.args[0] === verb;

const MAY = ['http_tool=curl', 'key=usable', 'read_rest=ok', 'end_rest=absent', 'read_graphql=ok'];
const may = said([...MAY, 'end_graphql=not-found']);
const mayNot = said([
  'http_tool=curl',
  'key=usable',
  'read_rest=ok',
  'end_rest=403',
  'read_graphql=ok',
  'end_graphql=unauthorized',
]);
const noKey = said(['http_tool=curl', 'key=absent']);

/** Which rungs provably may end pods; the others are measured to be able to look only. */
function rungs(pod: SwitchedPod, able: readonly string[]): string[] {
  const tried: string[] = [];
  bend(pod, (call) => {
    if (!isVerb(call, 'check')) return null;
    const source = word(call, 'key_source');
    tried.push(source);
    return able.includes(source) ? may : mayNot;
  });
  return tried;
}

async function thrown(work: Promise<unknown>): Promise<WorldError | Refusal> {
  const error = await work.then(
    () => null,
    (what: unknown) => what,
  );
  if (error instanceof Error && 'told' in error) return error as WorldError | Refusal;
  throw new Error(`no error that tells came of it: ${String(error)}`);
}

describe('the credential ladder', () => {
  it.each([
    [['explicit', 'injected', 'deadman', 'full'], 'explicit', ['explicit']],
    [['injected', 'deadman', 'full'], 'injected', ['explicit', 'injected']],
    [['deadman', 'full'], 'deadman', ['explicit', 'injected', 'deadman']],
    [['full'], 'full', ['explicit', 'injected', 'deadman', 'full']],
  ])('with %j able, %s is planted', async (able, source, order) => {
    const on = stage();
    const pod = await unarmed(on);
    const tried = rungs(pod, able);
    const armed = await armPod(on.world, act, wish(SECRETS));
    expect(tried).toEqual(order);
    expect(armed.facts).toMatchObject({ credential: source, mayTerminate: 'yes' });
    expect(pod.installs.map((call) => word(call, 'key_source'))).toEqual([source]);
  });

  it('never tries a key that was not given: the account key is not on it unless allowed', async () => {
    const on = stage();
    const pod = await unarmed(on);
    const tried = rungs(pod, ['full']);
    const error = await thrown(armPod(on.world, act, wish({ deadman: SECRETS.deadman })));
    expect(tried).toEqual(['injected', 'deadman']);
    expect(error).toMatchObject({ gate: 'no-switch-credential' });
    expect(error.message).toMatch(/allow-full-key/);
    expect(pod.installs).toEqual([]);
  });

  it('is loud about the account key, and tells that a dead-man token reaches further than the pod', async () => {
    const on = stage();
    rungs(await unarmed(on), ['full']);
    await armPod(on.world, act, wish({ full: SECRETS.full }));
    expect(on.said.filter(({ level }) => level === 'warning').map(({ line }) => line)).toEqual([
      expect.stringMatching(/THE FULL ACCOUNT KEY IS ON THE POD/),
    ]);
    const other = stage();
    rungs(await unarmed(other), ['deadman']);
    await armPod(other.world, act, wish({ deadman: SECRETS.deadman }));
    expect(other.said.map(({ line }) => line).join()).toMatch(/not limited to this pod/);
  });

  it('names what each rung lacks when none may end pods: a key that can only look is found out now (case C16)', async () => {
    const on = stage();
    const pod = await unarmed(on);
    bend(pod, (call) => {
      if (!isVerb(call, 'check')) return null;
      return word(call, 'key_source') === 'injected' ? noKey : mayNot;
    });
    const error = await thrown(armPod(on.world, act, wish({ explicit: SECRETS.explicit })));
    expect(error.told.cameBack).toMatch(/explicit: may terminate: no .*; injected: no usable key was found/);
    expect(error.told.state).toMatch(/No switch was planted/);
    expect((await record(on, 'p')).switch).toBeNull();
  });

  it('does not take "no answer" for "may": a pod without a way to the API is not armed', async () => {
    const on = stage();
    const pod = await unarmed(on);
    const deaf = ['read_rest', 'end_rest', 'read_graphql', 'end_graphql'].map((name) => `${name}=tls-failed`);
    bend(pod, (call) => (isVerb(call, 'check') ? said(['http_tool=wget', 'key=usable', ...deaf]) : null));
    const error = await thrown(armPod(on.world, act, wish()));
    expect(error.told.cameBack).toMatch(/no API answered that wget trusts: no CA bundle in the image/);
    expect(pod.installs).toEqual([]);
  });

  it('names the tools that an image lacks, BusyBox wget being none (case C23)', async () => {
    const on = stage();
    const pod = await unarmed(on);
    const lines = ['read_rest', 'end_rest', 'read_graphql', 'end_graphql'].map((name) => `${name}=no-tool`);
    bend(pod, (call) => (isVerb(call, 'check') ? said(['http_tool=none', 'key=usable', ...lines]) : null));
    const error = await thrown(armPod(on.world, act, wish()));
    expect(error.told.cameBack).toMatch(/for want of curl, GNU wget or python3 in the image/);
    expect(pod.installs).toEqual([]);
  });

  it('hands the switch the authorities by which the check was answered, and tells tool and authorities (case C25)', async () => {
    const on = stage();
    const pod = await unarmed(on);
    const ca = '/opt/conda/ssl/cacert.pem';
    bend(pod, (call) => (isVerb(call, 'check') ? { ...may, stdout: `${may.stdout}ca=${ca}\n` } : null));
    await armPod(on.world, act, wish());
    expect(pod.installs.map((call) => word(call, 'ca'))).toEqual([ca]);
    expect(on.said.map(({ line }) => line).join('\n')).toContain(
      `calls by curl, trusting the authorities of ${ca}`,
    );
  });

  it('lets no secret into an argument, a log, an error or the registry', async () => {
    const on = stage();
    const pod = await unarmed(on);
    rungs(pod, ['full']);
    await armPod(on.world, act, wish(SECRETS));
    const open = JSON.stringify([
      on.shell.calls.map(({ call }) => [call.args, call.script]),
      on.said,
      on.host.commits.map(({ files, message }) => [[...files], message]),
    ]);
    for (const secret of Object.values(SECRETS)) expect(open).not.toContain(secret);
    expect(pod.installs.map((call) => call.stdin)).toEqual([`${SECRETS.full}\n`]);
  });
});

describe('the proof', () => {
  it('is taken over a connection of its own, and both are closed', async () => {
    const on = stage();
    await unarmed(on);
    await armPod(on.world, act, wish());
    expect(on.shell.opened).toEqual(['p', 'p']);
    expect(on.shell.openNow()).toBe(0);
    expect(await record(on, 'p')).toMatchObject({ switch: { credential: 'injected' }, reachedAt: NOW });
  });

  it('fails once and holds after the one relaunch', async () => {
    const on = stage();
    const pod = await unarmed(on);
    let left = 1;
    bend(pod, (call) => {
      if (call.script !== 'install' || left === 0) return null;
      left -= 1;
      return said(['refused=no-room'], 3);
    });
    await armPod(on.world, act, wish());
    expect(pod.installs).toHaveLength(2);
    expect(on.said.map(({ line }) => line).join()).toMatch(/try 1 of 2 to arm: no-room/);
  });

  it.each<[string, (usual: string) => string]>([
    ['a dead watchdog', (usual) => usual.replace('watchdog=alive', 'watchdog=dead')],
    ['a stopped supervisor', (usual) => usual.replace('supervisor=alive', 'supervisor=stopped')],
    [
      'a watchdog that has not turned with these deadlines',
      (usual) => usual.replace('acted=yes', 'acted=no'),
    ],
    ['a later stop than was planted', (usual) => usual.replace(/stop_in=\d+/, 'stop_in=99999')],
    ['an earlier stop than was planted', (usual) => usual.replace(/stop_in=\d+/, 'stop_in=60')],
    ['no deadlines', (usual) => usual.replace(/absolute_in=.*\n/, '')],
    ['another owner’s mark', (usual) => usual.replace(/owner_uuid=.*/, 'owner_uuid=somebody')],
    ['another registry’s mark', (usual) => usual.replace(/registry_id=.*/, `registry_id=${'f'.repeat(32)}`)],
    ['another pod’s mark', (usual) => usual.replace(/pod_id=.*/, 'pod_id=q')],
    ['no mark', (usual) => usual.replace(/registry_id=.*\n/, '')],
    ['nothing readable', () => 'Welcome to the machine\n'],
  ])('does not hold over %s: after one relaunch it fails hard and names the state', async (_what, change) => {
    const on = stage();
    const pod = await unarmed(on);
    bend(pod, (call, usual) => (isVerb(call, 'status') ? { ...usual, stdout: change(usual.stdout) } : null));
    const error = await thrown(armPod(on.world, act, wish()));
    expect(error).toBeInstanceOf(WorldError);
    expect(pod.installs).toHaveLength(2);
    expect(error.told.state).toMatch(/WITHOUT a switch that is proven .* at the latest in 2 h 30 min/);
    expect((await record(on, 'p')).switch).toBeNull();
    expect(on.shell.openNow()).toBe(0);
  });

  it('that cannot be taken at all fails as hard, and says the same of the state', async () => {
    const on = stage();
    const pod = await unarmed(on);
    bend(pod, (call) => {
      if (call.script === 'install') pod.door = 'no-route';
      return null;
    });
    const error = await thrown(armPod(on.world, act, wish()));
    expect(pod.installs).toHaveLength(2);
    expect(error.told).toMatchObject({
      cameBack: expect.stringMatching(/no-route/),
      state: expect.stringMatching(/WITHOUT/),
    });
  });

  it('does not hold when the second connection meets another host key', async () => {
    const on = stage();
    const pod = await unarmed(on);
    const [first, second] = [pod.hostKey, `SHA256:${'z'.repeat(43)}`];
    bend(pod, (call) => {
      if (call.script === 'install') pod.hostKey = second;
      return null;
    });
    const error = await thrown(armPod(on.world, act, wish()));
    expect(error.told.cameBack).toMatch(/another host key/);
    expect((await record(on, 'p')).hostKey?.fingerprint).not.toBe(second);
    expect(first).not.toBe(second);
  });
});

describe('host keys', () => {
  it('the one of the first contact is pinned, and stays pinned', async () => {
    const on = stage();
    const pod = await unarmed(on);
    await armPod(on.world, act, wish());
    const pin = (await record(on, 'p')).hostKey;
    expect(pin).toMatchObject({ fingerprint: pod.hostKey, from: 'first-use' });
    on.clock.jump(minutes(5));
    await armPod(on.world, act, wish());
    expect((await record(on, 'p')).hostKey).toEqual(pin);
  });

  it('another one without a proven restart stops everything, after one it is taken once (case C30)', async () => {
    const on = stage();
    const pod = await unarmed(on);
    await armPod(on.world, act, wish());
    pod.hostKey = `SHA256:${'k'.repeat(43)}`;
    on.clock.jump(minutes(10));
    const error = await thrown(armPod(on.world, act, wish()));
    expect(error).toMatchObject({ failure: 'wrong-host-key' });
    expect(pod.installs).toHaveLength(1);
    put(on, 'p', { createdAt: NOW - minutes(60), startedAt: on.clock.now() - minutes(2) });
    await armPod(on.world, act, wish());
    expect((await record(on, 'p')).hostKey).toMatchObject({ fingerprint: pod.hostKey, from: 'restart' });
    pod.hostKey = `SHA256:${'m'.repeat(43)}`;
    on.clock.jump(minutes(10));
    expect(await thrown(armPod(on.world, act, wish()))).toMatchObject({ failure: 'wrong-host-key' });
  });
});

describe('host keys of several kinds', () => {
  const kinds = (...keys: string[]) => [
    'Pod Started',
    ...keys.map((key, at) => `256 ${key} root@p (${['RSA', 'ED25519'][at]})`),
  ];
  const other = `SHA256:${'e'.repeat(43)}`;

  it('are all accepted as the log prints them, until one is shown; only that one from then on', async () => {
    const on = stage();
    on.provider.logBook.set('p', kinds(`SHA256:${'p'.padEnd(43, 'x')}`, other));
    const pod = await unarmed(on);
    expect((await record(on, 'p')).hostKey).toMatchObject({ fingerprint: other, others: [pod.hostKey] });
    await armPod(on.world, act, wish());
    const pin = (await record(on, 'p')).hostKey;
    expect(pin).toMatchObject({ fingerprint: pod.hostKey, from: 'container-log' });
    expect(pin?.others).toBeUndefined();
    pod.hostKey = other;
    on.clock.jump(minutes(10));
    expect(await thrown(armPod(on.world, act, wish()))).toMatchObject({ failure: 'wrong-host-key' });
  });

  it('that the log does not print stop everything before the first login (case C30)', async () => {
    const on = stage();
    on.provider.logBook.set('p', kinds(other, `SHA256:${'f'.repeat(43)}`));
    const pod = await unarmed(on);
    expect(await thrown(armPod(on.world, act, wish()))).toMatchObject({ failure: 'wrong-host-key' });
    expect(pod.installs).toEqual([]);
  });
});

describe('after a proven restart', () => {
  const fresh = `SHA256:${'n'.repeat(43)}`;
  const restarted = async (log: (former: string) => readonly string[]) => {
    const on = stage();
    const pod = await unarmed(on);
    await armPod(on.world, act, wish());
    on.provider.logBook.set('p', log(pod.hostKey));
    pod.hostKey = fresh;
    pod.planted = null;
    on.clock.jump(minutes(10));
    put(on, 'p', { createdAt: NOW - minutes(60), startedAt: on.clock.now() - minutes(2) });
    return on;
  };
  const printed = (key: string) => ['Pod Started', `256 ${key} root@p (ED25519)`];

  it('the key that the container’s log prints is taken and recorded (cases C26, C30)', async () => {
    const on = await restarted((former) => [...printed(former), ...printed(fresh)]);
    await armPod(on.world, act, wish());
    expect((await record(on, 'p')).hostKey).toMatchObject({ fingerprint: fresh, from: 'restart' });
  });

  it('a key that this log does not print stops everything (case C30)', async () => {
    const on = await restarted((former) => [...printed(former), ...printed(`SHA256:${'o'.repeat(43)}`)]);
    expect(await thrown(armPod(on.world, act, wish()))).toMatchObject({ failure: 'wrong-host-key' });
  });

  it.each([
    ['cannot be read', () => []],
    ['is still that of the start before', printed],
  ])('the key is taken once where the log %s (case C30)', async (_what, log) => {
    const on = await restarted(log);
    await armPod(on.world, act, wish());
    expect((await record(on, 'p')).hostKey).toMatchObject({ fingerprint: fresh, from: 'restart' });
  });
});

describe('a host key that outlives a restart', () => {
  it('is pinned to that restart, so that a later change cannot pass for it (case C30)', async () => {
    const on = stage();
    const up = (startedAt: number) => ({
      createdAt: NOW - minutes(60),
      startedAt,
      telemetry: seen({
        uptimeMs: on.clock.now() - startedAt,
        gpus: [{ util: 97, memoryUtil: 50 }],
        cpuUtil: 1,
      }),
    });
    await ours(on, 'p', { switched: { util: '97' }, pod: up(NOW - minutes(59)) });
    on.clock.jump(minutes(30));
    const restartedAt = on.clock.now() - minutes(2);
    put(on, 'p', up(restartedAt));
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'starting' });
    const pod = on.pods.get('p');
    if (pod === undefined) throw new Error('put just now');
    pod.hostKey = `SHA256:${'k'.repeat(43)}`;
    on.clock.jump(minutes(20));
    put(on, 'p', up(restartedAt));
    const cycle = await cycles(on, 1);
    expect(cycle.plan.pods[0]?.observation.visit).toMatchObject({ failure: 'wrong-host-key' });
    expect(cycle.outcomes).toEqual([]);
  });
});

describe('whose pod it is', () => {
  it('is another owner’s: nothing is sent to it', async () => {
    const on = stage();
    await unarmed(on);
    const opened = on.shell.opened.length;
    const stranger = anOwner({ uuid: 'u-2' });
    const theirs = { ...act, owner: stranger, acting: actingOwner(stranger, null) };
    expect(await thrown(armPod(on.world, theirs, wish()))).toMatchObject({ gate: 'other-owner' });
    expect(on.shell.opened.length).toBe(opened);
  });

  it('bears another registry’s switch: that is not written over, unless the pod was adopted', async () => {
    const on = stage();
    const theirs = { registryId: 'f'.repeat(32), ownerUuid: 'x' };
    const planted = { stopAtMs: NOW, absoluteAtMs: NOW, ownerAtMs: NOW, extensionsLeft: 0 };
    put(on, 'p', { createdAt: NOW - minutes(10) });
    await ours(on, 'p', {
      armed: false,
      pod: { createdAt: NOW - minutes(10) },
      switched: { mark: theirs, planted },
    });
    const pod = on.pods.get('p');
    expect(await thrown(armPod(on.world, act, wish()))).toMatchObject({ gate: 'other-registry' });
    expect(pod?.installs).toEqual([]);
    on.clock.jump(1);
    await ours(on, 'p', {
      pod: { createdAt: NOW - minutes(10) },
      switched: { mark: theirs, planted },
      register: { adopt: true },
    });
    expect(on.pods.get('p')?.installs).toHaveLength(1);
  });

  it('was claimed while it was armed: the registry says so, and no record says armed', async () => {
    const on = stage();
    const pod = await unarmed(on);
    const other = anOwner({ uuid: 'u-2', label: 'other', labelGiven: true });
    let once = true;
    const usual = pod.answer;
    pod.answer = async (call) => {
      if (call.script === 'install' && once) {
        once = false;
        const acting = actingOwner(other, null);
        await claim(on.world, {
          acting,
          owner: other,
          podId: 'p',
          killInMs: null,
          forcedBecause: 'hers now',
        });
      }
      return await usual(call);
    };
    expect(await thrown(armPod(on.world, act, wish()))).toMatchObject({ gate: 'other-owner' });
    expect((await record(on, 'p')).switch).toBeNull();
  });
});

describe('a pet window', () => {
  it('is refused where nothing beats, and nothing is planted', async () => {
    const on = stage();
    const pod = await unarmed(on);
    const error = await thrown(armPod(on.world, act, wish({}, minutes(30))));
    expect(error).toMatchObject({ gate: 'pet-window' });
    expect(pod.installs).toEqual([]);
  });

  it('is planted beside a fresh heartbeat, and remembered for a re-arm', async () => {
    const on = stage();
    const pod = await unarmed(on, { heartbeatAgeS: 30 });
    await armPod(on.world, act, wish({}, minutes(30)));
    expect(word(pod.installs[0] ?? { script: 'install', args: [], timeoutMs: 0 }, 'pet_window')).toBe('1800');
    pod.planted = null;
    on.clock.jump(minutes(10));
    await cycles(on, 1);
    expect(pod.installs).toHaveLength(2);
    expect(pod.installs[1]?.args).toContain('pet_window=1800');
  });
});

describe('a reaper that finds the switch gone', () => {
  it('arms again with the time left, and says which pod has no key for it without holding up the others (case C26)', async () => {
    const on = stage();
    await ours(on, 'p', { switched: { util: '97' } });
    await ours(on, 'q', { switched: { util: '97' } });
    const [p, q] = [on.pods.get('p'), on.pods.get('q')];
    if (p === undefined || q === undefined) throw new Error('put just now');
    for (const pod of [p, q]) pod.planted = null;
    bend(p, (call) => (isVerb(call, 'check') ? mayNot : null));
    on.clock.jump(minutes(10));
    const cycle = await cycles(on, 1);
    expect(verdicts(cycle)).toEqual({ p: 'gpu-busy', q: 'gpu-busy' });
    expect(cycle.outcomes.filter((one) => one.order === 're-arm')).toMatchObject([
      { pod: 'p', kind: 'failed', reason: 'no-switch-credential' },
      { pod: 'q', kind: 'done' },
    ]);
    expect(q.installs[1]?.args).toContain(`absolute_in=${140 * 60}`);
  });

  it('alerts when arming again failed twice in a row, and no more once it worked (case C26)', async () => {
    const on = stage();
    await ours(on, 'p', { switched: { util: '97' } });
    const p = on.pods.get('p');
    if (p === undefined) throw new Error('put just now');
    const alarms = async () =>
      reportCycle(await cycles(on, 1))
        .alarms.filter(({ code }) => code === 'not-armed-again')
        .map(({ grade, says }) => `${grade}: ${says}`);
    const usual = p.answer;
    p.planted = null;
    bend(p, (call) => (isVerb(call, 'check') ? mayNot : null));
    on.clock.jump(minutes(10));
    expect(await alarms()).toEqual([]);
    const told = expect.stringMatching(/^red: p could not be armed again 2 times in a row: the reaper alone/);
    expect(await alarms()).toEqual([told]);
    expect((await on.world.registry.read()).sweep.pods['runpod.p']).toMatchObject({ rearmFailures: 2 });
    p.answer = usual;
    expect(await alarms()).toEqual([]);
    expect((await on.world.registry.read()).sweep.pods['runpod.p']).toMatchObject({ rearmFailures: 0 });
    p.planted = null;
    bend(p, (call) => (isVerb(call, 'check') ? mayNot : null));
    expect(await alarms()).toEqual([]);
  });

  it('takes a pod whose commands fail, as with full memory, neither for idle nor for gone (case C26)', async () => {
    const on = stage();
    await ours(on, 'p');
    const pod = on.pods.get('p');
    if (pod === undefined) throw new Error('put just now');
    pod.answer = () => 'incomplete-answer';
    on.clock.jump(minutes(10));
    const cycle = await cycles(on, 8);
    expect(verdicts(cycle)).toEqual({ p: 'visit-failed' });
    expect(cycle.plan.pods[0]?.sightings).toMatchObject({ idle: null, unreachable: null });
    expect(ended(on)).toEqual([]);
  });

  it('leaves another registry’s switch alone and names it', async () => {
    const on = stage();
    await ours(on, 'p', { switched: { util: '97' } });
    answering(on, 'p', {
      util: '97',
      hostKey: on.pods.get('p')?.hostKey ?? '',
      mark: { registryId: 'f'.repeat(32), ownerUuid: 'x' },
    });
    const pod = on.pods.get('p');
    if (pod === undefined) throw new Error('put just now');
    bend(pod, (call, usual) => {
      if (isVerb(call, 'mark')) return said(['pod_id=p', `registry_id=${'f'.repeat(32)}`, 'owner_uuid=x']);
      return call.script === 'probe' ? usual : null;
    });
    on.clock.jump(minutes(10));
    const cycle = await cycles(on, 1);
    expect(cycle.outcomes).toContainEqual(
      expect.objectContaining({ order: 're-arm', kind: 'failed', reason: 'other-registry' }),
    );
    expect(pod.installs).toEqual([]);
  });
});
