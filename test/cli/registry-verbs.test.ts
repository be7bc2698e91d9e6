/** The verbs about the registry itself, and the documented one-liners of plain git, on a real bare repository. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gitRegistry } from '../../src/adapters/git-registry.ts';
import { nodeChance } from '../../src/adapters/node-chance.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { podPath } from '../../src/domain/registry/layout.ts';
import { handsOn } from '../adapters/registry/place-under-test.ts';
import { recordOf, register, settle, sha256 } from '../domain/registry/record-maker.ts';
import { json, ownHome, podtrack } from './stage.ts';

/** A default registry of two pods, without any provider. */
async function withRegistry() {
  const { folder, env } = ownHome();
  const remote = join(folder, '.local/share/podtrack/registry.git');
  const clock = systemClock();
  const store = gitRegistry({
    remote,
    scratchFolder: join(folder, 'scratch'),
    clock,
    chance: nodeChance(),
    repository: null,
    createMissing: true,
  });
  await store.submit([register('abc')]);
  await store.submit([settle('abc', { note: 'seen' }), register('other', { record: recordOf('other') })]);
  const run = async (words: string, code = 0) => {
    const told = await podtrack(words, env);
    expect(told.code, `${words}\n${told.out}${told.err}`).toBe(code);
    return told;
  };
  return { folder, env, remote, store, run };
}

it('events are one per operation, for a pod or since a moment', { timeout: 60_000 }, async () => {
  const { run } = await withRegistry();
  const { events } = json(await run('events --since 1h --json')) as { events: Record<string, unknown>[] };
  expect(events.map(({ op, pod, seq }) => [op, pod, seq])).toEqual([
    ['register', 'runpod.abc', 1],
    ['settle', 'runpod.abc', 2],
    ['register', 'runpod.other', 2],
  ]);
  expect(Object.keys(events[0] ?? {}).sort()).toEqual([
    'actors',
    'at',
    'detail',
    'headline',
    'key',
    'op',
    'pod',
    'rev',
    'runs',
    'seq',
    'version',
  ]);
  expect((await run('events --since 1h --pod other')).out.trim().split('\n')).toHaveLength(1);
  expect((await run('events --since 2199-01-01T00:00:00Z')).out).toContain('nothing happened');
  await run('events --since yesterday', 2);
  await run('events', 2);
  await run('replay 0000000', 2);
});

it('a damaged file is shown by list, and restored by repair', { timeout: 60_000 }, async () => {
  const { run, remote } = await withRegistry();
  const path = podPath('runpod.abc', sha256);
  handsOn(remote).edit(path, '{"schemaVersion": 1, oops');
  handsOn(remote).edit('pods/zz/stray.json', '[]');
  const listed = await run('list --offline');
  expect(listed.out).toContain(`damaged: ${path}: not JSON`);
  expect(listed.out).toContain('its last valid version counts');
  expect(json(await run('list --offline --json'))).toMatchObject({
    damaged: [{ path }, { path: 'pods/zz/stray.json' }],
  });
  expect((await run('repair abc --reason "a bad merge"')).out).toContain('repaired');
  expect((await run('repair --all --reason "a bad merge"', 1)).out).toContain(
    'no valid version of it is known',
  );
  expect((await run('repair --all --discard --reason "a bad merge"')).out).toContain('discarded');
  expect((await run('list --offline')).out).not.toContain('damaged');
  expect((await run('history')).out).toMatch(/repair runpod\.abc: a bad merge/);
  await run('repair abc --reason again', 2);
});

it('a registry moves as one document, and what lies elsewhere is not overwritten', {
  timeout: 60_000,
}, async () => {
  const { run, folder } = await withRegistry();
  const file = join(folder, 'registry.json');
  writeFileSync(file, (await run('export --json')).out);
  execFileSync('git', ['init', '--quiet', '--bare', join(folder, 'new.git')]);
  const there = `--registry ${join(folder, 'new.git')}`;
  expect((await run(`import ${file} ${there}`)).out).toContain('imported: 2 record(s)');
  const again = JSON.parse((await run(`export --json ${there}`)).out);
  const before = JSON.parse(readFileSync(file, 'utf8'));
  expect(again.pods).toEqual(before.pods);
  expect(again.meta.registryId).toBe(before.meta.registryId);
  expect((await run(`import ${file} ${there}`, 3)).err).toContain('--merge');
  expect((await run(`import ${file} ${there} --merge`)).out).toContain('2 record(s) were newer here');
});

it('compact keeps history and events whole', { timeout: 60_000 }, async () => {
  const { run, remote } = await withRegistry();
  await run('compact', 2);
  expect((await run('compact --reason "grown"')).out).toContain('refs/podtrack/archive/1');
  expect(
    execFileSync('git', ['-C', remote, 'rev-list', '--count', 'podtrack'], { encoding: 'utf8' }).trim(),
  ).toBe('1');
  const told = (await run('history')).out
    .trim()
    .split('\n')
    .map((line) => line.split(' ').slice(2).join(' '));
  expect(told.map((line) => line.split(' ')[0])).toEqual(['register', '2', 'compact']);
  expect((json(await run('events --since 1h --json'))['events'] as unknown[]).length).toBe(4);
});

it('the documented commands of plain git tell what they are said to tell', { timeout: 60_000 }, async () => {
  const { run, remote } = await withRegistry();
  await run('compact --reason "grown"');
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/registry.md'), 'utf8');
  const commands = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, text = '']) =>
    text.trim().split('\n'),
  );
  const ran = commands
    .filter((line) => line.startsWith('git '))
    .map((line) => {
      const out = execFileSync('sh', ['-ec', line.replaceAll('origin', '.')], {
        cwd: remote,
        encoding: 'utf8',
      });
      return [line, out.trim().split('\n').length] as const;
    });
  expect(ran.length).toBeGreaterThanOrEqual(5);
  expect(ran.filter(([, lines]) => lines < 1)).toEqual([]);
  expect(
    execFileSync('sh', ['-ec', commands.find((line) => line.includes('grep')) ?? 'false'], {
      cwd: remote,
      encoding: 'utf8',
    }),
  ).toMatch(/settle pod=runpod\.abc/);
});
