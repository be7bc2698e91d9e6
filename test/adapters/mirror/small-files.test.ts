/** What is said of a disk that takes a file and does not hold it. */
import fs, { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeAll } from '../../../src/adapters/ssh/mirror/small-files.ts';

it('a file whose size is another one behind its close is told as failed, its neighbours are not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'podtrack-small-'));
  try {
    const lossy = Object.assign(Object.create(fs), {
      lstatSync: (place: string) => ({ size: place.endsWith('lost') ? 0 : fs.lstatSync(place).size }),
    });
    const files = ['kept', 'lost'].map((name) => ({
      place: join(folder, name),
      mode: 0o644,
      modifiedS: 0,
      at: 0,
      length: 3,
    }));
    const failed = writeAll(lossy, { files, bytes: new Uint8Array([1, 2, 3]) });
    expect(failed).toMatchObject([{ index: 1, message: 'this disk does not hold what was written to it' }]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
