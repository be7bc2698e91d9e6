/** Switches on several pods: side by side, and one that takes none keeps no other from its own. */
import { expect, it } from 'vitest';
import { actingOwner } from '../../src/flows/acting.ts';
import { armPods } from '../../src/flows/arm-pods.ts';
import { anOwner } from '../domain/build.ts';
import { KEYS, ours, record, stage } from './stage.ts';

const owner = anOwner({ uuid: 'u-job' });
const acting = actingOwner(owner, null);

it('one that cannot be reached fails by itself, in its place; the others are armed and proven', async () => {
  const on = stage();
  for (const id of ['a', 'b', 'c']) await ours(on, id, { owner, armed: false });
  on.pods.delete('b');
  const acts = ['a', 'b', 'c', 'none'].map((podId) => ({ acting, owner, podId }));
  const wish = { keys: KEYS, petWindowMs: null, killInMs: null, killAbsoluteMs: null };
  const armed = await armPods(on.world, acts, wish);
  expect(armed.map(({ podId, armed: { kind } }) => [podId, kind])).toEqual([
    ['a', 'done'],
    ['b', 'failed'],
    ['c', 'done'],
    ['none', 'failed'],
  ]);
  expect(armed[3]?.armed).toMatchObject({ error: { message: expect.stringContaining('no record of it') } });
  const switches = await Promise.all(['a', 'b', 'c'].map(async (id) => (await record(on, id)).switch));
  expect(switches.map((each) => each === null)).toEqual([false, true, false]);
});
