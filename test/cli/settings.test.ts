/** Precedence: flag over environment over file over profile over default, for every knob and every other setting. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Env } from '../../src/cli/call.ts';
import { KNOBS, type Knob } from '../../src/domain/knobs.ts';
import { API_KEY, json, ownHome, podtrack } from './stage.ts';

const settings = z.array(
  z.object({
    name: z.string(),
    value: z.union([z.string(), z.number(), z.null()]),
    origin: z.string(),
  }),
);

async function configOf(words: string, env: Env) {
  const told = await podtrack(`config --json ${words}`, env);
  expect(told.code, told.out + told.err).toBe(0);
  const all = settings.parse(json(told)['settings']);
  return (name: string) => {
    const found = all.find((each) => each.name === name);
    return found === undefined ? undefined : [found.value, found.origin];
  };
}

/** Three texts of a kind, and what they mean. */
function values(knob: Knob): readonly (readonly [string, string | number])[] {
  if (knob.kind === 'duration') {
    return [
      ['41', 41 * 60_000],
      ['42s', 42_000],
      ['1.5h', 5_400_000],
    ];
  }
  if (knob.kind === 'activity') {
    return [
      ['jobs-and-ssh', 'jobs-and-ssh'],
      ['jobs', 'jobs'],
      ['jobs-and-ssh', 'jobs-and-ssh'],
    ];
  }
  return [
    ['11', 11],
    ['12', 12],
    ['13', 13],
  ];
}

describe.each(KNOBS.map((knob) => [knob.name, knob] as const))('the knob %s', (name, knob) => {
  it('is taken from flag, environment, file and default, in this order, and says where from', async () => {
    const { folder, env } = ownHome();
    const [byFile, byVariable, byFlag] = values(knob);
    if (byFile === undefined || byVariable === undefined || byFlag === undefined)
      throw new Error('no values');
    const file = join(folder, '.github/podtrack.yml');
    expect((await configOf('', env))(name)?.[1]).toBe('default');

    mkdirSync(join(folder, '.github'));
    writeFileSync(file, `rules:\n  ${name}: ${byFile[0]}\n`);
    expect((await configOf('', env))(name)).toEqual([byFile[1], file]);
    expect((await configOf('--reaper', env))(name)?.[1]).toBe('default');

    const named = { ...env, [knob.env]: byVariable[0] };
    expect((await configOf('', named))(name)).toEqual([byVariable[1], knob.env]);
    expect((await configOf(`--${name} ${byFlag[0]}`, named))(name)).toEqual([byFlag[1], `--${name}`]);
    expect((await configOf(`--${name} ""`, { ...env, [knob.env]: '' }))(name)).toEqual([byFile[1], file]);
  });
});

describe('the profile', () => {
  it('lies under everything that is said of a knob, and over the defaults', async () => {
    const { folder, env } = ownHome();
    const told = await configOf('--profile smoke', { ...env, PODTRACK_HB_GRACE_MIN: '7' });
    expect(told('profile')).toEqual(['smoke', '--profile']);
    expect(told('startup-grace')).toEqual([5 * 60_000, 'profile smoke']);
    expect(told('hb-grace')).toEqual([7 * 60_000, 'PODTRACK_HB_GRACE_MIN']);
    expect(told('idle-window')?.[0]).toBe(10 * 60_000);
    expect(told('kill-in')).toEqual([45 * 60_000, 'profile smoke']);
    mkdirSync(join(folder, '.github'));
    writeFileSync(join(folder, '.github/podtrack.yml'), 'profile: cpu-heavy\n');
    expect((await configOf('', env))('profile')).toEqual(['cpu-heavy', join(folder, '.github/podtrack.yml')]);
    expect((await configOf('', { ...env, PODTRACK_PROFILE: 'long' }))('profile')?.[1]).toBe(
      'PODTRACK_PROFILE',
    );
  });
});

describe('places and limits', () => {
  it.each([
    ['registry', '--registry /flag', { PODTRACK_REGISTRY: '/variable' }],
    ['registry-branch', '--registry-branch flag', { PODTRACK_REGISTRY_BRANCH: 'variable' }],
    ['label', '--label flag', { PODTRACK_LABEL: 'variable' }],
  ])('%s: flag over environment over default', async (name, flag, variable: Record<string, string>) => {
    const { env } = ownHome();
    const [variableName = '', value = ''] = Object.entries(variable)[0] ?? [];
    expect((await configOf('', env))(name)?.[1]).toMatch(/^(default|not given)$/);
    expect((await configOf('', { ...env, ...variable }))(name)).toEqual([value, variableName]);
    const [flagName = '', flagged = ''] = flag.split(' ');
    expect((await configOf(flag, { ...env, ...variable }))(name)).toEqual([flagged, flagName]);
  });

  it('home, addresses and limits come from their variables', async () => {
    const { folder, env } = ownHome();
    const told = await configOf('', {
      ...env,
      PODTRACK_HOME: join(folder, 'elsewhere'),
      RUNPOD_API_BASE_URL: 'http://127.0.0.1:1/v2/',
      PODTRACK_KILL_IN_MIN: '90',
      PODTRACK_KILL_ABSOLUTE_MIN: '2h',
    });
    expect(told('home')).toEqual([join(folder, 'elsewhere'), 'PODTRACK_HOME']);
    expect(told('registry')).toEqual([join(folder, 'elsewhere/registry.git'), 'default']);
    expect(told('rest')).toEqual(['http://127.0.0.1:1', 'RUNPOD_API_BASE_URL']);
    expect(told('graphql')?.[0]).toBe('http://127.0.0.1:1/graphql');
    expect(told('kill-in')).toEqual([90 * 60_000, 'PODTRACK_KILL_IN_MIN']);
    expect(told('kill-absolute-min')).toEqual([120 * 60_000, 'PODTRACK_KILL_ABSOLUTE_MIN']);
  });

  it('a secret is told by its place alone', async () => {
    const { folder, env } = ownHome();
    const path = join(folder, '.config/podtrack/deadman.token');
    mkdirSync(join(folder, '.config/podtrack'), { recursive: true });
    writeFileSync(path, 'deadman-SECRET-token\n', { mode: 0o600 });
    const told = await configOf('', { ...env, RUNPOD_API_KEY: API_KEY });
    expect(told('api-key')).toEqual(['given', 'RUNPOD_API_KEY']);
    expect(told('deadman-token')).toEqual(['given', path]);
    expect(told('ssh-key')).toEqual(['not given', '-']);
  });
});

describe('who this process is', () => {
  const run = {
    GITHUB_ACTIONS: 'true',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'acme/ml',
    GITHUB_REPOSITORY_ID: '42',
    GITHUB_RUN_ID: '7',
    GITHUB_RUN_ATTEMPT: '2',
  };

  it('is persisted once, readable by nobody else', async () => {
    const { folder, env } = ownHome();
    const first = json(await podtrack('whoami --json', env));
    const again = json(await podtrack('whoami --json', env));
    expect(again['uuid']).toBe(first['uuid']);
    const file = join(folder, '.local/share/podtrack/owner-uuid');
    expect(readFileSync(file, 'utf8').trim()).toBe(first['uuid']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is the run on Actions, under a uuid that no other job on this machine shares', async () => {
    const { folder, env } = ownHome();
    const job = (name: string) => ({ ...env, ...run, RUNNER_TEMP: join(folder, name) });
    const one = json(await podtrack('whoami --json', job('one')));
    const two = json(await podtrack('whoami --json', job('two')));
    expect(one).toMatchObject({
      label: 'acme/ml#7',
      labelOrigin: 'this run',
      key: { repositoryId: '42', runId: '7' },
    });
    expect(one['uuid']).not.toBe(two['uuid']);
    const given = json(await podtrack('whoami --json', { ...job('one'), PODTRACK_OWNER_UUID: 'mine-alone' }));
    expect(given).toMatchObject({ uuid: 'mine-alone', uuidOrigin: 'PODTRACK_OWNER_UUID' });
  });

  it('gives a stamp only for a registry that is there, and a new nonce each time', async () => {
    const { env } = ownHome();
    expect(json(await podtrack('whoami --json', env))).toMatchObject({ stamp: null });
    const first = json(await podtrack('whoami --init --json', env));
    const second = json(await podtrack('whoami --json', env));
    expect(first['stamp']).toMatch(/^1:[0-9a-f]{32}:-:-:\d+:\d+:[0-9a-f]{16}$/);
    expect(first['podName']).toMatch(/^pt-[0-9a-f]{8}-[0-9a-f]{8}$/);
    expect(second['stamp']).not.toBe(first['stamp']);
    expect(String(second['stamp']).split(':')[1]).toBe(String(first['stamp']).split(':')[1]);
  });
});
