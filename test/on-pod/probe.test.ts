/** One visit's look, run by real shells and read by the domain: each part seen or unseen with its reason. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { seen, unseen } from '../../src/domain/part.ts';
import { type ProbeLook, probeCall, readProbe } from '../../src/domain/switch/probe.ts';
import type { SwitchStatus } from '../../src/domain/switch.ts';
import { PodStand, underEachShell, until } from './pod-stand.ts';
import {
  type Answer,
  type Asked,
  html,
  json,
  noSuchPod,
  ProviderStand,
  problem,
  type Table,
  unauthorized,
} from './provider-stand.ts';

async function look(pod: PodStand, samples: 1 | 6 = 1, artifact?: string): Promise<ProbeLook> {
  const call = probeCall({ samples, ...(artifact === undefined ? {} : { artifact }) });
  const ran = await pod.run('probe', call.args);
  expect(ran.stderr).toBe('');
  expect(ran.exit).toBe(0);
  return readProbe({ exitCode: ran.exit, stdout: ran.stdout });
}

const smi = (pod: PodStand, text: string, exit = 0, stream = 1): void =>
  pod.program('nvidia-smi', `#!/bin/sh\ncat >&${stream} <<'E'\n${text}\nE\nexit ${exit}\n`);
const ROW = '0, GPU-1f0c7a52, 37, 61440, 81559';

underEachShell((lay) => {
  it('sees clocks, heartbeat, load, artifacts, GPU and switch in one visit', async ({ onTestFinished }) => {
    const pod = lay(onTestFinished);
    pod.heartbeat('2001-01-01T00:00:00Z\n', 3);
    mkdirSync(join(pod.home, 'results'));
    smi(pod, ROW);
    await pod.install({});
    const seen = await look(pod, 1, '~/results');
    expect(seen.podNow).toMatchObject({ kind: 'seen' });
    expect(seen.uptimeMs).toMatchObject({ kind: 'seen' });
    expect(seen.heartbeat).toMatchObject({ kind: 'seen', value: { state: 'beating', disagreement: true } });
    expect(seen.load1).toEqual({ kind: 'seen', value: 1.25 });
    expect(seen.artifacts).toEqual({ kind: 'seen', value: 'empty' });
    expect(seen.switch).toMatchObject({ kind: 'seen', value: { armed: true, keySource: 'explicit' } });
    expect(seen.gpu).toEqual({
      kind: 'seen',
      value: {
        state: 'figures',
        samples: [[{ index: '0', util: 37, memoryUsedMib: 61_440, memoryTotalMib: 81_559 }]],
      },
    });
  });
});

describe('the key that the switch holds', () => {
  const INJECTED = 'rpa_INJECTEDINJECTED';
  const running = json({ id: 'pod1abcdefghij', name: 'a pod', env: {}, status: 'RUNNING' });
  const gone = problem(401, 'unauthorized');
  const noPod = json({ errors: [{ message: 'pod not found' }], data: { podTerminate: null } });
  const own =
    (answer: Answer, other: Answer) =>
    (_: number, { authorization }: Asked) =>
      authorization.endsWith(INJECTED) ? answer : other;

  const rows: [string, Table, SwitchStatus['key']][] = [
    ['reads this pod', { get: () => running }, seen('works')],
    ['may end alone', { get: () => problem(403, 'no'), delete: () => noSuchPod }, seen('works')],
    [
      'may end by GraphQL alone',
      { get: () => gone, delete: () => gone, graphql: () => noPod },
      seen('works'),
    ],
    [
      'is turned away everywhere',
      { get: () => gone, delete: () => gone, graphql: () => unauthorized },
      seen('refused'),
    ],
    [
      'is turned away, but the pod has one of its own',
      { get: own(running, gone), delete: () => gone, graphql: () => unauthorized },
      seen('works'),
    ],
    [
      'meets a provider that is down',
      { get: () => html(502), delete: () => html(502), graphql: () => html(502) },
      unseen('rest=502,graphql=502'),
    ],
    [
      'is turned away at one door, with the other out of order',
      { get: () => gone, delete: () => gone, graphql: () => html(503) },
      unseen('rest=401,graphql=503'),
    ],
  ];
  it.each(rows)('%s', async (what, table, key) => {
    const provider = new ProviderStand(table);
    const url = await provider.listen();
    const pod = new PodStand(what.includes('of its own') ? { injectedKey: INJECTED } : {});
    try {
      await pod.install({ rest: url, graphql: `${url}/graphql` });
      const { switch: status } = await look(pod);
      expect(status).toMatchObject({ value: { key, armed: key.kind === 'unseen' || key.value === 'works' } });
      const ended = provider.asked.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
      expect(ended.every((path) => path === '/v2/pods/podtrack-no-such-pod')).toBe(true);
    } finally {
      await pod.close();
      await provider.close();
    }
  });

  it('is not asked about where no switch is', async ({ onTestFinished }) => {
    const pod = new PodStand();
    onTestFinished(() => pod.close());
    const ran = await pod.run('probe', probeCall({ samples: 1 }).args);
    expect(ran.said.get('sw_key')).toBe('unseen:not-asked');
  });
});

describe('parts that cannot be seen', () => {
  it('says so of each, on a pod with nothing', async ({ onTestFinished }) => {
    const pod = new PodStand({ without: ['nvidia-smi'] });
    onTestFinished(() => pod.close());
    const seen = await look(pod, 1, '/root/none');
    expect(seen.heartbeat).toEqual({ kind: 'seen', value: { state: 'absent' } });
    expect(seen.artifacts).toEqual({ kind: 'seen', value: 'absent' });
    expect(seen.sshSessions).toEqual({ kind: 'unseen', reason: 'no-process-list' });
    expect(seen.switch).toMatchObject({ kind: 'seen', value: { armed: false, reason: 'not-installed' } });
    expect(seen.gpu).toEqual({ kind: 'unseen', reason: 'nvidia-smi is not on the pod' });
  });

  it('tells errors, no device, missing figures and a last line without an end from figures', async ({
    onTestFinished,
  }) => {
    const pod = new PodStand();
    onTestFinished(() => pod.close());
    smi(pod, 'Failed to initialize NVML: Driver/library version mismatch', 18);
    expect((await look(pod)).gpu).toEqual({ kind: 'unseen', reason: 'nvidia-smi failed with exit code 18' });
    smi(pod, 'No devices were found', 6, 2);
    expect((await look(pod)).gpu).toEqual({ kind: 'seen', value: { state: 'no-gpu' } });
    smi(pod, '0, GPU-1, [N/A], 30211, 81920');
    expect((await look(pod)).gpu).toMatchObject({
      value: { samples: [[{ util: null, memoryUsedMib: 30_211 }]] },
    });
    pod.program('nvidia-smi', `#!/bin/sh\nprintf '%s' '${ROW}'\n`);
    expect((await look(pod)).gpu).toMatchObject({ kind: 'seen' });
    pod.program('nvidia-smi', `#!/bin/sh\nprintf 'gpu_exit=0\\narmed=yes\\nsw_armed=yes\\n'\nexit 9\n`);
    const forged = await look(pod);
    expect(forged.gpu).toEqual({ kind: 'unseen', reason: 'nvidia-smi failed with exit code 9' });
    expect(forged.switch).toMatchObject({ value: { armed: false } });
  });

  it('is bounded, whatever nvidia-smi prints', async ({ onTestFinished }) => {
    const pod = new PodStand();
    onTestFinished(() => pod.close());
    pod.program('nvidia-smi', '#!/bin/sh\nhead -c 300000 /dev/zero | tr "\\0" x\n');
    const ran = await pod.run('probe', ['samples=1']);
    expect(ran.stdout.length).toBeLessThan(8000);
  });

  it('leaves a hung nvidia-smi behind after its time, and tells all the rest', async ({ onTestFinished }) => {
    const pod = new PodStand({ clock: 1000 });
    onTestFinished(() => pod.close());
    pod.program('nvidia-smi', '#!/bin/sh\n: >"$PODTRACK_ROOT/hangs"\nexec sleep 600\n');
    const looking = look(pod);
    await until('the hang', () => existsSync(join(pod.root, 'hangs')));
    pod.setClock(1011);
    const seen = await looking;
    expect(seen.gpu).toEqual({ kind: 'unseen', reason: 'nvidia-smi: timed-out' });
    expect(seen.load1).toMatchObject({ kind: 'seen' });
  });

  it('takes six samples before an idle order', async ({ onTestFinished }) => {
    const pod = new PodStand();
    onTestFinished(() => pod.close());
    smi(pod, ROW);
    // A pause of no length: how long it is, is the pod's matter; that six are taken is ours.
    pod.program('sleep', '#!/bin/sh\nexit 0\n');
    expect((await look(pod, 6)).gpu).toMatchObject({ value: { samples: { length: 6 } } });
  });
});

describe('sessions', () => {
  it('counts logins by SSH from the process list, without listeners and strangers', async ({
    onTestFinished,
  }) => {
    const pod = new PodStand();
    onTestFinished(() => pod.close());
    const processes = [
      ['2000001', 'sshd', 'sshd: root@pts/0\0\0\0'],
      ['2000002', 'sshd-session', 'sshd-session: ci@notty\0'],
      ['2000003', 'sshd', 'sshd: /usr/sbin/sshd -D [listener]\0'],
      ['2000004', 'python', 'sshd: root@pts/9\0'],
    ];
    for (const [pid = '', name, line = ''] of processes) {
      mkdirSync(join(pod.root, 'proc', pid));
      writeFileSync(join(pod.root, 'proc', pid, 'comm'), `${name}\n`);
      writeFileSync(join(pod.root, 'proc', pid, 'cmdline'), line);
    }
    expect((await look(pod)).sshSessions).toEqual({ kind: 'seen', value: 2 });
    rmSync(join(pod.root, 'proc', '2000002'), { recursive: true });
    expect((await look(pod)).sshSessions).toEqual({ kind: 'seen', value: 1 });
  });
});
