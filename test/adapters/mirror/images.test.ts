/** Images that have other tools, or lack some: the mirror works with BusyBox and any SHA-256 tool, and names what is missing. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { localTree } from '../../../src/adapters/ssh/mirror/local-tree.ts';
import { sshMirror } from '../../../src/adapters/ssh-mirror.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import type { Pulled } from '../../../src/domain/artifacts.ts';
import { WorldError } from '../../../src/domain/errors.ts';
import { component, suiteWith } from '../../components.ts';
import { quiet } from '../shell/house.ts';
import { sha256 } from './crafted.ts';
import { type PodFolder, podFolder } from './pod-folder.ts';

const GNU = ['sh', 'dd', 'find', 'xargs', 'tar', 'stat', 'sha256sum', 'readlink', 'wc', 'cat'] as const;
const folders: string[] = [];
const pods: PodFolder[] = [];

afterEach(async () => {
  for (const pod of pods.splice(0)) await pod.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function found(tool: string): string {
  const folder = ['/usr/bin', '/bin'].find(
    (each) => localTree(each).files.has(tool) || localTree(each).links.has(tool),
  );
  if (folder === undefined) throw new Error(`this machine has no ${tool}`);
  return join(folder, tool);
}

/** A PATH with these tools and no others: name → the program behind it. */
function image(tools: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'podtrack-image-'));
  folders.push(folder);
  for (const [name, program] of Object.entries(tools)) symlinkSync(program, join(folder, name));
  return folder;
}

function gnuWithout(...missing: readonly string[]): Record<string, string> {
  return Object.fromEntries(GNU.filter((tool) => !missing.includes(tool)).map((tool) => [tool, found(tool)]));
}

async function podWith(path: string): Promise<PodFolder> {
  const pod = await podFolder(path);
  pods.push(pod);
  return pod;
}

const FILES = {
  'loss.csv': '1\n',
  'new\nline': 'odd',
  'back\\slash': 'odd too',
  '-n': 'dash',
  empty: '',
  'é/deep': 'x'.repeat(3000),
};

async function pullFrom(pod: PodFolder): Promise<Pulled> {
  pod.lay(FILES);
  pod.link('latest', 'loss.csv');
  const mirror = sshMirror({ root: pod.here, clock: systemClock(), log: quiet });
  return mirror.pull(pod.session, pod.spec());
}

function expectWhole(pulled: Pulled): void {
  const expected = Object.entries(FILES).map(([path, text]) => ({
    path,
    size: Buffer.byteLength(text),
    sha256: sha256(text),
  }));
  const byPath = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : 1);
  expect(pulled.remote.files.toSorted(byPath)).toEqual(expected.toSorted(byPath));
  expect([pulled.files, pulled.refused, pulled.moving]).toEqual([expected.length, [], []]);
  expect(localTree(pulled.place).links.get('latest')).toBe('loss.csv');
}

suiteWith(['busybox', 'dash', 'bash', 'mksh'], 'shells and tool sets', () => {
  const busybox = component('busybox') ?? '';
  const applets = Object.fromEntries(GNU.map((tool) => [tool, busybox]));
  const kinds: readonly (readonly [string, () => Record<string, string>])[] = [
    ['BusyBox for everything', () => applets],
    ['GNU tools under dash', () => ({ ...gnuWithout(), sh: component('dash') ?? '' })],
    ['GNU tools under bash', () => ({ ...gnuWithout(), sh: component('bash') ?? '' })],
    [
      'GNU tools under mksh',
      () => ({ ...gnuWithout(), sh: component('mksh') ?? '', printf: found('printf') }),
    ],
    ['no stat', () => gnuWithout('stat')],
    ['neither rsync nor cat', () => gnuWithout('rsync', 'cat')],
    [
      'BusyBox without stat',
      () => Object.fromEntries(Object.entries(applets).filter(([name]) => name !== 'stat')),
    ],
    ['SHA-256 from busybox by name', () => ({ ...gnuWithout('sha256sum'), busybox })],
  ];
  it.each(kinds)('%s: everything arrives and is verified (case C29)', async (_, tools) => {
    expectWhole(await pullFrom(await podWith(image(tools()))));
  });
});

describe('an image with another SHA-256 tool', () => {
  /** What openssl and shasum print, by a script of our own: neither need be on this machine. */
  const speaking = (name: string, line: string): string => {
    const folder = mkdtempSync(join(tmpdir(), 'podtrack-tool-'));
    folders.push(folder);
    const loop = `for f do case $f in dgst|-sha256|-r|-a|256) ;; *) read=1; d=$(${found('sha256sum')} <"$f"); ${line} ;; esac; done`;
    const stdin = `[ -n "\${read:-}" ] || { f=-; d=$(${found('sha256sum')}); ${line}; }`;
    writeFileSync(join(folder, name), `#!/bin/sh\n${loop}\n${stdin}\n`, { mode: 0o755 });
    return join(folder, name);
  };

  it.each([
    ['openssl', '%s *%s'],
    ['shasum', '%s  %s'],
  ])('%s is taken where sha256sum is missing', async (name, format) => {
    const line = `printf "${format}\\n" "\${d%% *}" "$f"`;
    const tools = { ...gnuWithout('sha256sum'), [name]: speaking(name, line) };
    expectWhole(await pullFrom(await podWith(image(tools))));
  });
});

suiteWith(['python3'], 'an image with Python and no SHA-256 tool', () => {
  const where = ['-c', 'import sys; print(sys.executable)'];
  const python = (): string =>
    execFileSync(component('python3') ?? 'python3', where, { encoding: 'utf8' }).trim();

  it.each(['python3', 'python'])('is served by a program that we carry over (%s)', async (name) => {
    expectWhole(await pullFrom(await podWith(image({ ...gnuWithout('sha256sum'), [name]: python() }))));
  });
});

describe('an image that lacks a tool', () => {
  it.each(['tar', 'find', 'xargs', 'sha256sum'])(
    '%s: says so by name, and pulls nothing (case C29)',
    async (tool) => {
      const pod = await podWith(image(gnuWithout(tool)));
      const error: unknown = await pullFrom(pod).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(WorldError);
      expect(String(error)).toContain(`lacks ${tool}`);
      expect(localTree(pod.here).files.size).toBe(0);
    },
  );

  it('says that it is not ready, without looking at a single file; an image with everything is (case C29)', async () => {
    const bare = await podWith(image(gnuWithout('tar')));
    const mirror = sshMirror({ root: bare.here, clock: systemClock(), log: quiet });
    await expect(mirror.ready(bare.session)).rejects.toThrow('lacks tar');
    const full = await podWith(image(gnuWithout()));
    await expect(mirror.ready(full.session)).resolves.toBeUndefined();
  });

  it('tells it already at the first look, before any job ran', async () => {
    const pod = await podWith(image(gnuWithout('tar', 'sha256sum')));
    const mirror = sshMirror({ root: pod.here, clock: systemClock(), log: quiet });
    await expect(mirror.manifest(pod.session, pod.spec())).rejects.toThrow('lacks tar, sha256sum');
  });
});

describe('a pod where not everything may be read', () => {
  it('has its artifact root closed: an error, not an empty tree', async () => {
    const pod = await podWith(process.env['PATH'] ?? '');
    rmSync(pod.results, { recursive: true });
    mkdirSync(join(pod.root, 'workspace', 'elsewhere'));
    symlinkSync('nowhere', pod.results);
    const mirror = sshMirror({ root: pod.here, clock: systemClock(), log: quiet });
    await expect(mirror.manifest(pod.session, pod.spec())).rejects.toMatchObject({ failure: 'not-found' });
  });
});
