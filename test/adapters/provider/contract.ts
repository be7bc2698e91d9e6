/** What every Provider must do, whatever is behind it; run on RunPod's words, on the embedded world and on the fake. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Provider } from '../../../src/ports.ts';
import { failureOf } from './bench.ts';

/** An account with exactly two pods, one running with four log lines, one stopped, and three keys to it. */
export type Stage = {
  readonly full: Provider;
  readonly readOnly: Provider;
  readonly refused: Provider;
  readonly close: () => Promise<void>;
};

export const RUNNING = 'aaaaaaaaaaaa01';
export const EXITED = 'bbbbbbbbbbbb02';
const NOBODY = 'zzzzzzzzzzzz99';
export const STAMPED = `1:${'ab'.repeat(16)}:1234:5678:1772452800:1772474400:${'cd'.repeat(8)}`;
export const LOG = ['Pod Started', 'line 2', 'line 3', 'ready'];

export function providerContract(name: string, setUp: () => Promise<Stage>): void {
  describe(`a provider: ${name}`, () => {
    let stage: Stage;
    beforeEach(async () => {
      stage = await setUp();
    });
    afterEach(() => stage.close());

    const statusOf = async (id: string): Promise<string> => {
      const look = await stage.full.get(id);
      return look.kind === 'absent' ? 'absent' : look.pod.status;
    };

    it('lists pods in every status, with stamp, address and telemetry of the running one', async () => {
      const { pods, malformed } = await stage.full.list();
      expect(malformed).toEqual([]);
      expect(new Map(pods.map((pod) => [pod.id, pod.status]))).toEqual(
        new Map([
          [RUNNING, 'RUNNING'],
          [EXITED, 'EXITED'],
        ]),
      );
      const running = pods.find(({ id }) => id === RUNNING);
      expect(running).toMatchObject({ stamp: STAMPED, ssh: { kind: 'seen' }, telemetry: { kind: 'seen' } });
      expect(running?.costPerHourMicroUsd).toBeGreaterThan(0);
      expect(running?.createdAt).toBeTypeOf('number');
      const exited = pods.find(({ id }) => id === EXITED);
      expect(exited).toMatchObject({ stamp: null, costPerHourMicroUsd: 0, ssh: { kind: 'unseen' } });
    });

    it('shows one pod as the list shows it', async () => {
      const listed = (await stage.full.list()).pods.find(({ id }) => id === EXITED);
      expect(await stage.full.get(EXITED)).toEqual({ kind: 'present', pod: listed });
    });

    it('says absent of a pod that is not there', async () => {
      expect(await stage.full.get(NOBODY)).toEqual({ kind: 'absent' });
    });

    it('ends a running and a stopped pod, after which a look shows it', async () => {
      for (const id of [RUNNING, EXITED]) {
        expect(await stage.full.terminate(id)).toBe('accepted');
        expect(['absent', 'TERMINATED']).toContain(await statusOf(id));
      }
    });

    it('ends what is not there as already absent, as often as asked', async () => {
      expect(await stage.full.terminate(NOBODY)).toBe('already-absent');
      await stage.full.terminate(RUNNING);
      expect(await stage.full.terminate(RUNNING)).toBe('already-absent');
    });

    it('stops a pod, which then has no address, and starts it again', async () => {
      await stage.full.stop(RUNNING);
      expect(await stage.full.get(RUNNING)).toMatchObject({
        pod: { status: 'EXITED', ssh: { kind: 'unseen' } },
      });
      const started = await stage.full.start(RUNNING);
      expect(started.id).toBe(RUNNING);
      expect(['PROVISIONING', 'STARTING', 'RUNNING']).toContain(started.status);
    });

    it('starts no pod that is not there', async () => {
      expect((await failureOf(stage.full.start(NOBODY))).failure).toBe('not-found');
    });

    it('gives the newest log lines, newest last', async () => {
      expect(await stage.full.logs(RUNNING, 3)).toEqual(LOG.slice(-3));
      expect(await stage.full.logs(RUNNING, 0)).toEqual([]);
      expect((await failureOf(stage.full.logs(NOBODY, 3))).failure).toBe('not-found');
    });

    it('gives balance and spend in whole micro-dollars', async () => {
      const account = await stage.full.account();
      if (account.kind === 'unseen') throw new Error(account.reason);
      expect(account.value.id).not.toBe('');
      expect(account.value.balanceMicroUsd).toBe(25_000_000);
      expect(Number.isSafeInteger(account.value.spendPerHourMicroUsd)).toBe(true);
    });

    it('measures what a key may do, without harm', async () => {
      expect(await stage.full.abilities()).toEqual({ read: 'yes', terminate: 'yes' });
      expect(await stage.readOnly.abilities()).toEqual({ read: 'yes', terminate: 'no' });
      expect(await stage.refused.abilities()).toEqual({ read: 'no', terminate: 'no' });
      expect((await stage.full.list()).pods).toHaveLength(2);
    });

    it('changes nothing with a key that may only read', async () => {
      expect((await stage.readOnly.list()).pods).toHaveLength(2);
      const { terminate, stop } = {
        terminate: await failureOf(stage.readOnly.terminate(RUNNING)),
        stop: await failureOf(stage.readOnly.stop(RUNNING)),
      };
      expect([terminate.failure, stop.failure]).toEqual(['forbidden', 'forbidden']);
      expect(await statusOf(RUNNING)).toBe('RUNNING');
    });

    it('says nothing to a key that is refused: no empty list, no absent pod', async () => {
      for (const call of [
        stage.refused.list(),
        stage.refused.get(RUNNING),
        stage.refused.terminate(RUNNING),
      ]) {
        expect((await failureOf(call)).failure).toBe('unauthorized');
      }
      expect((await stage.refused.account()).kind).toBe('unseen');
    });
  });
}
