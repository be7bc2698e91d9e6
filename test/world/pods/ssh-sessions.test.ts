/** Sessions on a pod of the world, seen by a real ssh2 client: streams, exit codes, signals, channels, logins. */
import { once } from 'node:events';
import ssh2, { type ClientChannel } from 'ssh2';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PodAddress } from '../../../src/world/pod-hosts.ts';
import { createFolderPodHosts, type FolderPodHosts } from '../../../src/world/pods/folder-pod-hosts.ts';
import { makeOpensshKey } from '../../../src/world/pods/openssh-key.ts';
import { hostedPod, type Visit, visit, visitorKey } from './ssh-visitor.ts';

let hosts: FolderPodHosts;
let address: PodAddress;
let guest: Visit;

beforeAll(async () => {
  process.env['A_HOST_SECRET'] = 'hunter2';
  hosts = await createFolderPodHosts();
  address = await hosts.start(hostedPod());
  guest = await visit(address);
});
afterAll(async () => {
  delete process.env['A_HOST_SECRET'];
  guest.end();
  await hosts.close();
});

describe('a command', () => {
  it('gives its three results apart', async () => {
    const heard = await guest.exec('echo out; echo err >&2; exit 7');
    expect({ ...heard, stdout: heard.stdout.toString() }).toEqual({
      code: 7,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
    });
  });

  it('reads stdin to its end, byte for byte', async () => {
    const input = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7) % 256));
    const heard = await guest.exec('cat', input);
    expect(heard.stdout.equals(input)).toBe(true);
  });

  it('brings large output whole on both streams', async () => {
    const heard = await guest.exec('head -c 9000000 /dev/zero; head -c 100000 /dev/zero | tr "\\0" e >&2');
    expect([heard.stdout.length, heard.stderr.length, heard.code]).toEqual([9_000_000, 100_000, 0]);
  });

  it('whose both streams wait for a slow reader loses and repeats nothing', async () => {
    const script =
      'head -c 9000000 /dev/zero & until [ -e full ]; do sleep 0.01; done; head -c 100000 /dev/zero >&2; : >both; wait';
    const channel = await new Promise<ClientChannel>((resolve, reject) => {
      guest.client.exec(script, (cause, opened) => (cause === undefined ? resolve(opened) : reject(cause)));
    });
    // Nothing is read until stdout has filled the window and stderr waits behind it.
    await vi.waitFor(() => expect(channel).toHaveProperty('incoming.window', 0), 20_000);
    await guest.exec(': >full; until [ -e both ]; do sleep 0.01; done');
    const heard = { stdout: 0, stderr: 0 };
    channel.on('data', (bytes: Buffer) => (heard.stdout += bytes.length));
    channel.stderr.on('data', (bytes: Buffer) => (heard.stderr += bytes.length));
    await once(channel, 'close');
    expect(heard).toEqual({ stdout: 9_000_000, stderr: 100_000 });
  });

  it('whose client closes the channel in the middle of its output harms nobody', async () => {
    const script = 'while :; do head -c 60000 /dev/zero; head -c 100 /dev/zero >&2; done';
    for (const _round of [1, 2, 3]) {
      const channel = await new Promise<ClientChannel>((resolve, reject) => {
        guest.client.exec(script, (cause, opened) => (cause === undefined ? resolve(opened) : reject(cause)));
      });
      channel.stderr.resume();
      await once(channel, 'data');
      channel.close();
      channel.resume();
      await once(channel, 'close');
    }
    expect(await guest.exec('echo still here')).toMatchObject({ code: 0 });
  });

  it('that never reads its stdin still ends', async () => {
    const heard = await guest.exec('exit 3', Buffer.alloc(9_000_000));
    expect(heard.code).toBe(3);
  });

  it('names the signal that ended it', async () => {
    const heard = await guest.exec('kill -TERM $$');
    expect([heard.code, heard.signal]).toEqual([null, 'SIGTERM']);
  });

  it('takes a signal from the client', async () => {
    const signal = await new Promise((resolve, reject) => {
      guest.client.exec('echo ready; sleep 1000', (cause, channel) => {
        if (cause !== undefined) reject(cause);
        channel.on('data', () => channel.signal('KILL'));
        channel.on('exit', (_code: number | null, name?: string) => resolve(name));
      });
    });
    expect(signal).toBe('SIGKILL');
  });

  it('leaves running in the background what let go of its streams', async () => {
    const heard = await guest.exec('sleep 1000 </dev/null >/dev/null 2>&1 & echo $!');
    expect(hosts.processes('p0d0000000test')).toContain(Number(heard.stdout.toString()));
  });

  it('runs in the pod’s home with nothing of this machine’s environment but the PATH', async () => {
    const heard = await guest.exec('pwd; env');
    const [home, ...lines] = heard.stdout.toString().trim().split('\n');
    expect(home).toBe(`${hosts.folder('p0d0000000test')}/root`);
    expect(lines.join('\n')).not.toContain('hunter2');
    const names = new Set(lines.map((line) => line.split('=')[0]));
    for (const name of ['PODTRACK_ROOT', 'HOME', 'PATH', 'SHLVL']) expect(names).toContain(name);
    expect(names).not.toContain('RUNPOD_API_KEY');
  });
});

describe('channels', () => {
  it('run ten at once, and the eleventh is refused as OpenSSH refuses it', async () => {
    const crowd = await visit(address);
    const waiting = Array.from({ length: 11 }, () => crowd.exec('sleep 1000'));
    const first = await Promise.race(waiting.map((one) => one.catch((cause: Error) => cause.message)));
    expect(first).toContain('Channel open failure');
    crowd.end();
    await Promise.allSettled(waiting);
  });

  it('make room again when they close', async () => {
    const rounds = Array.from({ length: 3 }, (_, round) => round);
    for (const round of rounds) {
      const heard = await Promise.all(
        Array.from({ length: 8 }, (_, at) => guest.exec(`echo ${round}-${at}`)),
      );
      expect(heard.map((one) => one.stdout.toString())).toEqual(
        Array.from({ length: 8 }, (_, at) => `${round}-${at}\n`),
      );
    }
  });

  it('offer no SFTP (case C29)', async () => {
    const refused = await new Promise((resolve) => guest.client.sftp((cause) => resolve(cause?.message)));
    expect(refused).toMatch(/Unable to start subsystem/);
  });
});

describe('a shell', () => {
  it('without a terminal reads a script from stdin', async () => {
    const told = await new Promise<string>((resolve, reject) => {
      guest.client.shell(false, (cause, channel) => {
        if (cause !== undefined) reject(cause);
        let text = '';
        channel.on('data', (bytes: Buffer) => (text += bytes.toString()));
        channel.on('close', () => resolve(text));
        channel.end('echo $((6 * 7))\n');
      });
    });
    expect(told).toBe('42\n');
  });

  it('with a terminal echoes, lets a typo be rubbed out and ends at ^D', async () => {
    const told = await new Promise<string>((resolve, reject) => {
      guest.client.shell((cause, channel) => {
        if (cause !== undefined) reject(cause);
        let text = '';
        channel.on('data', (bytes: Buffer) => (text += bytes.toString()));
        channel.on('close', () => resolve(text));
        channel.write('echo $((6 * 8\x7f7))\r\x04');
      });
    });
    expect(told).toContain('\b \b7))\r\n');
    expect(told).toContain('42\r\n');
  });
});

describe('a login', () => {
  const level = async (attempt: Promise<Visit>): Promise<string> =>
    await attempt.then(
      (one) => {
        one.end();
        return 'let in';
      },
      (cause: Error & { level?: string }) => cause.level ?? cause.message,
    );

  it('with another key, name or a password is refused, not cut off', async () => {
    const stranger = makeOpensshKey('stranger');
    expect(await level(visit(address, { privateKey: stranger.privateKey }))).toBe('client-authentication');
    expect(await level(visit(address, { username: 'ubuntu' }))).toBe('client-authentication');
    expect(await level(visit(address, { privateKey: '', password: 'x' }))).toBe('client-authentication');
  });

  it('with the right public key but another one’s signature is refused', async () => {
    const stranger = ssh2.utils.parseKey(makeOpensshKey('stranger').privateKey);
    if (stranger instanceof Error) throw stranger;
    const signed = (data: Buffer) => stranger.sign(data);
    class Impostor extends ssh2.BaseAgent<string> {
      getIdentities(answer: (cause?: Error | null, keys?: string[]) => void) {
        answer(null, [visitorKey.publicLine]);
      }
      sign(...given: unknown[]) {
        const answer = given.at(-1);
        if (typeof answer === 'function' && Buffer.isBuffer(given[1])) answer(null, signed(given[1]));
      }
    }
    expect(await level(visit(address, { privateKey: '', agent: new Impostor() }))).toBe(
      'client-authentication',
    );
  });

  it.each([
    ['the word null', ['null']],
    ['an empty line', ['']],
    ['no line', []],
  ])(
    'finds the port open and the key refused when PUBLIC_KEY was %s (case C28)',
    async (_name, sshKeys: string[]) => {
      const door = await hosts.start(hostedPod({ id: 'keyless', sshKeys }));
      expect(await level(visit(door))).toBe('client-authentication');
    },
  );

  it('with a key added on the pod later is let in', async () => {
    const second = makeOpensshKey('second');
    await guest.exec(`echo '${second.publicLine}' >>~/.ssh/authorized_keys`);
    expect(await level(visit(address, { privateKey: second.privateKey }))).toBe('let in');
  });
});
