/** Evidence on this disk: beside the copy, without what looks like a secret, in place of what was there. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hideSecrets } from '../../../src/adapters/ssh/mirror/evidence-folder.ts';
import { sshMirror } from '../../../src/adapters/ssh-mirror.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import { quiet } from '../shell/house.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'podtrack-evidence-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const write = (podId: string, texts: Record<string, string>, at = root): Promise<string> =>
  sshMirror({ root: at, clock: systemClock(), log: quiet }).evidence(
    podId,
    Object.entries(texts).map(([name, text]) => ({ name, text })),
  );

describe('the folder', () => {
  it('holds the newest texts alone and is closed to others', async () => {
    await write('pod-1', { 'container.log': 'old', 'gone.txt': 'x' });
    const folder = await write('pod-1', { 'container.log': 'new' });
    expect(folder).toBe(join(root, 'pod-1.evidence'));
    expect(readdirSync(folder)).toEqual(['container.log']);
    expect(readFileSync(join(folder, 'container.log'), 'utf8')).toBe('new');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('cannot be chosen by a pod, and says what the disk said', async () => {
    await expect(write('../x', { 'a.txt': 'x' })).rejects.toMatchObject({ failure: 'write-refused' });
    writeFileSync(join(root, 'file'), '');
    await expect(write('pod-1', { 'a.txt': 'x' }, join(root, 'file'))).rejects.toMatchObject({
      failure: 'write-refused',
    });
  });
});

describe('secrets', () => {
  it.each([
    ['serve --api-key abcd1234 --port 80', 'serve --api-key [secret] --port 80'],
    ['WANDB_API_KEY=0123456789abcdef python x.py', 'WANDB_API_KEY=[secret] python x.py'],
    ['{"password": "hunter22", "lr": 1}', '{"password": "[secret]", "lr": 1}'],
    ['git clone https://me:s3cr3t@host/x', 'git clone https://me:[secret]@host/x'],
    ['key rpa_0123456789ABCDEF is used', 'key [secret] is used'],
    ['python train.py --lr 1e-4 --tokens 500', 'python train.py --lr 1e-4 --tokens 500'],
    ['loaded tokenizer in 12 s', 'loaded tokenizer in 12 s'],
  ])('%s', (text, hidden) => {
    expect(hideSecrets(text)).toBe(hidden);
  });
});
