/** The setup flow: a registry that is begun, a stamp that names it, and what it says of a reaper's life. */
import { expect, it } from 'vitest';
import { seen, unseen } from '../../src/domain/part.ts';
import { parseStamp } from '../../src/domain/stamp.ts';
import type { Workflow } from '../../src/domain/workflow.ts';
import { setup } from '../../src/flows/setup.ts';
import type { Workflows } from '../../src/ports.ts';
import { anOwner, minutes, NOW } from '../domain/build.ts';
import { cycles, ours, type Stage, stage } from './stage.ts';

const REAPER: Workflow = {
  path: 'reap.yml',
  name: 'reap',
  state: seen('active'),
  crons: ['*/5 * * * *'],
  listensTo: [],
  jobs: [{ name: 'reap', environment: 'prod', condition: null, uses: ['podtrack/register/reap@v1'] }],
};

function prepared(on: Stage, workflows: Partial<Workflows> = {}, owner = anOwner()) {
  const looks: Workflows = {
    all: async () => seen([REAPER]),
    needsReview: async () => seen(false),
    ...workflows,
  };
  return setup({ ...on.world, workflows: looks }, { owner, ttlMs: minutes(45) });
}

it('begins a registry that is not there, once, and mints a fresh stamp and name for it each time', async () => {
  const on = stage();
  const first = await prepared(on);
  const { version } = await on.world.registry.read();
  expect(version).not.toBeNull();
  const second = await prepared(on);
  expect((await on.world.registry.read()).version).toBe(version);
  const owner = anOwner();
  expect(parseStamp(first.stamp)).toMatchObject({
    registryId: first.registryId,
    repositoryId: owner.key?.repositoryId,
    runId: owner.key?.runId,
    mintedAt: NOW,
    ttlAt: NOW + minutes(45),
  });
  expect(first.podName).toMatch(/^pt-[0-9a-f]{8}-[0-9a-f]{8}$/);
  expect(second.stamp).not.toBe(first.stamp);
  expect(second.podName.slice(0, 12)).toBe(first.podName.slice(0, 12));
});

it('C65: two legs of a matrix, and two laptops under an emulator, give their pods other names', async () => {
  const on = stage();
  const legs = [anOwner({ matrix: '{"gpu":"a"}' }), anOwner({ matrix: '{"gpu":"b"}' })];
  const laptops = [anOwner({ key: null, uuid: 'one' }), anOwner({ key: null, uuid: 'two' })];
  const all = await Promise.all([...legs, ...laptops].map((owner) => prepared(on, {}, owner)));
  expect(new Set(all.map(({ podName }) => podName.slice(3, 11))).size).toBe(4);
});

it('C64: says when the last sweep was long ago, and that environment and workflows could not be asked', async () => {
  const on = stage();
  await ours(on, 'p1');
  await cycles(on, 1);
  on.clock.jump(minutes(180));
  const blind = await prepared(on, {
    all: async () => unseen('grant "contents: read"'),
  });
  expect(blind.findings.map(({ grade }) => grade)).toEqual(['warn', 'note']);
  expect(blind.findings[0]?.says).toContain('last sweep of the reaper was 3 h');
  const halfBlind = await prepared(on, { needsReview: async () => unseen('403') });
  expect(halfBlind.findings.filter(({ grade }) => grade === 'warn')).toHaveLength(1);
  const bound = await prepared(on, { needsReview: async () => seen(true) });
  expect(bound.findings.filter(({ grade }) => grade === 'warn')).toHaveLength(2);
});
