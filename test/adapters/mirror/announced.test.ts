/** What a pod announces before it reads its files: a head start, and never what decides. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localTree } from '../../../src/adapters/ssh/mirror/local-tree.ts';
import type { StreamingSession } from '../../../src/adapters/ssh/stream.ts';
import { sshMirror } from '../../../src/adapters/ssh-mirror.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import { quiet } from '../shell/house.ts';
import { craftedSession, listed, listing, tar } from './crafted.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'podtrack-announced-'));
});
afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

function announcement(files: Readonly<Record<string, number>>): Buffer {
  const names = Object.keys(files).map((name) => `./${name}`);
  const sizes = Object.values(files).map((size) => `${size} ${Math.ceil(size / 512)} 512`);
  const fields = ['A', String(names.length), ...names, sizes.join('\n'), 'N'];
  return Buffer.from(fields.map((field) => `${field}\0`).join(''));
}

/** Lists in two parts: the second only once `released`. */
function inTwo(first: Buffer, second: Buffer, released: Promise<void>) {
  return async function* (): AsyncGenerator<Buffer> {
    for (let at = 0; at < first.length; at += 7) yield first.subarray(at, at + 7);
    await released;
    yield second;
  };
}

type Pod = { first: Buffer; second: Buffer; released: Promise<void>; tars: Buffer[]; asked: () => void };

function session({ first, second, released, tars, asked }: Pod): StreamingSession & { asked: string[] } {
  const crafted = craftedSession({ listings: [Buffer.concat([first, second])], tars });
  const stream = crafted.stream.bind(crafted);
  crafted.stream = async (call) => {
    const opened = await stream(call);
    if (call.what.startsWith('tar')) asked();
    else if (call.args.length > 2) return { ...opened, chunks: inTwo(first, second, released)() };
    return opened;
  };
  return crafted;
}

const pull = (of: StreamingSession) => {
  const mirror = sshMirror({ root: base, clock: systemClock(), log: quiet, reserveBytes: 0, rounds: 1 });
  const spec = { podId: 'pod-1', remotePath: '/r', choice: null, localPath: null, budgetMs: 5_000 };
  return mirror.pull(of, spec);
};

describe('an announcement', () => {
  it('has files fetched while the pod still computes their digests', async () => {
    let asked: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const second = listing([listed('a', 'yes'), listed('b', 'new')]);
    const tars = [
      tar([
        { name: './a', content: 'yes' },
        { name: './b', content: 'new' },
      ]),
    ];
    const pod = session({ first: announcement({ a: 3, b: 3 }), second, released, tars, asked });
    const pulled = await pull(pod);
    expect(pod.asked).toEqual(['look', './a|./b|']);
    expect([pulled.files, pulled.moving, pulled.refused]).toEqual([2, [], []]);
  });

  it('that lies is outweighed by the list: what is not in it goes, what differs comes again', async () => {
    const first = announcement({ a: 3, gone: 2, '../out': 1, '/abs': 1 });
    const second = listing([listed('a', 'true'), listed('b', 'new')]);
    const tars = [
      tar([
        { name: './a', content: 'lie' },
        { name: './gone', content: 'xx' },
      ]),
      tar([
        { name: './a', content: 'true' },
        { name: './b', content: 'new' },
      ]),
    ];
    const pod = session({ first, second, released: Promise.resolve(), tars, asked: () => undefined });
    const pulled = await pull(pod);
    expect(pod.asked).toEqual(['look', './a|./gone|', './a|./b|']);
    expect([...localTree(pulled.place).files.keys()].sort()).toEqual(['a', 'b']);
    expect(readFileSync(join(pulled.place, 'a'), 'utf8')).toBe('true');
    expect(readdirSync(base).sort()).toEqual(['.podtrack-pod-1', 'pod-1']);
  });

  it('of files that the list then denies promotes nothing', async () => {
    const tars = [tar([{ name: './a', content: 'yes' }])];
    const first = announcement({ a: 3 });
    const pod = session({
      first,
      second: listing([]),
      released: Promise.resolve(),
      tars,
      asked: () => undefined,
    });
    const pulled = await pull(pod);
    expect([pulled.files, localTree(pulled.place).files.size]).toEqual([0, 0]);
    expect(readdirSync(join(base, '.podtrack-pod-1'))).toEqual([]);
  });
});
