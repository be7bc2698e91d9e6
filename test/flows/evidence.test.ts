/** Evidence before a kill: written beside the artifacts, never in the registry, and never in the way of the end. */
import { describe, expect, it } from 'vitest';
import { unseen } from '../../src/domain/part.ts';
import { actingOwner } from '../../src/flows/acting.ts';
import { teardownOwn } from '../../src/flows/ending/teardown-own.ts';
import type { World } from '../../src/ports.ts';
import { anOwner, minutes } from '../domain/build.ts';
import { worldError } from '../fakes/scripted-provider.ts';
import { cycles, ended, ours, type Stage, stage } from './stage.ts';

function end(on: Stage, world: World = on.world) {
  const owner = anOwner({ uuid: 'u-a' });
  return teardownOwn(world, {
    acting: actingOwner(owner, null),
    owner,
    podId: 'a',
    forcedBecause: null,
    skipPull: false,
    choice: null,
    localPath: null,
    pullBudgetMs: minutes(5),
    waitMs: 0,
  });
}

const namesOf = (on: Stage, id: string): string[] => on.evidence.get(id)?.map(({ name }) => name) ?? [];
const ALL = ['about.txt', 'container.log', 'processes.txt', 'switch.txt'];

describe('evidence', () => {
  it('of a pod that its owner ends lies beside the artifacts, with what could not be seen', async () => {
    const on = stage();
    await ours(on, 'a');
    on.provider.logBook.set('a', ['epoch 3', 'CUDA error']);
    expect(await end(on)).toMatchObject({ kind: 'done' });
    expect(namesOf(on, 'a')).toEqual(ALL);
    const about = on.evidence.get('a')?.[0]?.text ?? '';
    expect(about).toContain('Pod a as it was at 2');
    expect(about).toContain('nvidia-smi.txt: not-on-the-pod');
    expect(on.said.map(({ line }) => line)).toContain(
      'a: what it looked like before its end: /mirror/a.evidence',
    );
  });

  it('is taken before the DELETE, also by a reaper', async () => {
    const on = stage();
    await ours(on, 'a');
    on.provider.logBook.set('a', ['epoch 3']);
    await cycles(on, 3);
    on.provider.calls.length = 0;
    on.clock.jump(minutes(5));
    await cycles(on, 1);
    const calls = on.provider.calls.filter((call) => /^(logs|terminate) /.test(call));
    expect(calls).toEqual(['logs a', 'terminate a']);
    expect(namesOf(on, 'a')).toEqual(ALL);
  });

  it('never reaches the registry', async () => {
    const on = stage();
    await ours(on, 'a');
    on.provider.logBook.set('a', ['a line that only the log has']);
    await end(on);
    const { state } = await on.world.registry.read();
    const told = JSON.stringify([state, on.host.commits]);
    expect(JSON.stringify(on.evidence.get('a'))).toContain('a line that only the log has');
    expect(told).not.toContain('a line that only the log has');
    expect(told).not.toContain('evidence');
  });

  it('is not made of a pod that stays up', async () => {
    const on = stage();
    await ours(on, 'a');
    on.pulls.set('a', 'short');
    expect(await end(on)).toMatchObject({ kind: 'released' });
    expect(on.evidence.size).toBe(0);
  });
});

describe('an end', () => {
  it('does not wait for a log or a script that never answers', async () => {
    const on = stage();
    await ours(on, 'a');
    const pod = on.pods.get('a');
    const answer = pod?.answer;
    if (pod === undefined || answer === undefined) throw new Error('no pod');
    pod.answer = (call) => (call.script === 'evidence' ? new Promise(() => undefined) : answer(call));
    const world = {
      ...on.world,
      provider: { ...on.world.provider, logs: () => new Promise<never>(() => undefined) },
    };
    expect(await end(on, world)).toMatchObject({ kind: 'done' });
    expect(namesOf(on, 'a')).toEqual(['about.txt']);
    expect(on.evidence.get('a')?.[0]?.text).toContain('container.log: no answer within 20 s');
  });

  it.each(['log', 'script', 'disk', 'artifact store'])('is not hindered by a %s that fails', async (what) => {
    const on = stage();
    await ours(on, 'a');
    const pod = on.pods.get('a');
    const answer = pod?.answer;
    if (pod === undefined || answer === undefined) throw new Error('no pod');
    if (what === 'script')
      pod.answer = (call) => (call.script === 'evidence' ? 'incomplete-answer' : answer(call));
    if (what === 'log') on.provider.fail('logs', 'server-error');
    const { mirror, keep } = on.world;
    const world = {
      ...on.world,
      ...(what === 'disk'
        ? { mirror: { ...mirror, evidence: () => Promise.reject(worldError('no-space')) } }
        : {}),
      ...(what === 'artifact store'
        ? {
            keep: {
              keep: async (copy: { place: string; name: string }) =>
                copy.name.endsWith('-evidence') ? unseen('no service') : await keep.keep(copy),
            },
          }
        : {}),
    };
    expect(await end(on, world)).toMatchObject({ kind: 'done', detail: { verified: true } });
    expect(ended(on)).toEqual(['a']);
  });
});
