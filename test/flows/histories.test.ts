/** Random histories: whatever happens in whatever order, the two rules of the house hold at every DELETE. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seen } from '../../src/domain/part.ts';
import { REASONS, type Reason } from '../../src/domain/policy/reasons.ts';
import { actingOwner, actingReaper } from '../../src/flows/acting.ts';
import { takeFence } from '../../src/flows/ending/fence.ts';
import { reap } from '../../src/flows/reap.ts';
import type { Provider } from '../../src/ports.ts';
import { anOwner, minutes } from '../domain/build.ts';
import { ours, put, reapOptions, type Stage, stage } from './stage.ts';

const IDS = ['a', 'b', 'c'];

type Event =
  | { readonly kind: 'pass'; readonly min: number }
  | { readonly kind: 'util'; readonly pod: number; readonly util: string }
  | { readonly kind: 'beat'; readonly pod: number; readonly ageS: number | null }
  | {
      readonly kind: 'door';
      readonly pod: number;
      readonly door: 'open' | 'no-route' | 'refused-login' | 'held-shut';
    }
  | { readonly kind: 'wipe'; readonly pod: number }
  | { readonly kind: 'write'; readonly pod: number; readonly files: number }
  | { readonly kind: 'pull'; readonly pod: number; readonly how: 'works' | 'stalls' | 'short' }
  | { readonly kind: 'hide'; readonly pod: number }
  | { readonly kind: 'vanish'; readonly pod: number }
  | {
      readonly kind: 'status';
      readonly pod: number;
      readonly status: 'RUNNING' | 'EXITED' | 'ERROR' | 'OTHER';
    }
  | { readonly kind: 'fail'; readonly verb: 'list' | 'get' | 'terminate' | 'account' }
  | { readonly kind: 'over'; readonly pod: number }
  | { readonly kind: 'extend'; readonly pod: number; readonly min: number }
  | { readonly kind: 'keep'; readonly pod: number; readonly min: number }
  | { readonly kind: 'ask-end'; readonly pod: number }
  | { readonly kind: 'die-fenced'; readonly pod: number }
  | { readonly kind: 'account'; readonly id: string }
  | { readonly kind: 'lose-sweep' };

const podIndex = fc.nat(IDS.length - 1);
const someEvent: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), min: fc.constantFrom(1, 4, 5, 11, 30, 200) }),
  },
  fc.record({ kind: fc.constant('util' as const), pod: podIndex, util: fc.constantFrom('0', '97', '[N/A]') }),
  fc.record({ kind: fc.constant('beat' as const), pod: podIndex, ageS: fc.constantFrom(null, 30, 5000) }),
  fc.record({
    kind: fc.constant('door' as const),
    pod: podIndex,
    door: fc.constantFrom(
      'open' as const,
      'no-route' as const,
      'refused-login' as const,
      'held-shut' as const,
    ),
  }),
  fc.record({ kind: fc.constant('wipe' as const), pod: podIndex }),
  fc.record({ kind: fc.constant('write' as const), pod: podIndex, files: fc.nat(3) }),
  fc.record({
    kind: fc.constant('pull' as const),
    pod: podIndex,
    how: fc.constantFrom('works' as const, 'stalls' as const, 'short' as const),
  }),
  fc.record({ kind: fc.constant('hide' as const), pod: podIndex }),
  fc.record({ kind: fc.constant('vanish' as const), pod: podIndex }),
  fc.record({
    kind: fc.constant('status' as const),
    pod: podIndex,
    status: fc.constantFrom('RUNNING' as const, 'EXITED' as const, 'ERROR' as const, 'OTHER' as const),
  }),
  fc.record({
    kind: fc.constant('fail' as const),
    verb: fc.constantFrom('list' as const, 'get' as const, 'terminate' as const, 'account' as const),
  }),
  fc.record({ kind: fc.constant('over' as const), pod: podIndex }),
  fc.record({ kind: fc.constant('extend' as const), pod: podIndex, min: fc.integer({ min: 1, max: 300 }) }),
  fc.record({ kind: fc.constant('keep' as const), pod: podIndex, min: fc.integer({ min: 1, max: 300 }) }),
  fc.record({ kind: fc.constant('ask-end' as const), pod: podIndex }),
  fc.record({ kind: fc.constant('die-fenced' as const), pod: podIndex }),
  fc.record({
    kind: fc.constant('account' as const),
    id: fc.constantFrom('user_scripted', 'user_scripted', 'somebody'),
  }),
  fc.record({ kind: fc.constant('lose-sweep' as const) }),
);

async function happen(on: Stage, event: Event): Promise<void> {
  const id = 'pod' in event ? (IDS[event.pod] ?? '') : '';
  const pod = on.pods.get(id);
  switch (event.kind) {
    case 'pass':
      return on.clock.jump(minutes(event.min));
    case 'util':
      if (pod !== undefined) pod.util = event.util;
      return;
    case 'beat':
      if (pod !== undefined) pod.heartbeatAgeS = event.ageS;
      return;
    case 'door':
      if (pod === undefined) return;
      if (event.door === 'open') delete pod.door;
      else pod.door = event.door;
      return;
    case 'wipe':
      if (pod !== undefined) pod.planted = null;
      return;
    case 'write':
      on.files.set(
        id,
        Object.fromEntries(
          Array.from({ length: event.files }, (_, index) => [`f${index}`, `${on.clock.now()}`]),
        ),
      );
      return;
    case 'pull':
      if (event.how === 'works') on.pulls.delete(id);
      else on.pulls.set(id, event.how);
      return;
    default:
      return await befall(on, event, id);
  }
}

async function befall(on: Stage, event: Event, id: string): Promise<void> {
  const shown = on.provider.pods.get(id);
  switch (event.kind) {
    case 'hide':
      on.provider.hidden.add(id);
      return;
    case 'vanish':
      on.provider.pods.delete(id);
      return;
    case 'status':
      if (shown !== undefined) on.provider.put({ ...shown, status: event.status, statusText: event.status });
      return;
    case 'fail':
      return on.provider.fail(event.verb, 'server-error', { times: 1 });
    case 'over':
      on.owners.set(`u-${id}`, seen({ state: 'completed', completedAt: on.clock.now(), conclusion: null }));
      return;
    case 'extend': {
      const acting = actingOwner(anOwner({ uuid: `u-${id}` }), null);
      const at = on.clock.now();
      const ownerDeadlineAt = at + minutes(event.min);
      await on.world.registry.submit([
        { op: 'extend', key: `${at}/${id}`, at, actor: acting.actor, pod: id, ownerDeadlineAt },
      ]);
      return;
    }
    case 'account':
      on.provider.money = seen({ id: event.id, balanceMicroUsd: 1, spendPerHourMicroUsd: 0 });
      return;
    case 'lose-sweep':
      on.host.state = null;
      return;
    default:
      return await speak(on, event, id);
  }
}

/** What an owner says, and what somebody leaves behind who dies with a fence. */
async function speak(on: Stage, event: Event, id: string): Promise<void> {
  const acting = actingOwner(anOwner({ uuid: `u-${id}` }), null);
  const at = on.clock.now();
  const record = (await on.world.registry.read()).state.pods[`runpod.${id}`];
  if (record === undefined) return;
  switch (event.kind) {
    case 'keep': {
      const untilAt = at + minutes(event.min);
      const op = { op: 'keep' as const, key: `${at}/keep/${id}`, at, actor: acting.actor, pod: id };
      await on.world.registry.submit([{ ...op, untilAt, reason: 'look' }]);
      return;
    }
    case 'ask-end':
      await takeFence(on.world, acting, record, { reason: 'requested', inferred: false, verdict: null });
      return;
    case 'die-fenced': {
      const dead = actingReaper(`dead-${at}`, null);
      await takeFence(on.world, dead, record, { reason: 'idle', inferred: true, verdict: null });
      return;
    }
    default:
  }
}

/** Watches every DELETE: who holds which fence, and whether what the pod holds now has been pulled. */
function watched(on: Stage, pulledNow: Map<string, string>): Provider {
  return {
    ...on.provider,
    terminate: async (podId) => {
      expect(IDS, 'a foreign pod is never ended').toContain(podId);
      const { state } = await on.world.registry.read();
      const record = state.pods[`runpod.${podId}`];
      expect(record?.status, 'no DELETE without a fence').toBe('terminating');
      expect(record?.fence?.holder, 'the fence is of the reaper at work').toMatch(/^reaper:reaper-/);
      expect(record?.fence?.until, 'a lapsed fence ends nothing').toBeGreaterThan(on.clock.now());
      const reason = (record?.fence?.reason ?? 'idle') as Reason;
      if (!REASONS[reason].beforeVerified) {
        const now = JSON.stringify(on.files.get(podId));
        expect(pulledNow.get(podId), `${reason}: what the pod holds must have been pulled`).toBe(now);
        expect(on.pulls.get(podId), `${reason}: a bad pull is no pull`).toBeUndefined();
      }
      return await on.provider.terminate(podId);
    },
  };
}

async function live(events: readonly Event[]): Promise<Stage> {
  const on = stage();
  for (const id of IDS) await ours(on, id, { register: { killInMs: minutes(300) } });
  put(on, 'foreign', { createdAt: 0 });
  const pulledNow = new Map<string, string>();
  const { mirror } = on.world;
  const world = {
    ...on.world,
    provider: watched(on, pulledNow),
    mirror: {
      ...mirror,
      pull: async (...of: Parameters<typeof mirror.pull>) => {
        const pulled = await mirror.pull(...of);
        pulledNow.set(of[0].podId, JSON.stringify(on.files.get(of[0].podId)));
        return pulled;
      },
    },
  };
  for (const [index, event] of events.entries()) {
    await happen(on, event);
    const before = (await on.world.registry.read()).state;
    // Each cycle is another process, as in CI.
    const cycle = await reap(world, reapOptions({ acting: actingReaper(`reaper-${index}`, null) }));
    expect(cycle.outcomes.filter((one) => one.reason === 'unexpected-error')).toEqual([]);
    const after = (await on.world.registry.read()).state;
    for (const id of IDS) {
      const [was, is] = [before.pods[`runpod.${id}`]?.deadlines, after.pods[`runpod.${id}`]?.deadlines];
      expect(is?.absoluteDeadlineAt, 'a cycle moves no absolute deadline').toBe(was?.absoluteDeadlineAt);
      expect((is?.extensions ?? 0) - (was?.extensions ?? 0)).toBeLessThanOrEqual(1);
    }
  }
  return on;
}

describe('random histories', () => {
  it('never end a pod unfenced, unverified or foreign, and never leave a connection open', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(someEvent, { minLength: 5, maxLength: 30 }), async (events) => {
        const on = await live(events);
        expect(on.shell.openNow()).toBe(0);
        expect(on.shell.opened).not.toContain('foreign');
      }),
      { numRuns: 40 },
    );
  });

  it('end every pod by its absolute deadline, whatever it was like before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(someEvent, { maxLength: 12 }), async (events) => {
        const on = await live(events.filter((event) => event.kind !== 'fail'));
        on.provider.hidden.clear();
        on.provider.money = seen({ id: 'user_scripted', balanceMicroUsd: 1, spendPerHourMicroUsd: 0 });
        on.clock.jump(minutes(2000));
        const world = on.world;
        for (let cycle = 0; cycle < 5; cycle += 1) {
          on.clock.jump(minutes(31));
          await reap(world, reapOptions());
        }
        const { state } = await world.registry.read();
        const open = Object.values(state.pods).filter(
          (one) => one.status === 'active' && on.provider.pods.has(one.id),
        );
        expect(open.map((one) => one.id)).toEqual([]);
        expect([...on.provider.pods.keys()]).toEqual(['foreign']);
      }),
      { numRuns: 20 },
    );
  });
});
