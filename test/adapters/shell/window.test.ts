/** A wide stream: more is under way at once, never more than its window, and all of it arrives, however slow the reader. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canStream } from '../../../src/adapters/ssh/stream.ts';
import { widen } from '../../../src/adapters/ssh/window.ts';
import { sshShell } from '../../../src/adapters/ssh-shell.ts';
import { shellOptions, targetAt } from './house.ts';
import { keyPair } from './keys.ts';
import { type SshServer, sshServer } from './ssh-server.ts';

const MIB = 1024 * 1024;
const key = keyPair();
let server: SshServer;
beforeAll(async () => {
  server = await sshServer({ publicLine: key.publicLine, env: {}, cwd: '/' });
});
afterAll(async () => {
  await server.stop();
});

function fakeChannel() {
  const granted: number[] = [];
  return {
    granted,
    destroyed: false,
    incoming: { window: 2 * MIB },
    outgoing: { id: 7 },
    _client: { _protocol: { channelWindowAdjust: (_id: number, bytes: number) => granted.push(bytes) } },
  };
}

describe('the window', () => {
  it('is opened at once, and gives back what was read and nothing more', () => {
    const channel = fakeChannel();
    const taken = widen(channel);
    expect(channel.incoming.window).toBe(8 * MIB);
    for (let chunk = 0; chunk < 64; chunk += 1) {
      channel.incoming.window -= 32 * 1024;
      taken(32 * 1024);
    }
    expect(channel.incoming.window).toBe(8 * MIB);
    expect(channel.granted.reduce((sum, bytes) => sum + bytes, 0)).toBe(8 * MIB);
  });

  it('of a channel that is gone, or is not as we know it, is left alone', () => {
    const gone = { ...fakeChannel(), destroyed: true };
    widen(gone)(MIB);
    expect(gone.granted).toEqual([]);
    expect(() => widen({ destroyed: false })(MIB)).not.toThrow();
  });
});

describe('a wide stream', () => {
  it('arrives whole, with a reader that stops now and then', async () => {
    const session = await sshShell(shellOptions(key.privateText)).open(targetAt(server.port));
    if (!canStream(session)) throw new Error('no streams');
    const script = 'dd if=/dev/zero bs=65536 count=400 2>/dev/null\n';
    const stream = await session.stream({ what: 'zeros', script, args: [], stdin: '', wide: true });
    let length = 0;
    let chunks = 0;
    for await (const chunk of stream.chunks) {
      length += chunk.length;
      chunks += 1;
      if (chunks % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(await stream.end()).toMatchObject({ exitCode: 0 });
    expect(length).toBe(400 * 65_536);
    await session.close();
  });
});
