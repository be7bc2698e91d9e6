/** Wrong use and broken configuration: one clear error with what to do next, the documented code, and nothing changed. */
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { API_KEY, json, ownHome, podtrack, podtrackArgs } from './stage.ts';

const POD = 'abc123def456gh';

describe('wrong words', () => {
  it.each([
    ['', 'no verb was given'],
    ['--json-', 'unknown option'],
    ['reapp', 'did you mean'],
    ['reap --idle-strike 3', 'Did you mean --idle-strikes'],
    ['register', "missing required argument 'pod-id'"],
    [`register ${POD} --kill-in`, 'argument missing'],
    [`pet ${POD} extra`, 'too many arguments'],
    [`pet ${POD} --min soon`, 'not a number with s, m, h or d'],
    [`pet ${POD} --min 0`, 'outside 1 second to 30 days'],
    [`pet ../../etc`, 'is not a pod id'],
    [`register null --no-artifacts`, 'is not a pod id'],
    [`extend ${POD}`, 'by how much'],
    [`keep ${POD}`, 'for how long'],
    [`claim ${POD} --force`, 'from a live owner'],
    [`teardown ${POD} --force`, 'before its artifacts are safe'],
    ['teardown', 'is not a pod id'],
    [`teardown ${POD} --scope run`, 'were both given'],
    ['teardown --scope all', 'neither pod nor run'],
    ['teardown --scope run', 'no label was given'],
    ['list --mine --others', 'do not go together'],
    ['history --limit many', 'not a number'],
    ['acknowledge everything --reason x', 'is none of'],
    ['acknowledge breaker', 'no reason was given'],
    ['reconcile --terminate-untracked', 'ends pods'],
    ['reap --profile gigantic', 'is not one of'],
    ['reap --max-kills 0', 'from 1 to 1000'],
    ['reap --activity sleeping', 'jobs or jobs-and-ssh'],
    ['reap --config nowhere.yml', 'there is no file'],
    ['world --port 99999', 'is not a port'],
    ['world --seed nowhere.json', 'cannot be read'],
  ])('"%s" ends with 2 and says: %s', async (words, says) => {
    const { folder, env } = ownHome();
    const told = await podtrack(words, { ...env, RUNPOD_API_KEY: API_KEY });
    expect(told.code).toBe(2);
    expect(told.out).toBe('');
    expect(told.err).toContain(says);
    expect(told.err).toMatch(/state: .+\n {2}next: {2}.+/);
    expect(told.err).not.toContain(API_KEY);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a missing or broken secret', () => {
  it('a missing key names both ways to give it', async () => {
    const { env, folder } = ownHome();
    const told = await podtrack('list', env);
    expect(told.code).toBe(2);
    expect(told.err).toContain('RUNPOD_API_KEY');
    expect(told.err).toContain('.config/podtrack/runpod.key');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(['null', 'undefined', ' none '])(
    'a key that is the word "%s" is refused before it is sent',
    async (word) => {
      const { env } = ownHome();
      const told = await podtrack('list', { ...env, RUNPOD_API_KEY: word });
      expect(told.code).toBe(2);
      expect(told.err).toContain('stands for no value');
    },
  );

  it('a key file that others may read is refused with the chmod to run', async () => {
    const { folder, env } = ownHome();
    const path = join(folder, '.config/podtrack/runpod.key');
    mkdirSync(join(folder, '.config/podtrack'), { recursive: true });
    writeFileSync(path, `${API_KEY}\n`);
    chmodSync(path, 0o640);
    const told = await podtrack('list', env);
    expect(told.code).toBe(2);
    expect(told.err).toContain(`chmod 600 ${path}`);
    expect(told.err).not.toContain(API_KEY);
  });

  it.each([
    ['nothing', '', 'no SSH key was given'],
    ['a public half', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ x', 'public half'],
    ['a path to nowhere', '/nowhere/key', 'a path, not a key'],
  ])('an SSH key that is %s stops reap before anything is asked', async (_what, key, says) => {
    const { env } = ownHome();
    const told = await podtrack('reap', { ...env, RUNPOD_API_KEY: API_KEY, PODTRACK_SSH_KEY: key });
    expect(told.code).toBe(2);
    expect(told.err).toContain(says);
  });

  it.each([
    ['label', { PODTRACK_LABEL: '   ' }, 'blanks only'],
    ['label', { PODTRACK_LABEL: 'null' }, 'empty expression'],
    ['label', { PODTRACK_LABEL: 'a\u0007b' }, 'invisible'],
    ['uuid', { PODTRACK_OWNER_UUID: 'undefined' }, 'empty expression'],
  ])('a malformed %s is refused, never replaced by a default', async (_what, given, says) => {
    const { env } = ownHome();
    const told = await podtrack('whoami', { ...env, ...given });
    expect(told.code).toBe(2);
    expect(told.err).toContain(says);
  });
});

describe('a broken place', () => {
  it.each([
    ['rules:\n  idle-strike: 3\n', '"rules.idle-strike"'],
    ['label: mine\n', '"label"'],
    ['profile: [long]\n', '"profile"'],
    ['rules: {hb-grace: soon}\n', 'not a number'],
    ['rules: {hb-grace: true}\n', '"rules.hb-grace"'],
    ['rules: {a: 1, a: 2}\n', 'not YAML'],
  ])('podtrack.yml with %j names the word', async (text, says) => {
    const { folder, env } = ownHome();
    mkdirSync(join(folder, '.github'));
    writeFileSync(join(folder, '.github/podtrack.yml'), text);
    const told = await podtrack('config', env);
    expect(told.code).toBe(2);
    expect(told.err).toContain(says);
  });

  it('without any home there is one error that names PODTRACK_HOME', async () => {
    const told = await podtrack('whoami', { PATH: process.env['PATH'] });
    expect(told.code).toBe(2);
    expect(told.err).toContain('Set PODTRACK_HOME');
  });

  it('a home that cannot be written is told, and no uuid is made up', async () => {
    const { folder, env } = ownHome();
    writeFileSync(join(folder, 'file'), '');
    symlinkSync(join(folder, 'file'), join(folder, 'home'));
    const told = await podtrack('whoami', { ...env, PODTRACK_HOME: join(folder, 'home') });
    expect(told.code).toBe(2);
    expect(told.err).toContain('PODTRACK_OWNER_UUID');
  });

  it('a registry that is no repository is a failure of the world: 4 where only was looked', async () => {
    const { folder, env } = ownHome();
    const told = await podtrackArgs(['history', '--registry', join(folder, 'nowhere.git')], env);
    expect(told.code).toBe(4);
    expect(existsSync(join(folder, 'nowhere.git'))).toBe(false);
  });

  it('an address with a password in it is refused and not repeated', async () => {
    const { env } = ownHome();
    const told = await podtrack('history --registry https://me:hunter2secret@example.org/r.git', env);
    expect(told.code).toBe(2);
    expect(told.err).not.toContain('hunter2secret');
  });
});

describe('--json', () => {
  it('gives errors as one document on standard output', async () => {
    const { env } = ownHome();
    const told = await podtrack('list --json', env);
    expect(told.err).toBe('');
    expect(json(told)).toMatchObject({
      schemaVersion: 1,
      exitCode: 2,
      error: {
        name: 'ConfigError',
        input: 'RUNPOD_API_KEY',
        told: { state: 'Nothing was asked and nothing was changed' },
      },
    });
  });

  it('also for words that cannot be parsed', async () => {
    const { env } = ownHome();
    expect(json(await podtrack('reap --json --nonsense', env))).toMatchObject({
      error: { name: 'ConfigError', input: '--nonsense' },
    });
  });
});

describe('help and version', () => {
  it.each([['--help'], ['-h'], ['reap --help'], ['register -h'], ['--version']])(
    '%s ends with 0',
    async (words) => {
      const { env } = ownHome();
      const told = await podtrack(words, env);
      expect(told.code).toBe(0);
      expect(told.err).toBe('');
      expect(told.out.length).toBeGreaterThan(3);
    },
  );

  it('every verb has a summary, an example and the exit codes, within 80 columns', async () => {
    const { env } = ownHome();
    const { VERBS } = await import('../../src/cli/verb-table.ts');
    for (const { name } of VERBS) {
      const { code, out } = await podtrack(`${name} --help`, env);
      expect(code, name).toBe(0);
      expect(out, name).toContain('Examples:');
      expect(out, name).toContain('130, 143');
      for (const line of out.split('\n')) expect(line.length, `${name}: ${line}`).toBeLessThanOrEqual(80);
    }
  });

  it('a secret is never a flag', async () => {
    const { env } = ownHome();
    const { VERBS } = await import('../../src/cli/verb-table.ts');
    for (const { name } of VERBS) {
      const { out } = await podtrack(`${name} --help`, env);
      expect(out, name).not.toMatch(/--(api-key|key|token|password)\b(?!-file)/);
    }
  });
});
