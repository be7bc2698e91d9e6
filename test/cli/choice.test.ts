/** Chosen artifacts on the command line: what register was told is what teardown keeps, and explain says what it leaves. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { json, podtrack, podtrackArgs, stage } from './stage.ts';

const POD = 'chosenpod0001';
const BELOW = '/workspace/results';

const onStage = () =>
  stage((login) => ({
    balance: 25,
    pods: [
      {
        id: POD,
        name: 'main',
        sshKeys: [login],
        createdAt: '-10m',
        gpu: { count: 1, util: 97 },
        files: {
          [`${BELOW}/ckpt/model.pt`]: { size: 50_000 },
          [`${BELOW}/ckpt/half.tmp`]: 'half',
          [`${BELOW}/cache/blob`]: 'x',
          [`${BELOW}/log.txt`]: 'done\n',
        },
      },
    ],
  }));

it('register, sync, explain and teardown speak of the chosen files, on a real pod', {
  timeout: 120_000,
}, async () => {
  const on = await onStage();
  const { env } = on;
  const at = (path: string): string => join(env['HOME'] ?? '', path);
  const ok = async (words: readonly string[]) => {
    const told = await podtrackArgs(words, env);
    expect(told.code, `${words.join(' ')}\n${told.out}${told.err}`).toBe(0);
    return told;
  };
  const patterns = ['--include', 'ckpt', '--include', '*.txt', '--exclude', '**/*.tmp'];
  const register = ['register', POD, '--remote-path', BELOW, '--local-path', 'copies', ...patterns, '--json'];
  expect(json(await ok(register))).toMatchObject({ include: ['ckpt', '*.txt'], exclude: ['**/*.tmp'] });

  const synced = await ok(['sync', POD]);
  expect(synced.out).toMatch(/pulled: .*: 2 file\(s\), .*copies; 2 file\(s\) left out by patterns/);
  expect(existsSync(at('copies/ckpt/model.pt'))).toBe(true);
  expect(existsSync(at('copies/cache'))).toBe(false);

  const other = json(await ok(['sync', POD, '--include', 'cache', '--local-path', 'cache-only', '--json']));
  expect(other).toMatchObject({ files: 1, leftOut: 3, verified: true, recorded: false });
  expect(readFileSync(at('cache-only/cache/blob'), 'utf8')).toBe('x');
  expect(existsSync(at('copies/log.txt'))).toBe(true);

  const explained = await ok(['explain', POD]);
  expect(explained.out).toMatch(
    /artifacts below \/workspace\/results, only ckpt \*\.txt, without \*\*\/\*\.tmp: 2 file\(s\) mirrored/,
  );

  const ended = await ok(['teardown', POD]);
  expect(ended.out).toMatch(
    /2 artifact file\(s\) verified and kept \(.*copies\); 2 file\(s\) left out by patterns/,
  );
  expect(on.world.world.pods.has(POD)).toBe(false);
});

it.each([
  ['register', `register ${POD} --remote-path /r --include /workspace/r`, '--include', 'absolute'],
  ['register', `register ${POD} --remote-path /r --exclude ../x`, '--exclude', 'leads out'],
  ['register', `register ${POD} --remote-path /r --exclude !x`, '--exclude', 'negation'],
  ['teardown', `teardown ${POD} --include a//b`, '--include', 'empty part'],
  ['sync', `sync ${POD} --include ckpt`, '--local-path', 'other files than those that are mirrored'],
])('%s: "%s" ends with 2 and names %s', async (_verb, words, flag, says) => {
  const on = await onStage();
  const told = await podtrack(words, on.env);
  expect(told.code).toBe(2);
  expect(told.err).toContain(flag);
  expect(told.err).toContain(says);
  expect(on.world.requests()).toEqual([]);
});

it('an empty pattern is no pattern, and not the same as none', async () => {
  const on = await onStage();
  const told = await podtrackArgs(['register', POD, '--remote-path', '/r', '--include', ''], on.env);
  expect(told).toMatchObject({ code: 2, err: expect.stringContaining('no line of it is a pattern') });
});
