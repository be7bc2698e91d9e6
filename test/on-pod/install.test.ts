/** Planting the switch: where it may live, what is refused, what is left behind, whose key it carries and who can see it. */
import { execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { KEY, PodStand, until, withEachTool } from './pod-stand.ts';
import { json, noContent, ProviderStand, problem, unauthorized } from './provider-stand.ts';

const open: { close(): Promise<void> }[] = [];
let pod: PodStand;
afterEach(async () => {
  await pod.close();
  for (const one of open.splice(0)) await one.close();
});

async function providerAt(
  table: ConstructorParameters<typeof ProviderStand>[0],
): Promise<[ProviderStand, string]> {
  const provider = new ProviderStand(table);
  open.push(provider);
  return [provider, await provider.listen()];
}

/** Every regular file below a folder that holds this text. */
function holding(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file, 'latin1').includes(text));
}

describe('places in memory', () => {
  const shm = (options: string): string => `tmpfs /dev/shm tmpfs ${options} 0 0`;

  it('starts its scripts through sh, so that noexec does not matter, and keeps all of it to its user (case C24)', async () => {
    pod = new PodStand({ mounts: [shm('rw,nosuid,nodev,noexec,relatime,size=65536k')] });
    const planted = await pod.install({});
    expect(planted.said.get('armed'), planted.stdout).toBe('yes');
    expect(planted.said.get('place')).toBe('/dev/shm/podtrack');
    expect(statSync(pod.ram).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(pod.ram))
      expect([name, statSync(join(pod.ram, name)).mode & 0o077]).toEqual([name, 0]);
  });

  const useless: readonly (readonly [string, readonly string[], string])[] = [
    ['absent', ['overlay / overlay rw 0 0'], '/dev/shm:not-mounted'],
    ['read-only', [shm('ro,nosuid,nodev,noexec,relatime')], '/dev/shm:read-only'],
    ['not a tmpfs', ['overlay / overlay rw 0 0', 'overlay /dev/shm overlay rw 0 0'], '/dev/shm:not-memory'],
    ['covered by a disk', [shm('rw'), '/dev/vda /dev/shm ext4 rw 0 0'], '/dev/shm:not-memory'],
  ];
  it.each(useless)(
    'refuses with its reason when /dev/shm is %s, and leaves nothing (case C24)',
    async (_name, mounts, reason) => {
      pod = new PodStand({ mounts });
      const planted = await pod.install({});
      expect(planted.exit).toBe(3);
      expect(planted.said.get('refused')).toBe(`no-ram,${reason},/run:not-mounted,/tmp:not-mounted`);
      expect(planted.said.get('armed')).toBe('no');
      expect(holding(pod.root, KEY)).toEqual([]);
      expect(pod.processes()).toEqual([]);
    },
  );

  it('takes the next place that is memory (case C24)', async () => {
    pod = new PodStand({ mounts: [shm('ro'), 'tmpfs /run tmpfs rw 0 0'] });
    const planted = await pod.install({});
    expect(planted.said.get('armed'), planted.stdout).toBe('yes');
    expect(planted.said.get('place')).toBe('/run/podtrack');
  });

  it('trusts no folder or link that somebody else laid there', async () => {
    pod = new PodStand();
    mkdirSync(join(pod.root, 'elsewhere'));
    symlinkSync(join(pod.root, 'elsewhere'), pod.ram);
    const planted = await pod.install({});
    expect(planted.said.get('refused')).toContain('/dev/shm:not-ours');
    expect(readdirSync(join(pod.root, 'elsewhere'))).toEqual([]);
  });

  it('leaves no half-written key when memory is full, and the switch that was there goes on (case C24)', async () => {
    pod = new PodStand();
    await pod.install({ owner_uuid: 'the-first' });
    const { watchdog, supervisor } = { watchdog: pod.pidOf('watchdog'), supervisor: pod.pidOf('supervisor') };
    pod.before = "trap '' XFSZ; ulimit -f 16; ";
    const planted = await pod.install({ owner_uuid: 'the-second' }, `${KEY}2`);
    expect(planted.said.get('refused')).toContain('/dev/shm:no-room');
    expect(planted.said.get('armed')).toBe('yes');
    expect(planted.said.get('owner_uuid')).toBe('the-first');
    expect([pod.pidOf('watchdog'), pod.pidOf('supervisor')]).toEqual([watchdog, supervisor]);
    expect(readdirSync(pod.ram).filter((name) => name.endsWith('.new'))).toEqual([]);
    expect(holding(pod.root, `${KEY}2`)).toEqual([]);
  });
});

describe('what is refused', () => {
  const words: readonly (readonly [string, string, string])[] = [
    ['pod_id', '../v2/pods', 'bad-pod_id'],
    ['pod_id', 'a"}) { id } }', 'bad-pod_id'],
    ['rest', 'ftp://127.0.0.1', 'bad-rest'],
    ['rest', 'https://key@api.example', 'bad-address'],
    ['graphql', '', 'bad-graphql'],
    ['registry_id', 'a\nb', 'bad-registry_id'],
    ['tick', '0', 'bad-tick'],
    ['tick', '3600', 'bad-tick'],
    ['backoff_last', '86400', 'bad-backoff_last'],
    ['pull_margin', '', 'bad-pull_margin'],
    ['stop_in', '6000', 'bad-stop_in'],
    ['colour', 'red', 'unknown-word'],
  ];
  it('is every word that could mean something else to a line, a URL or a request', async () => {
    pod = new PodStand();
    for (const [name, value, reason] of words) {
      const planted = await pod.install({ [name]: value });
      expect([name, value, planted.said.get('refused'), planted.exit]).toEqual([name, value, reason, 3]);
    }
    expect(existsSync(pod.ram)).toBe(false);
  });

  it('is a key that would change a header, and no key at all', async () => {
    pod = new PodStand();
    for (const key of ['', 'two words here', 'a"b"c"d"', 'x\\ny\\nzz', 'k'.repeat(600)]) {
      expect((await pod.install({}, key)).said.get('refused')).toBe('no-key');
    }
    const planted = await pod.install({}, `${KEY}\r`);
    expect(planted.said.get('armed'), planted.stdout).toBe('yes');
    expect(pod.held('credential')).toBe(`${KEY}\n`);
  });

  it('is an image without an HTTP tool; BusyBox wget, which takes headers only as arguments, is none (cases C23, C25)', async () => {
    pod = new PodStand({ without: ['curl', 'wget', 'python3', 'runpodctl'] });
    expect((await pod.install({})).said.get('refused')).toBe('no-http-tool');
    pod.program('wget', '#!/bin/sh\necho "BusyBox v1.35.0 () multi-call binary." >&2\nexit 1\n');
    expect((await pod.install({})).said.get('refused')).toBe('no-http-tool');
  });
});

describe('the key of the pod itself', () => {
  it('is taken from the first process, or from the file that the start script writes', async () => {
    pod = new PodStand({ injectedKey: 'rpa_FROMENVIRON' });
    expect((await pod.install({ key_source: 'injected' }, '')).said.get('armed')).toBe('yes');
    expect(pod.held('credential')).toBe('rpa_FROMENVIRON\n');
    await pod.close();
    pod = new PodStand();
    writeFileSync(
      join(pod.root, 'etc/rp_environment'),
      'export A="b"\nexport RUNPOD_API_KEY="rpa_FROMFILE"\n',
    );
    expect((await pod.install({ key_source: 'injected' }, '')).said.get('armed')).toBe('yes');
    expect(pod.held('credential')).toBe('rpa_FROMFILE\n');
  });
});

describe('the check of a key', () => {
  const check = async (url: string, source = 'given'): ReturnType<PodStand['run']> =>
    pod.run(
      'switch',
      ['check', 'pod_id=abc', `rest=${url}`, `graphql=${url}/graphql`, `key_source=${source}`],
      `${KEY}\n`,
    );

  it('finds out before the job starts that a key may look but not touch, without harm and without a trace', async () => {
    const [provider, url] = await providerAt({
      get: () => json({ id: 'abc', status: 'RUNNING' }),
      delete: () => problem(403, 'key has read permission only'),
      graphql: () => unauthorized,
    });
    pod = new PodStand();
    const { said } = await check(url);
    expect([said.get('read_rest'), said.get('end_rest')]).toEqual(['ok', '403']);
    expect([said.get('read_graphql'), said.get('end_graphql')]).toEqual(['unauthorized', 'unauthorized']);
    const changing = provider.asked.filter((one) => one.method !== 'GET' && !one.body.includes('query {'));
    for (const one of changing) expect(one.path + one.body).toContain('podtrack-no-such-pod');
    expect(existsSync(pod.ram)).toBe(false);
  });

  it('tells a name that does not resolve and a connection that is refused from a key that is refused', async () => {
    pod = new PodStand();
    expect((await check('http://127.0.0.1:9')).said.get('end_rest')).toBe('no-connection');
    expect((await check('http://no-such-host.invalid')).said.get('end_rest')).toBe('no-such-host');
    expect((await check('http://127.0.0.1:9', 'injected')).said.get('key')).toBe('absent');
  });
});

describe('who can see the key', () => {
  withEachTool((without) => {
    it('is nobody: it is in no argument, environment, record or file outside memory while an answer is awaited (case C25)', async () => {
      let answer: () => void = () => undefined;
      const held = new Promise<void>((done) => {
        answer = done;
      });
      const [provider, url] = await providerAt({
        delete: () => held.then(() => noContent),
        get: () => problem(500, 'x'),
      });
      pod = new PodStand({ clock: 1000, without });
      await pod.install({ rest: url, graphql: `${url}/graphql` });
      pod.setClock(3000);
      await pod.wakeUntil('the request', () => provider.count('DELETE') === 1);
      const pids = pod.processes();
      expect(pids.length).toBeGreaterThanOrEqual(3);
      for (const pid of pids) {
        expect(readIfThere(`/proc/${pid}/cmdline`)).not.toContain(KEY);
        expect(readIfThere(`/proc/${pid}/environ`)).not.toContain(KEY);
      }
      const files = holding(pod.root, KEY);
      expect(files.every((file) => file.startsWith(pod.ram))).toBe(true);
      for (const file of files) expect(statSync(file).mode & 0o077).toBe(0);
      expect(pod.held('record')).not.toContain(KEY);
      answer();
    });
  });
});

describe('going away', () => {
  it('takes processes, key and folder with it', async () => {
    pod = new PodStand();
    await pod.install({});
    const gone = await pod.run('switch', ['disarm']);
    expect(gone.said.get('reason')).toBe('not-installed');
    expect(existsSync(pod.ram)).toBe(false);
    await until('no process', () => pod.processes().length === 0);
    expect(holding(pod.root, KEY)).toEqual([]);
  });
});

describe('another user', () => {
  const nobody = 65_534;
  const root = process.getuid?.() === 0;
  const needs = root ? '' : ' [needs root]';
  it.skipIf(!root)(`arms and reads it without being root (case C23)${needs}`, async () => {
    pod = new PodStand();
    execFileSync('chown', ['-R', `${nobody}:${nobody}`, pod.root]);
    pod.user = nobody;
    const planted = await pod.install({});
    expect(planted.said.get('armed'), planted.stdout + planted.stderr).toBe('yes');
    expect((await pod.status()).said.get('armed')).toBe('yes');
  });

  it.skipIf(!root)(`does not take the switch of another for its own${needs}`, async () => {
    pod = new PodStand();
    await pod.install({});
    chownSync(pod.ram, nobody, nobody);
    expect((await pod.status()).said.get('reason')).toBe('not-installed');
    chownSync(pod.ram, 0, 0);
  });
});

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // Ended between the look and the read.
  }
}
