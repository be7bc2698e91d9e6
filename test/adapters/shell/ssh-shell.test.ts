/** sshShell on servers that work and on servers that do not: each way of failing has its own name. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sshShell } from '../../../src/adapters/ssh-shell.ts';
import { ConfigError, WorldError } from '../../../src/domain/errors.ts';
import type { ShellTarget } from '../../../src/ports.ts';
import { component, suiteWith } from '../../components.ts';
import { CLOSED_PORT, shellOptions, targetAt } from './house.ts';
import { keyPair } from './keys.ts';
import { openSshd } from './open-sshd.ts';
import { contractScripts, shellContract } from './shell-contract.ts';
import { type SshServer, sshServer } from './ssh-server.ts';

const key = keyPair();

shellContract('sshShell on ssh2.Server', async () => {
  const server = await sshServer({ publicLine: key.publicLine });
  const stranger = await sshServer({ publicLine: keyPair().publicLine });
  return {
    shell: sshShell(shellOptions(key.privateText)),
    good: targetAt(server.port),
    lockedOut: targetAt(stranger.port),
    nobody: targetAt(CLOSED_PORT),
    async stop() {
      await server.stop();
      await stranger.stop();
    },
  };
});

suiteWith(['sshd'], 'on OpenSSH', () => {
  shellContract('sshShell on sshd', async () => {
    const server = await openSshd(key.publicLine);
    const stranger = await openSshd(keyPair().publicLine);
    return {
      shell: sshShell(shellOptions(key.privateText)),
      good: targetAt(server.port, server.username),
      lockedOut: targetAt(stranger.port, stranger.username),
      nobody: targetAt(CLOSED_PORT, server.username),
      async stop() {
        await server.stop();
        await stranger.stop();
      },
    };
  });
});

async function errorOf(work: Promise<unknown>): Promise<WorldError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof WorldError) return error;
  throw new Error('no WorldError', { cause: error });
}

describe('a login that fails', () => {
  let server: SshServer;
  beforeAll(async () => {
    server = await sshServer({ publicLine: key.publicLine });
  });
  afterEach(() => {
    for (const fault of Object.keys(server.faults)) Reflect.deleteProperty(server.faults, fault);
  });
  afterAll(async () => {
    await server.stop();
  });
  const attempt = (more = {}): Promise<WorldError> =>
    errorOf(sshShell(shellOptions(key.privateText, more)).open(targetAt(server.port)));

  it('is held shut, not unreachable, where the port opens and hangs up', async () => {
    server.faults.hangUp = true;
    expect((await attempt()).failure).toBe('held-shut');
  });

  it('is held shut where the port opens and never speaks', async () => {
    server.faults.mute = true;
    expect((await attempt({ loginMs: 300 })).failure).toBe('held-shut');
  });

  it('is held shut with its own words where something else than SSH greets', async () => {
    server.faults.greeting = 'Exceeded MaxStartups\r\n';
    const error = await attempt();
    expect(error.failure).toBe('held-shut');
    expect(error.message).toContain('Exceeded MaxStartups');
  });

  it('is tried twice where it may pass by itself, and once where it will not', async () => {
    server.faults.hangUp = true;
    const before = server.accepted();
    await attempt();
    expect(server.accepted() - before).toBe(2);
    server.faults.hangUp = false;
    server.faults.refuseLogin = true;
    const between = server.accepted();
    expect((await attempt()).retryable).toBe(false);
    expect(server.accepted() - between).toBe(1);
  });

  it('succeeds on the second try when the first met a full server', async () => {
    server.faults.hangUp = true;
    const shell = sshShell(shellOptions(key.privateText, { retryPauseMs: 300 }));
    const opening = shell.open(targetAt(server.port));
    const before = server.accepted();
    while (server.accepted() === before) await new Promise(setImmediate);
    server.faults.hangUp = false;
    const session = await opening;
    expect(server.accepted()).toBeGreaterThan(before);
    await session.close();
  });

  it('says that nothing was sent when the host key is not the pinned one, and names both keys', async () => {
    const first = await sshShell(shellOptions(key.privateText)).open(targetAt(server.port));
    await first.close();
    server.newHostKey();
    const target: ShellTarget = { ...targetAt(server.port), pins: [first.hostKey] };
    const error = await errorOf(sshShell(shellOptions(key.privateText)).open(target));
    expect(error.failure).toBe('wrong-host-key');
    expect(error.message).toContain(first.hostKey);
    expect(error.message.match(/SHA256:/g)).toHaveLength(2);
  });

  it('names the key when the SSH library cannot read it, before anything is sent', async () => {
    const shell = sshShell(
      shellOptions('-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----'),
    );
    await expect(shell.open(targetAt(server.port))).rejects.toThrow(ConfigError);
  });

  it('leaves no connection behind', async () => {
    server.faults.refuseLogin = true;
    await attempt();
    while (server.open() > 0) await new Promise(setImmediate);
    expect(server.open()).toBe(0);
  });
});

describe('an open session', () => {
  let server: SshServer;
  beforeAll(async () => {
    server = await sshServer({ publicLine: key.publicLine });
  });
  afterEach(() => {
    for (const fault of Object.keys(server.faults)) Reflect.deleteProperty(server.faults, fault);
  });
  afterAll(async () => {
    await server.stop();
  });
  const open = (more = {}) => sshShell(shellOptions(key.privateText, more)).open(targetAt(server.port));
  const call = { script: 'probe', args: ['a'], timeoutMs: 20_000 } as const;

  it('does not take banners and rc noise for part of an answer', async () => {
    server.faults.noise = 'Welcome to the pod!\n<b>\nend 0\n';
    const session = await open();
    expect(await session.run(call)).toEqual({ exitCode: 7, stdout: '<a>\n', stderr: 'complaint\n' });
    await session.close();
  });

  it('fails as incomplete when the connection is cut within an answer, wherever the cut falls', async () => {
    for (const cut of [1, 30, 45, 50, 60]) {
      server.faults.cutAfterBytes = cut;
      const session = await open();
      const error = await errorOf(session.run(call));
      expect([cut, error.failure]).toEqual([cut, 'incomplete-answer']);
      await session.close();
    }
  });

  it('never has more than eight channels open, and serves the rest in turn', async () => {
    const session = await open();
    const answers = await Promise.all(Array.from({ length: 30 }, () => session.run(call)));
    expect(answers).toHaveLength(30);
    expect(server.mostChannels()).toBeLessThanOrEqual(8);
    await session.close();
  });

  it('tells a refused channel from an empty answer', async () => {
    server.faults.refuseChannel = true;
    const session = await open();
    expect((await errorOf(session.run(call))).failure).toBe('held-shut');
    await session.close();
  });

  it('does not take more of an answer than its limit', async () => {
    const session = await open({ maxAnswerBytes: 1000 });
    const long = { ...call, args: ['x'.repeat(2000)] };
    expect((await errorOf(session.run(long))).failure).toBe('incomplete-answer');
    expect((await session.run(call)).exitCode).toBe(7);
    await session.close();
  });

  it('notices a connection that died between two calls', async () => {
    const session = await open();
    server.dropAll();
    expect((await errorOf(session.run(call))).failure).toBe('incomplete-answer');
    await session.close();
  });

  it('returns when the script ends although a process it left keeps the channel open', async () => {
    const scripts = { ...contractScripts, probe: 'sleep 60 & echo started' };
    const session = await open({ scripts });
    expect((await session.run({ ...call, args: [] })).stdout).toBe('started\n');
    await session.close();
  });

  it('sends a script of many kilobytes whole, and the secret behind it on stdin only', async () => {
    const padding = `# ${'x'.repeat(96)}\n`.repeat(3000);
    const session = await open({
      scripts: { ...contractScripts, install: padding + contractScripts.install },
    });
    const secret = { script: 'install', args: [], stdin: 'ü secret\nrest', timeoutMs: 20_000 } as const;
    expect((await session.run(secret)).stdout).toBe('read ü secret, and 4 bytes behind\n');
    await session.close();
  });
});

describe('many pods', () => {
  it('has no more logins under way than the limit; the next waits for its turn', async () => {
    const server = await sshServer({ publicLine: key.publicLine });
    server.faults.mute = true;
    const once = { retryPauseMs: 60_000 };
    const shell = sshShell(shellOptions(key.privateText, { ...once, maxLogins: 2 }));
    const open = (by: typeof shell) => by.open(targetAt(server.port)).catch(() => null);
    const four = Array.from({ length: 4 }, () => open(shell));
    await expect.poll(() => server.accepted()).toBe(2);
    const another = open(sshShell(shellOptions(key.privateText, once)));
    await expect.poll(() => server.accepted()).toBe(3);
    server.faults.mute = false;
    server.dropAll();
    const sessions = await Promise.all([...four, another]);
    expect(sessions.map((session) => session !== null)).toEqual([false, false, true, true, false]);
    await Promise.all(sessions.map(async (session) => await session?.close()));
    await server.stop();
  });

  it('holds more sessions open than logins may be under way: no pod waits for another to be done', async () => {
    const server = await sshServer({ publicLine: key.publicLine });
    const shell = sshShell(shellOptions(key.privateText, { maxLogins: 2 }));
    const sessions = await Promise.all(Array.from({ length: 5 }, () => shell.open(targetAt(server.port))));
    expect(server.open()).toBe(5);
    await Promise.all(sessions.map((session) => session.close()));
    await server.stop();
  });
});

describe('our own network', () => {
  it('works when anybody greets with SSH, and not when nobody does', async () => {
    const server = await sshServer({ publicLine: key.publicLine });
    const there = { host: '127.0.0.1', port: server.port };
    const nowhere = { host: '127.0.0.1', port: CLOSED_PORT };
    const ask = (references: (typeof there)[]) =>
      sshShell(shellOptions(key.privateText, { references })).ownNetworkWorks();
    expect(await ask([nowhere, there])).toBe(true);
    expect(await ask([nowhere])).toBe(false);
    server.faults.greeting = 'HTTP/1.1 400 Bad Request\r\n\r\n';
    expect(await ask([there])).toBe(false);
    await server.stop();
  });

  it('is proven without asking anybody by a login that just worked', async () => {
    const server = await sshServer({ publicLine: key.publicLine });
    const shell = sshShell(shellOptions(key.privateText, { references: [] }));
    expect(await shell.ownNetworkWorks()).toBe(false);
    await (await shell.open(targetAt(server.port))).close();
    expect(await shell.ownNetworkWorks()).toBe(true);
    await server.stop();
  });
});

suiteWith(['dash', 'bash', 'busybox', 'mksh'], 'the frame under every shell a pod may have', () => {
  const shells: readonly (readonly [string, readonly string[]])[] = [
    ['dash', []],
    ['bash', []],
    ['busybox', ['sh']],
    ['mksh', []],
  ];
  it.each(shells)('%s takes exactly the script from stdin and leaves the rest', async (name, lead) => {
    const { spawnSync } = await import('node:child_process');
    const { bootstrapCommand, frameReader, request } = await import('../../../src/adapters/ssh/frame.ts');
    const token = 'ab'.repeat(16);
    const command = bootstrapCommand(["it's", '']);
    const path = component(name as 'dash') ?? name;
    const script = 'IFS= read -r secret; printf "[%s]" "$@"; echo " got $secret, then:"; cat; exit 3';
    // The inner `sh` is replaced by the shell under test.
    const line = command.replace(/^sh /, `${[path, ...lead].join(' ')} `);
    const run = spawnSync(path, [...lead, '-c', line], {
      input: request(token, script, 'key\nmore\0bytes\n'),
    });
    const frame = frameReader(token);
    expect(run.stderr.toString()).toContain(`${token} end 3`);
    expect(frame.push(run.stdout).toString('latin1')).toBe("[it's][] got key, then:\nmore\0bytes\n");
    expect(frame.exitCode()).toBe(3);
  });
});
