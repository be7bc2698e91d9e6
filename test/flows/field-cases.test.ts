/** What happened to others, as stories of cycles: answers of every shape, states of every kind, clocks of every sort. */
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { seen, unseen } from '../../src/domain/part.ts';
import { REASONS } from '../../src/domain/policy/reasons.ts';
import type { ProviderPod } from '../../src/domain/provider-pod.ts';
import { applyChecked } from '../../src/domain/registry/apply.ts';
import { reportCycle } from '../../src/domain/report.ts';
import { actingOwner } from '../../src/flows/acting.ts';
import { teardownOwn } from '../../src/flows/ending/teardown-own.ts';
import { reap } from '../../src/flows/reap.ts';
import { register } from '../../src/flows/register.ts';
import type { World } from '../../src/ports.ts';
import { providerAt } from '../adapters/provider/bench.ts';
import { podV1, podV2 } from '../adapters/provider/bodies.ts';
import {
  type Heard,
  html,
  json,
  problem,
  type Reply,
  startServer,
} from '../adapters/provider/scripted-server.ts';
import { anOwner, aRecord, at, minutes, NOW, someDeadlines } from '../domain/build.ts';
import {
  cycles,
  ended,
  ours,
  put,
  reapOptions,
  record,
  registerInput,
  type Stage,
  stage,
  verdicts,
} from './stage.ts';

/** The stage's pods, but the account is asked over HTTP, in the words that `answer` gives. */
async function overHttp(on: Stage, answer: (heard: Heard) => Reply): Promise<World> {
  const server = await startServer(answer);
  onTestFinished(() => server.close());
  return { ...on.world, provider: providerAt(server.base, { clock: on.clock }) };
}

const CREATED = at('2026-03-02T09:00:00Z');
const bodyTimes = { createdAt: CREATED, startedAt: CREATED + 190_000 };
const account = json(200, {
  data: { myself: { id: 'user_scripted', clientBalance: 25, currentSpendPerHr: 2.69 } },
});

type Printed = { readonly stdout: string; readonly exit: string; readonly stderr?: string };

/** What nvidia-smi prints in place of figures, sent as the probe sends it. */
function gpuPrints(on: Stage, id: string, { stdout, exit, stderr = '' }: Printed): void {
  const pod = on.pods.get(id);
  if (pod === undefined) throw new Error(`no pod ${id}`);
  const usual = pod.answer;
  const lines = (text: string, mark: string) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => `${mark}| ${line}`);
  pod.answer = async (call) => {
    const answer = await usual(call);
    if (call.script !== 'probe' || typeof answer === 'string') return answer;
    const rest = answer.stdout
      .split('\n')
      .filter((line) => !/^gpu(\||err\||_exit)/.test(line) && line !== '');
    const gpu = [...lines(stdout, 'gpu'), ...lines(stderr, 'gpuerr'), `gpu_exit=${exit}`];
    const samples = Number(call.args.find((arg) => arg.startsWith('samples='))?.slice('samples='.length));
    const all = Array.from({ length: samples }, () => gpu).flat();
    return { ...answer, stdout: `${[...rest, ...all].join('\n')}\n` };
  };
}

const row = (util: string, used: string) =>
  `0, GPU-1f0c7a52-9b1e-4c1f-8a54-3f0d2c1b0a01, ${util}, ${used}, 81559`;

describe('names that contain a wanted name', () => {
  const NAMES = [
    'ci-unit-9001',
    'ci-unit-90012',
    'bench-ci-unit-9001-debug',
    'team-notebook',
    'ci-unit-9001',
  ];

  it('only the exact pod gets a DELETE, by id, and a failed one is red and tried again (case C07)', async () => {
    const on = stage();
    for (const [index, name] of NAMES.entries()) put(on, `p${index}`, { name, createdAt: NOW - minutes(10) });
    await ours(on, 'p0', {
      pod: { name: 'ci-unit-9001', createdAt: NOW - minutes(10) },
      switched: { util: '97' },
    });
    on.owners.set('u-p0', seen({ state: 'completed', completedAt: NOW - minutes(9), conclusion: null }));
    on.provider.fail('terminate', 'server-error', { times: 1 });
    const first = await cycles(on, 1);
    expect(first.outcomes).toMatchObject([{ pod: 'p0', kind: 'failed', reason: 'server-error' }]);
    on.clock.jump(minutes(5));
    await cycles(on, 1);
    expect(ended(on)).toEqual(['p0', 'p0']);
    expect([...on.provider.pods.keys()]).toEqual(['p1', 'p2', 'p3', 'p4']);
    expect((await record(on, 'p0')).status).toBe('terminated');
  });

  it.each(['ci-unit-9001', 'ci-unit', '', '*', 'p', 'p0 p1', '../p0'])(
    'a pod is asked for by its id alone: %j ends nothing and falls back to nothing (case C07)',
    async (podId) => {
      const on = stage();
      await ours(on, 'p0', { pod: { name: 'ci-unit-9001' } });
      const owner = anOwner({ uuid: 'u-p0' });
      const input = {
        acting: actingOwner(owner, null),
        owner,
        podId,
        forcedBecause: 'x',
        skipPull: true,
        choice: null,
        localPath: null,
        pullBudgetMs: 1000,
        waitMs: 0,
      };
      await expect(teardownOwn(on.world, input)).rejects.toMatchObject({ input: 'pod-id' });
      expect(ended(on)).toEqual([]);
    },
  );
});

describe('a stopped pod', () => {
  const stopped = {
    status: 'EXITED' as const,
    statusText: 'EXITED',
    costPerHourMicroUsd: 0,
    telemetry: unseen('x'),
  };
  const stop = (on: Stage, id: string): void => {
    const pod = on.provider.pods.get(id);
    if (pod !== undefined) on.provider.put({ ...pod, ...stopped, ssh: unseen('not-running') });
  };

  it('shows with its age and that its disk bills, and ends after its grace where no artifacts are wanted (case C09)', async () => {
    const on = stage();
    const none = { remotePath: null, noArtifacts: true };
    await ours(on, 'p', { register: { ...none, killInMs: minutes(60 * 48) } });
    await ours(on, 'running', { switched: { util: '97' }, register: { killInMs: minutes(60 * 48) } });
    stop(on, 'p');
    await cycles(on, 1);
    on.clock.jump(minutes(60));
    const cycle = await cycles(on, 1);
    const shown = cycle.plan.pods.find((one) => one.record.id === 'p');
    expect(shown?.verdict).toMatchObject({ reason: 'exited-counting', evidence: { sinceMs: minutes(60) } });
    expect(REASONS['exited-counting'].says).toMatch(/disk still bills/);
    on.clock.jump(minutes(60 * 23));
    expect(verdicts(await cycles(on, 1))).toMatchObject({ p: 'exited-grace' });
    expect(ended(on)).toEqual(['p']);
    // Stopped, its disk alone billed, and no answer of the provider says how much: that is unknown, not the rate of the GPU.
    expect((await record(on, 'p')).end).toMatchObject({ costMicroUsd: null });
    expect(reportCycle(cycle).rows.find(({ pod }) => pod === 'p')).toMatchObject({
      costMicroUsd: null,
      costPerHourMicroUsd: null,
    });
    expect(reportCycle(cycle).totals.perHour.unknown).toBe(1);
  });

  it('with artifacts stays until its absolute deadline, since nothing can be pulled from it (case C09)', async () => {
    const on = stage();
    await ours(on, 'p', { register: { killInMs: minutes(60 * 30), killAbsoluteMs: minutes(60 * 40) } });
    await ours(on, 'q', { switched: { util: '97' }, register: { killInMs: minutes(60 * 60) } });
    stop(on, 'p');
    await cycles(on, 1);
    on.clock.jump(minutes(60 * 25));
    const commits = on.host.commits.length;
    const cycle = await cycles(on, 3);
    expect(verdicts(cycle)).toMatchObject({ p: 'exited-grace' });
    expect(cycle.outcomes).toContainEqual(
      expect.objectContaining({ pod: 'p', kind: 'released', reason: 'not-saved' }),
    );
    expect(on.host.commits.length - commits).toBeLessThanOrEqual(1); // its verdict once, not each cycle
    expect(ended(on)).toEqual([]);
    on.clock.jump(minutes(60 * 15));
    expect(verdicts(await cycles(on, 1))).toMatchObject({ p: 'absolute-deadline' });
    expect(ended(on)).toEqual(['p']);
    expect((await record(on, 'p')).end).toMatchObject({ verified: false });
  });

  it('that is started again begins its startup grace, and its old strikes are gone', async () => {
    const on = stage();
    await ours(on, 'p', { register: { killInMs: minutes(60 * 60) } });
    await cycles(on, 3);
    stop(on, 'p');
    on.clock.jump(minutes(5));
    await cycles(on, 1);
    on.clock.jump(minutes(5));
    put(on, 'p', { createdAt: NOW - minutes(60), startedAt: on.clock.now() });
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'starting' });
    on.clock.jump(minutes(15));
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'idle-counting' });
    expect((await cycles(on, 1)).plan.pods[0]?.verdict.evidence['strikes']).toBe(1);
  });

  it('is ended by the API alone: nothing on the pod stops a machine by shutdown, sudo or an init system (case C09)', () => {
    const folders = ['on-pod', 'on-pod/parts'];
    const scripts = folders.flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.sh'))
        .map((name) => readFileSync(`${folder}/${name}`, 'utf8')),
    );
    expect(scripts.length).toBeGreaterThan(10);
    const code = scripts.join('\n').replaceAll(/^\s*#.*$/gm, '');
    expect(code).not.toMatch(/\b(sudo|shutdown|poweroff|halt|systemctl|init\s+0|reboot)\b/);
  });
});

describe('a timer of the provider', () => {
  it('that was accepted and does nothing counts as no layer: the reaper meets the deadline alone (case C10)', async () => {
    const on = stage();
    // The provider took terminateAfter = now + 60 min; what it shows of the pod never says so.
    await ours(on, 'p', { register: { killInMs: minutes(60), killAbsoluteMs: minutes(60) } });
    on.clock.jump(minutes(95));
    expect(on.provider.pods.get('p')?.status).toBe('RUNNING');
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'absolute-deadline' });
    expect(ended(on)).toEqual(['p']);
  });

  it('is named nowhere in what we say or send (case C10)', () => {
    const files = ['domain', 'flows', 'adapters', 'actions', 'cli'].flatMap((folder) =>
      readdirSync(`src/${folder}`, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => `src/${folder}/${name}`),
    );
    const naming = files.filter((file) => /terminate_?after|stop_?after/i.test(readFileSync(file, 'utf8')));
    expect(naming).toEqual([]);
  });
});

describe('one list, several shapes', () => {
  const ids = ['hh88shape00001', 'ii99shape00002'];

  async function twoPods(): Promise<Stage> {
    const on = stage();
    for (const id of ids) await ours(on, id, { pod: bodyTimes, switched: { util: '97' } });
    return on;
  }

  it.each<[string, unknown]>([
    ['the array of v1, whose times have fractions', ids.map((id) => podV1(id))],
    ['the object of v2', { pods: ids.map((id) => podV2(id)) }],
    [
      'the object of v2 with a page',
      { pods: ids.map((id) => podV2(id)), pagination: { nextCursor: null, hasNextPage: false } },
    ],
  ])('%s shows the same two pods of ours (case C11)', async (_what, body) => {
    const on = await twoPods();
    const world = await overHttp(on, ({ path }) => (path === '/graphql' ? account : json(200, body)));
    const cycle = await reap(world, reapOptions());
    expect(cycle.plan.pods.map((one) => one.observation.provider.kind)).toEqual(['present', 'present']);
    expect(cycle.plan.foreign).toEqual([]);
  });

  it.each<[string, Reply]>([
    ['403', problem(403, 'key lacks access to this resource')],
    ['429 for ever', problem(429, 'slow down', { 'retry-after': '12' })],
    ['a retired path', json(404, { message: 'route not found' })],
    ['a page of HTML', html(502)],
    ['a page of HTML with 200', html(200)],
    ['an empty object', json(200, {})],
    ['GraphQL’s null pod', json(200, { errors: [{ message: 'x' }], data: { pod: null } })],
    ['half a body', { status: 200, body: '{"pods":[' }],
  ])(
    '%s is no list: no record changes, nothing is ended, and the cycle is not called a sweep (case C11)',
    async (_what, reply) => {
      const on = await twoPods();
      const before = await Promise.all(ids.map((id) => record(on, id)));
      const world = await overHttp(on, ({ path }) => (path === '/graphql' ? account : reply));
      for (let cycle = 0; cycle < 3; cycle += 1) {
        on.clock.jump(minutes(11));
        const told = await reap(world, reapOptions());
        expect(told).toMatchObject({ swept: false, listing: { kind: 'unseen' } });
        expect(Object.values(verdicts(told))).toEqual(['provider-unseen', 'provider-unseen']);
        expect(told.outcomes).toEqual([]);
      }
      const after = await Promise.all(ids.map((id) => record(on, id)));
      expect(after.map(({ status, end }) => [status, end])).toEqual(
        before.map(({ status, end }) => [status, end]),
      );
      expect(REASONS['provider-unseen'].alert).toBe('red');
    },
  );
});

describe('RUNNING does not mean running', () => {
  const proxy = { proxy: { host: 'ssh.runpod.io', port: 22, username: 'x-1' }, direct: null };
  const none = { proxy: null, direct: null };
  const privatePorts = [
    { private: 22, public: null, type: 'tcp', ip: null },
    { private: 19123, public: 60755, type: 'http', ip: '100.65.24.9' },
  ];
  const SHAPES: readonly [string, Record<string, unknown>, string][] = [
    ['k1pulling', { ssh: proxy, runtime: null }, 'not-ready'],
    ['k2noports', { ssh: none, runtime: { uptime: 4, gpus: [], ports: null } }, 'not-ready'],
    ['k3private', { ssh: proxy, runtime: { uptime: 60, gpus: [], ports: privatePorts } }, 'visit-failed'],
    [
      'k4carrier',
      {
        ssh: { proxy: null, direct: { host: '100.65.24.9', port: 60755, username: 'root' } },
        runtime: { uptime: 60, gpus: [{ util: 0, memoryUtil: 0 }], ports: [] },
      },
      'not-ready',
    ],
    ['k5provision', { status: 'PROVISIONING', ssh: none, runtime: null }, 'not-ready'],
    ['k6error', { status: 'ERROR', ssh: none, runtime: null }, 'error-state'],
    ['k7unknown', { status: 'DEAD', ssh: none, runtime: null }, 'not-ready'],
    ['k8tomorrow', { status: 'HIBERNATING_2' }, 'not-ready'],
  ];

  it('each shape is judged alone: no strike, no login, no count of unreachable, and no crash (case C13)', async () => {
    const on = stage();
    const old = { createdAt: CREATED, startedAt: CREATED + 190_000 };
    for (const [id] of SHAPES) await ours(on, id, { pod: old, register: { killInMs: minutes(600) } });
    const opened = on.shell.opened.length;
    const list = json(200, { pods: SHAPES.map(([id, over]) => podV2(id, over)) });
    const world = await overHttp(on, ({ path }) => (path === '/graphql' ? account : list));
    for (let cycle = 0; cycle < 4; cycle += 1) {
      on.clock.jump(minutes(11));
      const told = await reap(world, reapOptions());
      expect(verdicts(told)).toEqual(Object.fromEntries(SHAPES.map(([id, , reason]) => [id, reason])));
      for (const one of told.plan.pods) {
        expect(one.sightings, one.record.id).toMatchObject({ idle: null, unreachable: null });
      }
    }
    expect(on.shell.opened.length).toBe(opened);
    expect(ended(on)).toEqual([]);
  });

  it('one that never starts ends at its boot limit, without a pull and with its cost in the alert (case C13)', async () => {
    const on = stage();
    const pod = { createdAt: NOW, startedAt: NOW, costPerHourMicroUsd: 21_520_000 };
    put(on, 'p', { ...pod, telemetry: unseen('no runtime'), ssh: unseen('not-ready') });
    const owner = anOwner({ uuid: 'u-p' });
    const made = aRecord({ ...pod, id: 'p', owner, account: 'user_scripted', reachedAt: null, switch: null });
    const deadlines = someDeadlines({ bootDeadlineAt: NOW + minutes(15) });
    const { actor } = actingOwner(owner, null);
    const op = { op: 'register' as const, key: 'k', at: NOW, actor, pod: 'p', fulfils: null };
    await on.world.registry.submit([{ ...op, record: { ...made, deadlines, registeredAt: NOW } }]);
    for (let minute = 3; minute < 15; minute += 3) {
      on.clock.jump(minutes(3));
      expect(verdicts(await cycles(on, 1))).toEqual({ p: 'not-ready' });
    }
    on.clock.jump(minutes(6));
    const cycle = await cycles(on, 1);
    expect(verdicts(cycle)).toEqual({ p: 'boot-deadline' });
    expect(cycle.outcomes).toMatchObject([
      { kind: 'done', detail: { costMicroUsd: Math.round((21_520_000 * 18) / 60) } },
    ]);
    expect(cycle.outcomes[0]?.says).toMatch(/cost so far \$6\.46/);
    expect([on.pulled, ended(on)]).toEqual([[], ['p']]);
  });
});

describe('partial lists', () => {
  it('a reaper that runs twice in a minute concludes what it would have concluded once (case C15)', async () => {
    const twice = async (times: readonly number[]): Promise<unknown> => {
      const on = stage();
      for (const id of ['p1', 'p2', 'p3']) await ours(on, id, { switched: { util: '97' } });
      on.provider.hidden.add('p2');
      on.provider.fail('get', 'unexpected-answer', { podId: 'p2' });
      let before = 0;
      for (const time of times) {
        on.clock.jump(time - before);
        before = time;
        await cycles(on, 1);
      }
      return (await record(on, 'p2')).status;
    };
    expect(await twice([0, 9000, 40_000])).toBe('active');
    expect(await twice([0])).toBe('active');
  });

  it('a pod younger than its start grace is never gone by absence, however often it is missed (case C15)', async () => {
    const on = stage();
    const fresh = { createdAt: NOW - minutes(2), startedAt: NOW - minutes(1) };
    await ours(on, 'new', { pod: fresh, switched: { util: '97' } });
    await ours(on, 'old', { switched: { util: '97' } });
    on.provider.pods.delete('new');
    expect(verdicts(await cycles(on, 2, minutes(6)))).toMatchObject({ new: 'absent-counting' });
    put(on, 'new', fresh);
    on.clock.jump(minutes(2));
    expect((await record(on, 'new')).status).toBe('active');
    await cycles(on, 1);
    expect((await record(on, 'new')).status).toBe('active');
  });

  it('whatever the lists leave out, a pod that GET shows is never lost (case C15)', async () => {
    const someTimes = fc.array(fc.constantFrom(9, 60, 300, 700, 1300), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        someTimes,
        fc.uniqueArray(fc.constantFrom('p1', 'p2', 'p3')),
        async (gapsS, hidden) => {
          const on = stage();
          for (const id of ['p1', 'p2', 'p3']) await ours(on, id, { switched: { util: '97' } });
          for (const id of hidden) on.provider.hidden.add(id);
          for (const gap of gapsS) {
            on.clock.jump(gap * 1000);
            await cycles(on, 1);
          }
          for (const id of ['p1', 'p2', 'p3']) expect((await record(on, id)).status).toBe('active');
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe('N/A is not zero', () => {
  it.each([
    ['MIG', row('[N/A]', '30211')],
    ['an old driver', row('[Not Supported]', '7')],
    ['a bare N/A', row('N/A', '24576')],
    ['an empty figure', row('', '0')],
    ['null', row('null', '0')],
    ['ERR!', row('ERR!', '0')],
    ['[Unknown Error]', row('[Unknown Error]', '0')],
  ])(
    '%s: no strike and no reset, alive to its limits, and the record says why (case C17)',
    async (_what, text) => {
      const on = stage();
      await ours(on, 'p', { register: { killInMs: minutes(60), killAbsoluteMs: minutes(80) } });
      await cycles(on, 2);
      gpuPrints(on, 'p', { stdout: text, exit: '0' });
      on.clock.jump(minutes(5));
      const cycle = await cycles(on, 4);
      expect(verdicts(cycle)).toEqual({ p: 'idle-unknown' });
      expect(cycle.plan.pods[0]?.sightings.idle?.count).toBe(2);
      expect((await record(on, 'p')).lastVerdict?.evidence).toEqual({ why: expect.stringMatching(/GPU/) });
      expect(REASONS['idle-unknown'].says).toMatch(/a heartbeat would help/);
      expect(ended(on)).toEqual([]);
      on.clock.jump(minutes(60));
      await cycles(on, 1);
      expect(ended(on)).toEqual(['p']);
    },
  );
});

describe('nvidia-smi fails, or there is no GPU any more', () => {
  it.each([
    [
      'a driver mismatch',
      'Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.144',
      '18',
      '',
    ],
    ['a missing tool', '', '127', 'sh: nvidia-smi: not found'],
    ['a lost GPU', 'Unable to determine the device handle for GPU 0000:01:00.0: GPU is lost.', '15', ''],
    ['a hung tool', '', 'unseen:timed-out', ''],
    ['nothing at all', '', '0', ''],
  ])('%s is unknown, not idle (case C18)', async (_what, stdout, exit, stderr) => {
    const on = stage();
    await ours(on, 'p');
    gpuPrints(on, 'p', { stdout, exit, stderr });
    expect(verdicts(await cycles(on, 5))).toEqual({ p: 'idle-unknown' });
    expect(ended(on)).toEqual([]);
  });

  it.each(['0', '6'])(
    'no devices (exit %s) is its own state: pulled, told, kept to its limits (case C18)',
    async (exit) => {
      const on = stage();
      await ours(on, 'p', { register: { killInMs: minutes(60), killAbsoluteMs: minutes(60) } });
      gpuPrints(on, 'p', { stdout: 'No devices were found', exit });
      const cycle = await cycles(on, 5);
      expect(verdicts(cycle)).toEqual({ p: 'no-gpu' });
      expect(REASONS['no-gpu']).toMatchObject({
        alert: 'warn',
        says: expect.stringMatching(/paid for nothing/),
      });
      expect(on.pulled).toHaveLength(5);
      expect(ended(on)).toEqual([]);
      on.clock.jump(minutes(40));
      await cycles(on, 1);
      expect((await record(on, 'p')).end).toMatchObject({ reason: 'absolute-deadline', verified: true });
    },
  );

  it('a pod without a GPU is judged by its heartbeat alone (case C18)', async () => {
    const on = stage();
    const cpu = { cpu: true, gpu: null, telemetry: seen({ uptimeMs: minutes(59), gpus: [], cpuUtil: 3 }) };
    await ours(on, 'p', { pod: cpu, switched: { heartbeatAgeS: 60 } });
    gpuPrints(on, 'p', { stdout: '', exit: '127', stderr: 'sh: nvidia-smi: not found' });
    expect(verdicts(await cycles(on, 3))).toEqual({ p: 'heartbeat-fresh' });
    const pod = on.pods.get('p');
    if (pod !== undefined) pod.heartbeatAgeS = 3600;
    on.clock.jump(minutes(5));
    expect(verdicts(await cycles(on, 4))).toEqual({ p: 'idle' });
  });
});

describe('working without the GPU', () => {
  const holding = row('0', '61440');

  it('a fresh heartbeat holds off every strike, whatever memory is held (case C20)', async () => {
    const on = stage();
    await ours(on, 'p', { switched: { heartbeatAgeS: 120 } });
    gpuPrints(on, 'p', { stdout: holding, exit: '0' });
    const cycle = await cycles(on, 5);
    expect(verdicts(cycle)).toEqual({ p: 'heartbeat-fresh' });
    expect(cycle.plan.pods[0]?.sightings.idle).toBeNull();
  });

  it('a result folder that grows is told, and saves nobody without a heartbeat (case C20)', async () => {
    const on = stage();
    await ours(on, 'p');
    gpuPrints(on, 'p', { stdout: holding, exit: '0' });
    const told: unknown[] = [];
    for (let cycle = 0; cycle < 4; cycle += 1) {
      on.files.set('p', { 'model.bin': 'x'.repeat(200 * (cycle + 1)) });
      const { outcomes } = await reap(on.world, reapOptions());
      told.push(...outcomes.filter((one) => one.order === 'mirror').map((one) => one.detail['bytes']));
      on.clock.jump(minutes(5));
    }
    expect(told).toEqual([200, 400, 600]);
    expect((await record(on, 'p')).end).toMatchObject({ reason: 'idle', verified: true });
  });

  it('nothing grows: it ends after the whole window, and the alert says what memory was held (case C20)', async () => {
    const on = stage();
    await ours(on, 'p');
    gpuPrints(on, 'p', { stdout: holding, exit: '0' });
    expect(verdicts(await cycles(on, 3))).toEqual({ p: 'idle-counting' });
    on.clock.jump(minutes(5));
    const cycle = await cycles(on, 1);
    expect(cycle.outcomes[0]?.says).toMatch(/61440 MiB of GPU memory were held/);
    expect((await record(on, 'p')).lastVerdict?.evidence).toMatchObject({ residentMemoryMib: 61_440 });
    expect(ended(on)).toEqual(['p']);
  });

  it.each(['0', '30211', '81559'])('%s MiB held alone neither save nor kill (case C20)', async (used) => {
    const on = stage();
    await ours(on, 'idle');
    await ours(on, 'beating', { switched: { heartbeatAgeS: 60 } });
    for (const id of ['idle', 'beating']) gpuPrints(on, id, { stdout: row('0', used), exit: '0' });
    await cycles(on, 4);
    expect(ended(on)).toEqual(['idle']);
  });
});

describe('the cron is not a clock', () => {
  /** Minutes between the runs that a five-minute schedule really delivered one morning. */
  const DELIVERED = [0, 14.6, 21.3, 26.1, 34, 58.5, 12.2, 21, 19.7, 461, 22.4];
  const long = { register: { killInMs: minutes(60 * 24) } };

  it('windows are minutes: late runs end what was idle throughout, and nothing that was idle once (case C22)', async () => {
    const on = stage();
    await ours(on, 'idle', long);
    await ours(on, 'once', { ...long, switched: { util: '97' } });
    const endedAt: number[] = [];
    let elapsed = 0;
    for (const [index, gap] of DELIVERED.entries()) {
      on.clock.jump(minutes(gap));
      elapsed += gap;
      const once = on.pods.get('once');
      if (once !== undefined) once.util = index === 9 ? '0' : '97';
      await cycles(on, 1);
      if (ended(on).length > endedAt.length) endedAt.push(elapsed);
    }
    expect(ended(on)).toEqual(['idle']);
    expect(endedAt[0]).toBeCloseTo(35.9); // the third run: three sightings over more than fifteen minutes
  });

  it('one long gap is no window, and three hand-started runs in 90 s are no three strikes (case C22)', async () => {
    const on = stage();
    await ours(on, 'p', long);
    await cycles(on, 1);
    on.clock.jump(minutes(461));
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'idle-counting' });
    const quick = await cycles(on, 3, 40_000);
    expect(quick.plan.pods[0]?.sightings.idle?.count).toBe(1);
    expect(ended(on)).toEqual([]);
  });

  it('whatever times are delivered, no pod is ended idle before its window has passed in minutes (case C22)', async () => {
    const gaps = fc.array(fc.constantFrom(0.1, 0.5, 2, 4, 5, 7, 29, 31, 200), {
      minLength: 3,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(gaps, async (delivered) => {
        const on = stage();
        await ours(on, 'p', long);
        let began = on.clock.now();
        let last = began;
        for (const gap of delivered) {
          on.clock.jump(minutes(gap));
          if (on.clock.now() - last > minutes(30)) began = on.clock.now();
          last = on.clock.now();
          await cycles(on, 1);
          if (ended(on).length > 0) break;
        }
        const idleMs = ended(on).length > 0 ? last - began : Number.POSITIVE_INFINITY;
        expect(idleMs).toBeGreaterThanOrEqual(minutes(15));
      }),
      { numRuns: 25 },
    );
  });

  it('each run records its time, and the next tells how late it was (case C22)', async () => {
    const on = stage();
    await ours(on, 'p', { ...long, switched: { util: '97' } });
    const first = await cycles(on, 1);
    on.clock.jump(minutes(461));
    const second = await cycles(on, 1);
    expect([first.swept, second.swept]).toEqual([true, true]);
    expect(second.lastSweepBefore).toBe(NOW);
  });
});

describe('whose clock', () => {
  it.each([
    ['four hours slow', -240],
    ['three days fast', 60 * 72],
  ])(
    'a pod clock that is %s is told once; ages and time left are the pod’s own (case C47)',
    async (_what, offMin) => {
      const on = stage();
      await ours(on, 'p', { switched: { heartbeatAgeS: 300 } });
      const pod = on.pods.get('p');
      if (pod === undefined) throw new Error('put just now');
      const usual = pod.answer;
      const shift = (text: string): string =>
        text.replaceAll(
          /^(pod_now|hb_mtime)=(\d+)$/gm,
          (_all, name: string, value: string) => `${name}=${Number(value) + offMin * 60}`,
        );
      pod.answer = async (call) => {
        const answer = await usual(call);
        return typeof answer === 'string' ? answer : { ...answer, stdout: shift(answer.stdout) };
      };
      expect(verdicts(await cycles(on, 3))).toEqual({ p: 'heartbeat-fresh' });
      const told = on.said.filter(({ line }) => line.includes('its clock is'));
      expect(told).toHaveLength(1);
      expect(pod.pets.every((call) => call.args.every((arg) => !/=\d{9,}/.test(arg)))).toBe(true);
    },
  );

  it('content and file time that disagree: the newer counts, and that is noted once (case C47)', async () => {
    const on = stage();
    await ours(on, 'p', { switched: { heartbeatAgeS: 3600 * 3 } });
    const pod = on.pods.get('p');
    if (pod === undefined) throw new Error('put just now');
    const usual = pod.answer;
    pod.answer = async (call) => {
      const answer = await usual(call);
      const content = new Date(on.clock.now() - 120_000).toISOString();
      return typeof answer === 'string'
        ? answer
        : { ...answer, stdout: answer.stdout.replace('hb_content=', `hb_content=${content}`) };
    };
    expect(verdicts(await cycles(on, 3))).toEqual({ p: 'heartbeat-fresh' });
    expect((await record(on, 'p')).notes.filter((note) => note.includes('disagree'))).toHaveLength(1);
  });
});

describe('a strange state', () => {
  const STATES: readonly Partial<ProviderPod>[] = [
    { status: 'PROVISIONING', statusText: 'PROVISIONING' },
    { status: 'OTHER', statusText: 'RESETTING' },
    { status: 'ERROR', statusText: 'ERROR' },
    { status: 'EXITED', statusText: 'EXITED' },
    { status: 'STARTING', statusText: 'STARTING' },
    { telemetry: unseen('no runtime') },
    { locked: true },
    { ssh: unseen('private-address') },
  ];

  it('changes no limit, nor do siblings that register and an attempt that reclaims meanwhile (case C60)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...STATES), { minLength: 2, maxLength: 6 }),
        async (states) => {
          const on = stage();
          const before = (
            await ours(on, 'p', { register: { killInMs: minutes(180), killAbsoluteMs: minutes(240) } })
          ).deadlines;
          for (const [index, state] of states.entries()) {
            put(on, 'p', { createdAt: NOW - minutes(60), startedAt: NOW - minutes(59), ...state });
            put(on, `sibling${index}`, { createdAt: on.clock.now(), startedAt: on.clock.now() });
            await register(on.world, registerInput(`sibling${index}`));
            on.clock.jump(minutes(8));
            await cycles(on, 1);
          }
          const second = anOwner({ uuid: 'u-second', attempt: 2 });
          await register(on.world, registerInput('p', { killInGiven: false }, second));
          expect((await record(on, 'p')).deadlines).toEqual(before);
        },
      ),
      { numRuns: 12 },
    );
  });

  it.each(STATES.filter((state) => state.locked !== true))(
    '%j outlives no deadline (case C60)',
    async (state) => {
      const on = stage();
      const none = { remotePath: null, noArtifacts: true };
      await ours(on, 'p', { register: { ...none, killInMs: minutes(30), killAbsoluteMs: minutes(300) } });
      put(on, 'p', { createdAt: NOW - minutes(60), ...state });
      on.clock.jump(minutes(31));
      expect(verdicts(await cycles(on, 1))).toEqual({ p: 'owner-deadline' });
      expect(ended(on)).toEqual(['p']);
    },
  );

  it('a lock at the provider is respected and told, and not beyond the absolute deadline (case C60)', async () => {
    const on = stage();
    await ours(on, 'p', { register: { killInMs: minutes(30), killAbsoluteMs: minutes(60) } });
    put(on, 'p', { createdAt: NOW - minutes(60), locked: true });
    on.clock.jump(minutes(31));
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'locked' });
    expect(REASONS.locked.alert).toBe('warn');
    on.clock.jump(minutes(30));
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'absolute-deadline' });
  });

  it.each(['ownerSetAt', 'absoluteDeadlineAt', 'deadlines', 'owner'])(
    'a record without %s cannot be written (case C60)',
    async (field) => {
      const on = stage();
      await ours(on, 'p');
      const whole = structuredClone(await record(on, 'p')) as Record<string, unknown>;
      const part =
        field === 'deadlines' || field === 'owner' ? whole : (whole['deadlines'] as Record<string, unknown>);
      delete part[field];
      const { state } = await on.world.registry.read();
      const actor = { kind: 'owner' as const, uuid: 'u-p', label: null, run: null };
      const op = {
        op: 'register',
        key: 'k',
        at: NOW,
        actor,
        pod: 'q',
        record: { ...whole, id: 'q' },
        fulfils: null,
      };
      expect(applyChecked(state, op as never)).toMatchObject({ kind: 'refused', because: 'invalid' });
    },
  );

  it('a record that is read without a limit is an alert, and counts as its last valid version (case C60)', async () => {
    const on = stage();
    const before = await ours(on, 'p', { switched: { util: '97' } });
    const files = on.host.commits.at(-1)?.files ?? new Map<string, string>();
    const path = [...files.keys()].find((name) => name.startsWith('pods/')) ?? '';
    const text = (files.get(path) ?? '').replace(/"absoluteDeadlineAt": "[^"]*",?\s*/, '');
    on.host.commits = [
      ...on.host.commits,
      { id: 'f'.repeat(40), at: NOW, message: 'by hand', files: new Map([...files, [path, text]]) },
    ];
    const snapshot = await on.world.registry.read();
    expect(snapshot.caution.map(({ code }) => code)).toContain('damaged');
    on.clock.jump(before.deadlines.absoluteDeadlineAt - NOW);
    const cycle = await cycles(on, 1);
    expect(verdicts(cycle)).toEqual({ p: 'absolute-deadline' });
    expect(ended(on)).toEqual(['p']);
  });
});
