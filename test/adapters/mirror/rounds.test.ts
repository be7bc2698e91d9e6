/** Files that change while they are pulled: looked at again, fetched again, and after the last round told as moving. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sshMirror } from '../../../src/adapters/ssh-mirror.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import { verify } from '../../../src/domain/artifacts.ts';
import { quiet } from '../shell/house.ts';
import { type Answers, craftedSession, listed, listing, tar } from './crafted.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'podtrack-rounds-'));
});
afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

const spec = { podId: 'pod-1', remotePath: '/r', choice: null, localPath: null, budgetMs: 20_000 };

async function pull(answers: Answers) {
  const session = craftedSession(answers);
  const mirror = sshMirror({ root: base, clock: systemClock(), log: quiet });
  const pulled = await mirror.pull(session, spec);
  const text = (name: string): string => readFileSync(join(pulled.place, name), 'utf8');
  return { pulled, text, asked: session.asked, later: () => mirror.manifest(session, spec) };
}

const steady = listed('steady', 'same');
const steadyMember = { name: './steady', content: 'same' };

describe('a file that changes between the look and the stream', () => {
  it('is fetched again, alone, and then counts', async () => {
    const { pulled, text, asked } = await pull({
      listings: [listing([steady, listed('log', 'one')]), listing([steady, listed('log', 'one two')])],
      tars: [tar([steadyMember, { name: './log', content: 'one two' }]), tar([])],
    });
    expect([pulled.moving, pulled.refused, text('log')]).toEqual([[], [], 'one two']);
    // What the first stream brought is what the second look announces: nothing has to come again.
    expect(asked).toEqual(['look', './steady|./log|', 'look']);
  });

  it('that never rests is told as moving after three rounds, and the last copy of it counts', async () => {
    const { pulled, text, asked, later } = await pull({
      listings: ['1', '2', '3', '4'].map((version) => listing([steady, listed('log', version)])),
      tars: [
        tar([steadyMember, { name: './log', content: '1b' }]),
        tar([{ name: './log', content: '2b' }]),
        tar([{ name: './log', content: '3b' }]),
      ],
    });
    expect([pulled.moving, pulled.refused, text('log'), text('steady')]).toEqual([['log'], [], '3b', 'same']);
    expect(asked).toEqual(['look', './steady|./log|', 'look', './log|', 'look', './log|']);
    const verdict = verify({ pulled, later: await later(), before: null, allowEmpty: false });
    expect(verdict).toEqual({ kind: 'verified' });
  });

  it('that vanishes is no longer part of the copy', async () => {
    const { pulled } = await pull({
      listings: [listing([steady, listed('tmp', 'x')]), listing([steady])],
      tars: [tar([steadyMember])],
    });
    expect([pulled.files, pulled.refused, pulled.moving]).toEqual([1, [], []]);
  });

  it('that is listed each time and never comes is a refusal, so nothing counts as verified', async () => {
    const { pulled, later } = await pull({
      listings: [listing([steady, listed('locked', 'x')])],
      tars: [tar([steadyMember]), tar([])],
    });
    expect(pulled.refused.map((entry) => entry.path)).toEqual(['locked']);
    const verdict = verify({ pulled, later: await later(), before: null, allowEmpty: false });
    expect(verdict).toMatchObject({ kind: 'unverified', reason: 'entries-refused' });
  });

  it('that becomes a folder, or a folder that becomes a file, ends as the last look says', async () => {
    const { pulled, text } = await pull({
      listings: [
        listing([listed('a', 'file'), listed('b/c', 'below')]),
        listing([listed('a/x', 'below'), listed('b', 'file')]),
      ],
      tars: [
        tar([{ name: './b/c', content: 'below' }]),
        tar([
          { name: './a/x', content: 'below' },
          { name: './b', content: 'file' },
        ]),
      ],
    });
    expect([pulled.refused, text('a/x'), text('b')]).toEqual([[], 'below', 'file']);
  });
});

describe('a file that cannot be read on the pod', () => {
  it('is refused by name; one that went away meanwhile is not', async () => {
    const { pulled } = await pull({
      listings: [
        listing([
          steady,
          { path: 'secret', size: 3, sha256: '-' },
          { path: 'gone', size: 3, sha256: 'gone' },
        ]),
      ],
      tars: [tar([steadyMember])],
    });
    expect(pulled.refused).toEqual([{ path: 'secret', reason: 'it could not be read on the pod' }]);
  });
});
