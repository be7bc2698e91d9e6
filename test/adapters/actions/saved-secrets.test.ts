/** Secrets between main and post: sealed, private, and worthless without their key. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import {
  dropSecrets,
  privateFolder,
  sealSecrets,
  unsealSecrets,
} from '../../../src/adapters/saved-secrets.ts';

const temp = mkdtempSync(join(tmpdir(), 'runner temp '));
afterAll(() => rmSync(temp, { recursive: true, force: true }));
const VALUES = { apiKey: 'rpa_SECRETSECRETSECRET', sshKey: '-----BEGIN\nlines\n' };

function sealed() {
  const folder = privateFolder({ RUNNER_TEMP: temp });
  return { folder, ...sealSecrets(folder, VALUES) };
}

it('come back whole with their key, and the file says nothing of them', () => {
  const { file, key, folder } = sealed();
  expect(unsealSecrets({ file, key })).toEqual(VALUES);
  const bytes = readFileSync(file).toString('latin1');
  expect(bytes).not.toContain('SECRET');
  expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
});

it('two runners on one host never share a folder or a key', () => {
  const [one, two] = [sealed(), sealed()];
  expect(one.folder).not.toBe(two.folder);
  expect(unsealSecrets({ file: one.file, key: two.key })).toBeNull();
});

it('one changed bit anywhere gives nothing', () => {
  const { file, key } = sealed();
  const whole = readFileSync(file);
  for (let at = 0; at < whole.length; at += 1) {
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] ?? 0) ^ 1;
    writeFileSync(file, changed);
    expect(unsealSecrets({ file, key }), `byte ${at}`).toBeNull();
  }
});

it.each([
  ['no file', { file: '/nowhere/sealed', key: 'AAAA' }],
  ['no path', { file: '', key: '' }],
])('%s gives nothing', (_what, of) => {
  expect(unsealSecrets(of)).toBeNull();
});

it('are removed with their folder, twice without harm, and nothing else is removed', () => {
  const { file, folder } = sealed();
  dropSecrets(file);
  dropSecrets(file);
  expect(existsSync(folder)).toBe(false);
  const other = join(temp, 'sealed');
  writeFileSync(other, 'x');
  dropSecrets(other);
  expect(existsSync(temp)).toBe(true);
});
