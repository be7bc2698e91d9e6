/** Whatever may end in the bundle is under a licence that lets us ship it. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';

const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT/X11',
  'Unlicense',
]);

/** Packages whose manifest has no licence in today's form; read where it says. */
const READ_BY_HAND: Readonly<Record<string, string>> = {
  ssh2: 'MIT', // its LICENSE
  buildcheck: 'MIT', // its LICENSE
  'cpu-features': 'MIT', // its LICENSE
  buffers: 'MIT', // the readme of its repository, substack/node-buffers
};

const lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      license: z.string().optional(),
      dev: z.boolean().optional(),
      devOptional: z.boolean().optional(),
    }),
  ),
});

/** `A OR B` asks for one of them, `A AND B` for both. */
function permissive(licence: string): boolean {
  const words = licence.replaceAll(/[()]/g, '');
  return words.split(' OR ').some((choice) => choice.split(' AND ').every((one) => PERMISSIVE.has(one)));
}

it('a licence that binds what we ship is not taken for a permissive one', () => {
  expect(['GPL-3.0', 'MIT AND GPL-3.0', 'unknown'].filter(permissive)).toEqual([]);
  expect(['GPL-3.0 OR MIT', '(Apache-2.0 AND BSD-3-Clause)'].map(permissive)).toEqual([true, true]);
});

it('every package that is not for development only has a permissive licence', () => {
  const { packages } = lock.parse(
    JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')),
  );
  const shippable = Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true)
    .map(([path, { license }]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      return { name, licence: license ?? READ_BY_HAND[name] ?? 'unknown' };
    });
  expect(shippable.length).toBeGreaterThan(20);
  expect(shippable.filter(({ licence }) => !permissive(licence))).toEqual([]);
});
