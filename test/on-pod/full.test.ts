/** A tmpfs that is filled to the last byte after the switch was planted: it still respawns, is petted, and fires. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { killIfThere, PodStand, until, withEachTool } from './pod-stand.ts';
import { noContent, noSuchPod, ProviderStand } from './provider-stand.ts';

const mount = (folder: string): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', folder]).status === 0;
const unmount = (folder: string): void => void spawnSync('umount', ['-l', folder]);

function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'podtrack-mount-'));
  const mounted = mount(folder);
  if (mounted) unmount(folder);
  rmdirSync(folder);
  return mounted;
}

const may = mayMount();
describe.skipIf(!may)(`on a real tmpfs${may ? '' : ' [needs leave to mount]'}`, () => {
  let pod: PodStand;
  let provider: ProviderStand;
  afterEach(async () => {
    unmount(join(pod.root, 'dev/shm'));
    await pod.close();
    await provider.close();
  });

  withEachTool((without) => {
    it('respawns, is petted, fires and proves the end (case C24)', async () => {
      provider = new ProviderStand({
        delete: (times) => (times === 1 ? { status: 500 } : noContent),
        get: () => noSuchPod,
      });
      const url = await provider.listen();
      pod = new PodStand({ clock: 1000, without });
      expect(mount(join(pod.root, 'dev/shm'))).toBe(true);
      expect((await pod.install({ rest: url, graphql: `${url}/graphql` })).said.get('armed')).toBe('yes');
      spawnSync('dd', ['if=/dev/zero', `of=${pod.root}/dev/shm/filler`, 'bs=1024']);
      expect(() => writeFileSync(`${pod.root}/dev/shm/more`, 'x'.repeat(8192))).toThrow(/ENOSPC/);

      const first = pod.pidOf('watchdog');
      killIfThere(first);
      await until('a new watchdog', () => ![first, 0].includes(pod.pidOf('watchdog')));
      const pet = ['pet', 'stop_in=500', 'owner_in=400', 'absolute_in=900', 'extensions_left=0'];
      const petted = await pod.run('switch', pet);
      expect(petted.said.get('stop_in'), petted.stdout).toBe('500');
      expect(petted.exit).toBe(0);

      let second = 1500;
      await until('the proof', () => {
        second += 5;
        pod.setClock(second);
        pod.wake();
        return pod.held('credential') === '';
      });
      expect(provider.count('DELETE')).toBe(2);
      await until('silence', () => pod.processes().length === 0);
    });
  });
});
