/** What dist/ holds and what it must not hold. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { onPodText } from '../../src/on-pod-text.ts';
import { distFiles, repository } from './shipped.ts';

const files = distFiles();
const embedded: Readonly<Record<string, string>> = onPodText;

const action = z.object({
  runs: z.object({ using: z.string(), main: z.string().optional(), post: z.string().optional() }),
});

it('weighs at most nine megabytes', () => {
  expect(files.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(9_000_000);
});

it('holds nothing that is compiled for one machine', () => {
  expect(files.map(({ name }) => name).filter((name) => /\.(node|exe|so|dll|dylib)$/.test(name))).toEqual([]);
});

it('names no folder of the machine that built it', () => {
  expect(files.filter(({ text }) => text.includes(repository)).map(({ name }) => name)).toEqual([]);
});

it('says that it is ESM, for it is copied without the package around it', () => {
  expect(files.find(({ name }) => name === 'package.json')?.text).toBe('{"type":"module"}\n');
});

it('carries the licences of the libraries inside', () => {
  const licences = files.find(({ name }) => name === 'licenses.txt')?.text ?? '';
  for (const library of ['ssh2', 'zod', 'undici', 'commander'])
    expect(licences).toMatch(new RegExp(`^${library}$`, 'm'));
});

it.each(Object.entries(embedded))('carries the on-pod script %s', (_name, text) => {
  const line = text
    .split('\n')
    .filter((each) => !/['"\\]/.test(each))
    .reduce((longest, each) => (each.length > longest.length ? each : longest), '');
  expect(line.length).toBeGreaterThan(20);
  expect(files.some((file) => file.text.includes(line))).toBe(true);
});

it('has every file that an action.yml starts', () => {
  const started = readdirSync(repository, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(repository, entry.name, 'action.yml')))
    .flatMap(({ name }) => {
      const { runs } = action.parse(parse(readFileSync(join(repository, name, 'action.yml'), 'utf8')));
      return [runs.main, runs.post]
        .filter((path) => path !== undefined)
        .map((path) => join(repository, name, path));
    });
  expect(started.length).toBeGreaterThan(0);
  expect(started.filter((path) => !existsSync(path))).toEqual([]);
});

it('has stubs of two lines that only open a door', () => {
  const stubs = files.filter(({ text }) => text.includes('await door('));
  expect(stubs.map(({ name }) => name)).toContain('cli.js');
  for (const { name, text } of stubs) {
    const door = name.replace(/\.js$/, '');
    expect(text.replace(/^#!.*\n/, '')).toBe(`import { door } from './index.js';\nawait door('${door}');\n`);
  }
});
