/** What reaches the terminal: colours only where wanted, no command to the runner, and what happens on a signal. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { jsonText, linesText, pageOf, wantsColour } from '../../src/cli/page.ts';
import { table } from '../../src/cli/text/table.ts';
import { VERSION } from '../../src/domain/version.ts';
import { serveWorld } from '../../src/world/serve.ts';
import { API_KEY, json, ownHome, podtrack } from './stage.ts';

const LABELS = [
  '@orchard/everyone please look',
  '<img src=x onerror=1>',
  '::error::forged',
  'one\n::set-output name=x::y',
  '##[error]forged',
  'red \u001b[31m\u001b[2Jand gone',
  '\u202egnidaelsim',
  'x'.repeat(400),
];

describe('a line of foreign text', () => {
  it.each(LABELS)('%j can neither act nor widen a table', (label) => {
    const page = pageOf(80, false);
    const drawn = table(
      [
        { title: 'POD', width: 14 },
        { title: 'OWNER', width: null },
      ],
      [{ cells: ['abc', label], detail: label.slice(0, 60) }],
      page,
    );
    const text = linesText(drawn, []);
    for (const line of text.split('\n')) {
      expect(line.length).toBeLessThanOrEqual(80);
      expect(line).not.toMatch(/^\s*::/);
    }
    expect(text).not.toContain('##[');
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('stays the same in JSON, where no line of it is a command', () => {
    const text = jsonText({ label: '##[error]forged\n::error::x' }, []);
    expect(text).not.toContain('##[');
    expect(JSON.parse(text)).toEqual({ label: '##[error]forged\n::error::x' });
    expect(text.split('\n').some((line) => /^\s*::/.test(line))).toBe(false);
  });
});

describe('colour', () => {
  it.each([
    [{}, false, true, true],
    [{}, false, false, false],
    [{ NO_COLOR: '1' }, false, true, false],
    [{ NO_COLOR: '' }, false, true, true],
    [{ TERM: 'dumb' }, false, true, false],
    [{ FORCE_COLOR: '1' }, false, false, true],
    [{ FORCE_COLOR: '0' }, false, true, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, true, false],
    [{}, true, true, false],
  ])('env %j, --no-color %s, terminal %s: %s', (env, declined, terminal, wanted) => {
    expect(wantsColour(env, declined, terminal)).toBe(wanted);
  });

  it('passes through the last sieve, other escapes do not', () => {
    const { paint } = pageOf(80, true);
    expect(linesText([paint('red', 'bad')], [])).toContain('\u001b[31m');
    expect(linesText(['a\u001b[2Jb\u001b]0;title\u0007c'], [])).not.toContain('\u001b');
  });
});

it('a secret never leaves, in whatever form it comes back', () => {
  const key = 'made-up-KEY/with+odd=chars';
  const forms = [key, encodeURIComponent(key), JSON.stringify(key), Buffer.from(key).toString('base64')];
  expect(linesText(forms, [key]).includes('made-up')).toBe(false);
  expect(jsonText({ forms }, [key])).not.toContain(Buffer.from(key).toString('base64').slice(0, 20));
});

describe.each([
  ['that takes the key', API_KEY],
  ['that refuses it', 'rpa_anotherKEYanotherKEYanother'],
])('an account %s', (_what, accepted) => {
  it('gets it shown nowhere, not even in errors and debug lines', async () => {
    const world = await serveWorld({ seed: { apiKey: accepted } });
    try {
      const { env } = ownHome();
      const near = {
        ...env,
        RUNPOD_API_KEY: API_KEY,
        RUNPOD_API_BASE_URL: world.restUrl,
        PODTRACK_DEBUG: '1',
      };
      for (const words of [
        'whoami',
        'list',
        'list --json',
        'config',
        'heartbeat abc',
        'explain abc --json',
      ]) {
        const { out, err } = await podtrack(words, near);
        expect(out + err, words).not.toContain(API_KEY);
      }
      const listed = await podtrack('list', near);
      expect(listed.code).toBe(accepted === API_KEY ? 0 : 4);
    } finally {
      await world.stop();
    }
  });
});

describe('a signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('%s ends with %i and says how things stand', async (signal, code) => {
    const { env } = ownHome();
    const stop = new AbortController();
    stop.abort(signal);
    const told = await podtrack(
      'teardown abc123def456gh --skip-pull',
      { ...env, RUNPOD_API_KEY: API_KEY },
      { signal: stop.signal },
    );
    expect(told.code).toBe(code);
    expect(told.err).toContain(`it was ended by ${signal}`);
    expect(told.err).toContain('fenced');
    const asJson = await podtrack(
      'list --json',
      { ...env, RUNPOD_API_KEY: API_KEY },
      { signal: stop.signal },
    );
    expect(json(asJson)).toMatchObject({ error: { name: 'Interrupted', signal }, exitCode: code });
  });

  it('ends a served world cleanly', async () => {
    const { env } = ownHome();
    const stop = new AbortController();
    const told = await podtrack('world --json', env, {
      signal: stop.signal,
      hear: () => stop.abort('SIGINT'),
    });
    expect(told.code).toBe(0);
    expect(told.out).toContain('"restUrl":"http://127.0.0.1:');
  });
});

describe('adopt-key', () => {
  it('takes the key from standard input into a file for its user alone', async () => {
    const { folder, env } = ownHome();
    const told = await podtrack('adopt-key --unchecked', env, { input: `${API_KEY}\n` });
    const path = join(folder, '.config/podtrack/runpod.key');
    expect(told.code, told.err).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(`${API_KEY}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, '.config/podtrack')).mode & 0o777).toBe(0o700);
    expect(told.out).not.toContain(API_KEY);
    const other = await podtrack('adopt-key --unchecked', env, { input: 'rpa_anotherANOTHERanother' });
    expect(other.code).toBe(3);
    expect(readFileSync(path, 'utf8')).toBe(`${API_KEY}\n`);
  });

  it('tries the key first, and refuses one that may not read', async () => {
    const world = await serveWorld({ seed: { apiKey: API_KEY } });
    try {
      const { folder, env } = ownHome();
      const near = { ...env, RUNPOD_API_BASE_URL: world.restUrl };
      const wrong = await podtrack('adopt-key', near, { input: 'rpa_wrongWRONGwrongWRONG' });
      expect(wrong.code).toBeGreaterThan(0);
      expect(existsSync(join(folder, '.config/podtrack/runpod.key'))).toBe(false);
      writeFileSync(join(folder, 'key'), API_KEY);
      const right = json(await podtrack(`adopt-key --from ${join(folder, 'key')} --json`, near));
      expect(right).toMatchObject({ read: 'yes', terminate: 'yes' });
    } finally {
      await world.stop();
    }
  });

  it.each(['', '  \n', 'two words', 'null'])('refuses %j', async (input) => {
    const { env } = ownHome();
    expect((await podtrack('adopt-key --unchecked', env, { input })).code).toBe(2);
  });
});

it('the version is that of the package', () => {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(manifest).toMatchObject({ version: VERSION });
});
