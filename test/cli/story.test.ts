/** The command line end to end: a pod is registered, armed, petted, moved, looked at, synced, reaped and torn down. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { API_KEY, json, podtrack, type Stage, stage } from './stage.ts';

const POD = 'mainpod000001';
const FOREIGN = 'foreignpod001';

const onStage = () =>
  stage((login) => ({
    balance: 25,
    pods: [
      {
        id: POD,
        name: 'main',
        sshKeys: [login],
        createdAt: '-10m',
        gpu: { count: 1, util: 97, memUsedMiB: 21_000, memTotalMiB: 24_564 },
        files: { '/workspace/results/model.bin': { size: 50_000 }, '/workspace/results/log.txt': 'done\n' },
      },
      { id: FOREIGN, name: 'foreign', createdAt: '-9d', gpu: { count: 1, util: 0 } },
    ],
  }));

const asked = ({ world }: Stage, pod: string): string[] =>
  world
    .requests()
    .filter((request) => request.method !== 'GET' && request.path.includes(pod))
    .map((request) => `${request.method} ${request.path}`);

it('takes one pod through its whole life, and leaves the foreign one alone', {
  timeout: 120_000,
}, async () => {
  const on = await onStage();
  const { env } = on;
  const outputs: string[] = [];
  const ok = async (words: string, code = 0) => {
    const told = await podtrack(words, env);
    outputs.push(told.out, told.err);
    expect(told.code, `${words}\n${told.out}${told.err}`).toBe(code);
    return told;
  };

  const entered = await ok(
    `register ${POD} --remote-path /workspace/results --local-path copies --kill-in 120 --gpu H100`,
  );
  expect(entered.out).toContain('registered: mainpod000001');
  expect(entered.out).toContain('owned by cli-test');
  expect(entered.out).toMatch(/the switch on the pod fires in 2 h 1[45] min/);

  const listed = await ok('list --all');
  expect(listed.out).toContain('* cli-test');
  expect(listed.out).toContain('foreign');
  expect(listed.out).toContain('no reaper has swept this registry yet');
  expect(listed.out.split('\n').every((line) => line.length <= 80)).toBe(true);
  expect(json(await ok('list --mine --json'))).toMatchObject({
    pods: [{ pod: POD, mine: true, armed: true }],
  });
  expect(json(await ok('list --others --json'))).toMatchObject({ pods: [] });

  const petted = await ok(`pet ${POD} --min 30`);
  expect(petted.out).toContain('petted');
  const extended = await ok(`extend ${POD} --min 60`);
  expect(extended.out).toMatch(/fires in 3 h 1[45] min/);
  const armed = await ok(`arm ${POD} --kill-in 90 --kill-absolute-min 100`);
  expect(armed.out).toMatch(/at the latest in 1 h (39|40) min/);
  const capped = await ok(`arm ${POD} --kill-absolute-min 200`, 3);
  expect(capped.err).toContain('was given and does not move');

  await ok(`job-heartbeat ${POD}`);
  const probed = json(await ok(`probe ${POD} --json`));
  expect(probed).toMatchObject({ reached: true, activity: 'busy', activityBy: 'heartbeat-fresh' });
  expect(probed).toMatchObject({
    gpu: { state: 'figures', samples: { length: 6 } },
    switch: { kind: 'seen' },
  });
  expect((await ok(`heartbeat ${POD}`)).out).toContain('committed');
  expect((await ok(`heartbeat ${POD}`)).out).toContain('no commit was made');

  const pulled = await ok(`sync ${POD}`);
  expect(pulled.out).toContain('2 file(s)');
  expect(readFileSync(join(on.folder, 'copies/log.txt'), 'utf8')).toBe('done\n');

  const dry = await ok('reap --dry-run');
  expect(dry.out).toContain('would: pet, mirror');
  const reaped = json(await ok('reap --json'));
  expect(reaped).toMatchObject({
    exitCode: 0,
    counts: { ours: 1, foreign: 1, red: 0, done: 2, attempted: 2 },
    totals: { account: { balanceMicroUsd: expect.any(Number) } },
  });
  expect((await ok('list')).out).toMatch(/last full sweep \d+ s ago/);
  expect(json(await ok('reconcile --json'))).toMatchObject({ groups: { live: [POD], foreign: [FOREIGN] } });

  const explained = await ok(`explain ${POD}`);
  expect(explained.out).toContain('last changed verdict: keep');
  expect(explained.out).toContain('by the switch on the pod');

  const kept = await ok(`keep ${POD} --for 20 --reason "a last look"`);
  expect(kept.out).toContain('its own switch has taken the new stop');

  const ended = await ok(`teardown ${POD}`);
  expect(ended.out).toContain('2 artifact file(s) verified and kept');
  expect(asked(on, POD)).toEqual([`DELETE /v2/pods/${POD}`]);
  expect(asked(on, FOREIGN)).toEqual([]);
  expect(on.world.world.pods.has(POD)).toBe(false);

  const again = await ok(`teardown ${POD}`);
  expect(again.out).toContain('its record says terminated already');
  const told = await ok('history --limit 100');
  const headlines = told.out.split('\n').map((line) => line.split(' ').slice(2).join(' '));
  for (const word of [
    'register',
    'arm',
    'extend',
    'claim',
    'heartbeat',
    'keep',
    'fence',
    'confirm',
    'settle',
  ])
    expect(
      headlines.some((line) => line.startsWith(word)),
      `${word} in\n${told.out}`,
    ).toBe(true);
  expect((await ok(`explain ${POD}`)).out).toContain('terminated');

  expect(outputs.join('')).not.toContain(API_KEY);
  expect(existsSync(join(on.registry, 'refs'))).toBe(true);
});
