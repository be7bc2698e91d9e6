/** The contract of Mirror on real pods: the server of these tests, OpenSSH, and the embedded world's. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { localTree } from '../../../src/adapters/ssh/mirror/local-tree.ts';
import { sshMirror } from '../../../src/adapters/ssh-mirror.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import { suiteWith } from '../../components.ts';
import { quiet } from '../shell/house.ts';
import { type MirrorHouse, mirrorContract } from './mirror-contract.ts';
import { type PodFolder, podFolder, sshdFolder, worldFolder } from './pod-folder.ts';

function houseOf(pod: PodFolder): MirrorHouse {
  const place = join(pod.here, 'results');
  return {
    mirror: sshMirror({ root: pod.here, clock: systemClock(), log: quiet }),
    session: pod.session,
    spec: pod.spec(),
    absent: pod.spec({ remotePath: '/workspace/nothing' }),
    lay: (...of) => pod.lay(...of),
    link: (...of) => pod.link(...of),
    remove: (...of) => pod.remove(...of),
    copy: () => {
      const names = [...localTree(place).files.keys()].sort();
      return new Map(names.map((name) => [name, readFileSync(join(place, name), 'utf8')]));
    },
    stop: () => pod.close(),
  };
}

mirrorContract('sshMirror on ssh2.Server', async () => houseOf(await podFolder()));
mirrorContract("sshMirror on the world's pods", async () => houseOf(await worldFolder()));

suiteWith(['sshd'], 'on OpenSSH', () => {
  mirrorContract('sshMirror on sshd', async () => houseOf(await sshdFolder()));
});
