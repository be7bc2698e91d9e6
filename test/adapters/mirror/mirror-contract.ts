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

    it('brings the chosen files alone, and its look at the pod speaks of the same', async () => {
      house.lay({ 'epoch 10/.part.tmp': 'half', 'cache/a': 'x', 'cache/b': 'y' });
      const spec = { ...house.spec, choice: { include: ['epoch *', '*.csv'], exclude: ['**/*.tmp'] } };
      const pulled = await house.mirror.pull(house.session, spec);
      const later = await house.mirror.manifest(house.session, spec);
      expect([...house.copy().keys()]).toEqual(['epoch 10/weights.pt', 'loss.csv']);
      expect(pulled).toMatchObject({ files: 2, leftOut: 3, refused: [], remote: { links: [] } });
      expect(verify({ pulled, later, before: null, allowEmpty: false })).toEqual({ kind: 'verified' });
      // What nobody chose may change as it likes.
      house.lay({ 'cache/a': 'other', 'cache/c': 'new' });
      const muchLater = await house.mirror.manifest(house.session, spec);
      expect(verify({ pulled, later: muchLater, before: 2, allowEmpty: false })).toEqual({
        kind: 'verified',
      });
    });

    it('a choice that matches nothing is as an empty folder, and promotes nothing', async () => {
      const before = house.copy();
      const spec = { ...house.spec, choice: { include: ['nowhere/**'], exclude: [] } };
      const pulled = await house.mirror.pull(house.session, spec);
      expect(pulled).toMatchObject({ files: 0, leftOut: 6 });
      expect(house.copy()).toEqual(before);
      expect(verify({ pulled, later: pulled.remote, before: null, allowEmpty: false })).toEqual({
        kind: 'unverified',
        reason: 'nothing-there',
        leftOut: 6,
      });
      expect(verify({ pulled, later: pulled.remote, before: null, allowEmpty: true })).toEqual({
        kind: 'verified',
      });
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
