/** Addresses of registries: what is opened, what is shown, what is refused. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { gitEnv } from '../../../src/adapters/git-registry/git-env.ts';
import { parseRemote } from '../../../src/adapters/git-registry/place.ts';
import { ConfigError } from '../../../src/domain/errors.ts';

const root = mkdtempSync(join(tmpdir(), 'podtrack-test-place-'));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

describe('parseRemote', () => {
  it.each([
    ['https://github.com/acme/ci.git', 'https://github.com/acme/ci.git', true],
    ['HTTP://forge.example:8080/a/b', 'http://forge.example:8080/a/b', true],
    ['git@github.com:acme/ci.git', 'git@github.com:acme/ci.git', false],
    ['ssh://git@forge.example:22/acme/ci', 'ssh://git@forge.example:22/acme/ci', false],
    ['ssh://me:secret@forge.example/x', 'ssh://me@forge.example/x', false],
    ['file:///srv/a%20b.git', '/srv/a b.git', false],
    ['/srv/registry.git', '/srv/registry.git', false],
  ])('%s is shown as %s', (text, place, http) => {
    expect(parseRemote(text)).toMatchObject({ place, http });
  });

  it.each([
    'https://user:secret@github.com/acme/ci',
    'https://ghp_secret@github.com/acme/ci',
    'https://',
    'ext::sh -c "touch /tmp/x"',
    'fd::17',
    'ftp://forge.example/x',
    '--upload-pack=touch',
    '',
  ])('%s is refused without being repeated whole', (text) => {
    expect(() => parseRemote(text)).toThrow(ConfigError);
    expect(() => parseRemote(text)).not.toThrow(/secret/);
  });

  it('borrows the objects of a bare and of an ordinary repository on this machine', () => {
    mkdirSync(join(root, 'bare.git', 'objects'), { recursive: true });
    mkdirSync(join(root, 'work', '.git', 'objects'), { recursive: true });
    expect(parseRemote(join(root, 'bare.git')).objects).toBe(join(root, 'bare.git', 'objects'));
    expect(parseRemote(join(root, 'work')).objects).toBe(join(root, 'work', '.git', 'objects'));
    expect(parseRemote(join(root, 'none')).objects).toBeNull();
  });
});

describe('gitEnv', () => {
  const wish = { env: {}, userConfig: false, url: 'https://forge.example/a/b.git', credential: null };
  const config = (env: Record<string, string>): string[] =>
    Array.from(
      { length: Number(env['GIT_CONFIG_COUNT']) },
      (_, index) => `${env[`GIT_CONFIG_KEY_${index}`]}=${env[`GIT_CONFIG_VALUE_${index}`]}`,
    );

  it('lets through what reaches a host and nothing else', () => {
    const env = gitEnv({
      ...wish,
      env: {
        PATH: '/bin',
        HTTPS_PROXY: 'p',
        RUNPOD_API_KEY: 'secret',
        GIT_DIR: '/elsewhere',
        GIT_TRACE_CURL: '1',
        GIT_CONFIG_COUNT: '9',
      },
    });
    expect(env).toMatchObject({
      PATH: '/bin',
      HTTPS_PROXY: 'p',
      LC_ALL: 'C',
      GIT_TERMINAL_PROMPT: '0',
      GIT_CONFIG_GLOBAL: '/dev/null',
    });
    expect(Object.keys(env)).not.toEqual(expect.arrayContaining(['RUNPOD_API_KEY']));
    expect(env['GIT_DIR']).toBeUndefined();
    expect(env['GIT_TRACE_CURL']).toBeUndefined();
    expect(Number(env['GIT_CONFIG_COUNT'])).toBe(config(env).length);
  });

  it('empties the list of headers for the very address before it adds ours', () => {
    const lines = config(gitEnv({ ...wish, credential: { username: 'x', token: 'y' } })).filter((line) =>
      line.includes('extraheader'),
    );
    expect(lines).toEqual([
      'http.https://forge.example/a/b.git.extraheader=',
      'http.https://forge.example/a/b.git.extraheader=AUTHORIZATION: basic eDp5',
    ]);
  });

  it('reads the user’s configuration only when asked to', () => {
    expect(gitEnv({ ...wish, userConfig: true })['GIT_CONFIG_GLOBAL']).toBeUndefined();
  });
});
