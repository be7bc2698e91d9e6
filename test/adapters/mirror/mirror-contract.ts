/** What every Mirror keeps, run on the fake and on real pods alike. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verify } from '../../../src/domain/artifacts.ts';
import { WorldError } from '../../../src/domain/errors.ts';
import type { Mirror, PullSpec, ShellSession } from '../../../src/ports.ts';

/** A mirror and a pod whose files the test chooses. */
export type MirrorHouse = {
  readonly mirror: Mirror;
  readonly session: ShellSession;
  readonly spec: PullSpec;
  /** A path that the pod does not have. */
  readonly absent: PullSpec;
  lay(files: Readonly<Record<string, string>>): void;
  link(path: string, target: string): void;
  remove(path: string): void;
  /** The promoted copy: path → content. */
  copy(): ReadonlyMap<string, string>;
  stop(): Promise<void>;
};

export function mirrorContract(name: string, build: () => Promise<MirrorHouse>): void {
  describe(`${name} keeps the contract of Mirror`, () => {
    let house: MirrorHouse;
    beforeAll(async () => {
      house = await build();
    });
    afterAll(async () => {
      await house.stop();
    });
    const pull = () => house.mirror.pull(house.session, house.spec);
    const manifest = () => house.mirror.manifest(house.session, house.spec);

    it('promotes nothing where there is nothing, and says so', async () => {
      const pulled = await pull();
      expect([pulled.files, pulled.bytes, pulled.remote.files]).toEqual([0, 0, []]);
      const verdict = verify({ pulled, later: await manifest(), before: null, allowEmpty: false });
      expect(verdict).toMatchObject({ kind: 'unverified', reason: 'nothing-there' });
    });

    it('tells zero-byte files alone from a result', async () => {
      house.lay({ 'done.txt': '' });
      const pulled = await pull();
      expect([pulled.files, pulled.bytes]).toEqual([1, 0]);
      const verdict = verify({ pulled, later: await manifest(), before: null, allowEmpty: false });
      expect(verdict).toMatchObject({ kind: 'unverified', reason: 'only-empty-files' });
    });

    it('brings the whole tree, and a second look at the pod agrees with it', async () => {
      house.lay({ 'loss.csv': '1,2\n', 'epoch 10/weights.pt': 'w'.repeat(5000) });
      house.link('latest', 'epoch 10/weights.pt');
      const pulled = await pull();
      expect(house.copy()).toEqual(
        new Map([
          ['done.txt', ''],
          ['epoch 10/weights.pt', 'w'.repeat(5000)],
          ['loss.csv', '1,2\n'],
        ]),
      );
      expect([pulled.files, pulled.bytes]).toEqual([3, 5004]);
      expect(pulled.remote.links).toEqual([{ path: 'latest', target: 'epoch 10/weights.pt' }]);
      const verdict = verify({ pulled, later: await manifest(), before: 1, allowEmpty: false });
      expect(verdict).toEqual({ kind: 'verified' });
    });

    it('gives the same digest for the same tree and another for any change', async () => {
      const first = await pull();
      expect((await pull()).digest).toBe(first.digest);
      house.lay({ 'loss.csv': '1,3\n' });
      expect((await pull()).digest).not.toBe(first.digest);
    });

    it('shows what changed after a pull, so that it is not taken for verified', async () => {
      const pulled = await pull();
      house.lay({ 'loss.csv': '1,4\n' });
      house.remove('done.txt');
      const verdict = verify({ pulled, later: await manifest(), before: null, allowEmpty: false });
      expect(verdict).toEqual({
        kind: 'unverified',
        reason: 'changed-since',
        paths: expect.arrayContaining(['loss.csv', 'done.txt']),
      });
    });

    it('follows the pod: what was removed there is gone from the copy', async () => {
      await pull();
      expect([...house.copy().keys()].sort()).toEqual(['epoch 10/weights.pt', 'loss.csv']);
    });

    it('fails for a path that is not there: absent is not empty', async () => {
      const looks = [
        () => house.mirror.pull(house.session, house.absent),
        () => house.mirror.manifest(house.session, house.absent),
      ];
      for (const look of looks) {
        const error: unknown = await look().catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(WorldError);
        expect(error).toMatchObject({ failure: 'not-found' });
      }
    });
  });
}
