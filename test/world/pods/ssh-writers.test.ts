/** The output streams of the world's SSH server, against a channel that has ended. */
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { outputsOf } from '../../../src/world/pods/ssh-writers.ts';

it('drop what a program still says once its client has hung up', async () => {
  const failures: Error[] = [];
  const stderr = new PassThrough().on('error', (cause) => failures.push(cause));
  const channel = Object.assign(new PassThrough(), { stderr }).on('error', (cause) => failures.push(cause));
  const out = outputsOf(channel);
  channel.end();
  stderr.end();
  for (const stream of [out.stdout, out.stderr])
    await new Promise((resolve) => {
      stream.on('error', (cause) => failures.push(cause)).write('late', resolve);
    });
  expect(failures).toEqual([]);
});
