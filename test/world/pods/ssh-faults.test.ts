/** The faults of a pod's SSH side, each seen by a real client as the field reports it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PodAddress } from '../../../src/world/pod-hosts.ts';
import { createFolderPodHosts, type FolderPodHosts } from '../../../src/world/pods/folder-pod-hosts.ts';
import { hostedPod, type Visit, visit } from './ssh-visitor.ts';

const id = 'p0d0000000test';
let hosts: FolderPodHosts;
let address: PodAddress;

beforeAll(async () => {
  hosts = await createFolderPodHosts();
});
beforeEach(async () => {
  address = await hosts.start(hostedPod());
});
afterAll(async () => {
  await hosts.close();
});

const failure = async (attempt: Promise<Visit>): Promise<{ code?: string; level?: string }> =>
  await attempt.then(
    (guest) => {
      guest.end();
      return {};
    },
    (cause: { code?: string; level?: string }) => cause,
  );
const closed = (guest: Visit) => new Promise<void>((resolve) => guest.client.once('close', () => resolve()));

describe('a dropped port', () => {
  it('cuts who is in, refuses who comes, and opens again at the same place', async () => {
    const guest = await visit(address);
    const cut = closed(guest);
    await hosts.dropSsh(id);
    await cut;
    expect((await failure(visit(address))).code).toBe('ECONNREFUSED');
    await hosts.restoreSsh(id);
    expect(await failure(visit(address))).toEqual({});
  });
});

describe('a frozen server', () => {
  it('takes the connection and says nothing', async () => {
    hosts.freezeSsh(id, true);
    expect((await failure(visit(address, { readyTimeout: 300 }))).level).toBe('client-timeout');
    hosts.freezeSsh(id, false);
    expect(await failure(visit(address))).toEqual({});
  });

  it('falls silent towards who is in already, whose keepalive tells him', async () => {
    const guest = await visit(address, { keepaliveInterval: 50, keepaliveCountMax: 2 });
    const told = new Promise<{ level?: string }>((resolve) => guest.client.once('error', resolve));
    hosts.freezeSsh(id, true);
    expect((await told).level).toBe('client-timeout');
    hosts.freezeSsh(id, false);
  });
});

describe('a refused login', () => {
  it('is told from a missing route, and ends when it is taken back', async () => {
    hosts.refuseLogin(id, true);
    expect((await failure(visit(address))).level).toBe('client-authentication');
    hosts.refuseLogin(id, false);
    expect(await failure(visit(address))).toEqual({});
  });
});

describe('a swapped host key', () => {
  it('shows without a restart: same port, other key, who is in stays in', async () => {
    const before = await visit(address);
    expect(before.hostKey).toBe(hosts.fingerprint(id));
    const fingerprint = await hosts.swapHostKey(id);
    const after = await visit(address);
    expect(after.hostKey).toBe(fingerprint);
    expect(after.hostKey).not.toBe(before.hostKey);
    expect((await before.exec('echo here')).stdout.toString()).toBe('here\n');
    before.end();
    after.end();
  });
});

describe('a stalled transfer', () => {
  it('brings so many bytes and no end, while other commands on the connection still answer', async () => {
    const guest = await visit(address);
    hosts.stallTransfer(id, 1000);
    const got = await new Promise<number>((resolve, reject) => {
      guest.client.exec(
        `i=0; while [ $i -lt 5000 ]; do printf '%0100d' 0; i=$((i + 1)); done`,
        (cause, channel) => {
          if (cause !== undefined) reject(cause);
          let bytes = 0;
          channel.on('close', () => reject(new Error('ended')));
          channel.on('data', (part: Buffer) => {
            bytes += part.length;
            if (bytes >= 1000)
              void guest.exec('echo alive').then((heard) => resolve(heard.code === 0 ? bytes : -1), reject);
          });
        },
      );
    });
    expect(got).toBe(1000);
    hosts.stallTransfer(id, null);
    expect((await guest.exec('head -c 5000 /dev/zero')).stdout.length).toBe(5000);
    guest.end();
  });
});

describe('noise and delay', () => {
  it('come before the command’s own output and change no exit code', async () => {
    hosts.setNoise(id, 'Welcome!\n');
    hosts.delaySsh(id, { loginMs: 1, execMs: 1 });
    const guest = await visit(address);
    const heard = await guest.exec('echo own; exit 4');
    expect([heard.stdout.toString(), heard.code]).toEqual(['Welcome!\nown\n', 4]);
    hosts.setNoise(id, '');
    hosts.delaySsh(id, { loginMs: 0, execMs: 0 });
    guest.end();
  });
});

describe('a watch', () => {
  it('is told of logins and commands before and after, and what it silences is not done', async () => {
    const seen: string[] = [];
    hosts.watchSsh(id, (when, what) => {
      seen.push(`${when} ${what}`);
      return when === 'before' && what.includes('never');
    });
    const guest = await visit(address);
    await guest.exec('touch ~/once');
    guest.exec('touch ~/never').catch(() => undefined);
    await vi.waitFor(() => expect(seen.at(-1)).toBe('before ssh touch ~/never'));
    guest.end();
    hosts.watchSsh(id, null);
    expect(seen).toEqual([
      'before ssh login',
      'after ssh login',
      'before ssh touch ~/once',
      'after ssh touch ~/once',
      'before ssh touch ~/never',
    ]);
    expect(await hosts.run(id, 'ls ~/once ~/never')).toMatchObject({
      stdout: expect.stringContaining('once'),
      code: 2,
    });
  });
});

describe('the proxy', () => {
  it('runs no command without a terminal', async () => {
    const guest = await visit(await hosts.openProxy(id), { username: `${id}-64410abc` });
    const heard = await guest.exec('echo done');
    expect([heard.stdout.toString(), heard.code]).toEqual([
      "Error: Your SSH client doesn't support PTY\n",
      1,
    ]);
    guest.end();
  });

  it('drops a command given with a terminal and offers a shell instead', async () => {
    const guest = await visit(await hosts.openProxy(id), { username: `${id}-64410abc` });
    const told = await new Promise<string>((resolve, reject) => {
      guest.client.exec('touch ~/proof', { pty: true }, (cause, channel) => {
        if (cause !== undefined) reject(cause);
        let text = '';
        channel.on('data', (bytes: Buffer) => (text += bytes.toString()));
        channel.on('close', () => resolve(text));
        channel.write('ls ~\r\x04');
      });
    });
    expect(told).not.toContain('proof');
    guest.end();
  });
});

describe('a pod without a door', () => {
  it.each([
    ['declares no 22/tcp', { ports: ['8888/http'] }],
    ['replaces the start script', { args: "bash -lc 'sleep infinity'" }],
  ])('has a closed port when it %s', async (_name, change) => {
    expect((await failure(visit(await hosts.start(hostedPod({ id: 'nodoor', ...change }))))).code).toBe(
      'ECONNREFUSED',
    );
  });
});

describe('a command on a pod whose disk has gone', () => {
  it('fails with a text instead of hanging', async () => {
    const guest = await visit(address);
    await guest.exec('rm -r ~');
    const heard = await guest.exec('echo hi');
    expect(heard.code).toBe(255);
    expect(heard.stderr).toContain('ENOENT');
    guest.end();
  });
});
