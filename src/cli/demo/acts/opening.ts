/** Act: a world starts, with four pods in one account, three of which will be ours. */
import { BUSY, FOREIGN, OURS, START_TRAINING } from '../cast.ts';
import type { Narrator } from '../narrator.ts';
import type { Scene } from '../scene.ts';
import { type Laid, laidOut } from '../watch.ts';

export async function opening(scene: Scene, tell: Narrator): Promise<Laid> {
  const { account, hosts } = scene;
  tell.act(
    'A world starts',
    'Nothing here touches RunPod. A small RunPod of its own runs on this machine: a real HTTP API, and every pod a ' +
      'folder with a real shell behind a real SSH server. All of it lies in one private folder and goes when the demo ends.',
  );
  tell.tell(`The API answers at ${account.restUrl}; PODTRACK_HOME is ${scene.home}.`, {
    url: account.restUrl,
    home: scene.home,
  });
  tell.tell('runs a training; its GPU works and it beats once a second', {}, 'busy');
  tell.tell('has finished: GPU at 0 %, though its memory is still full', {}, 'idle');
  tell.tell('is paid for too short a time: its deadline comes in seconds', {}, 'expired');
  tell.tell('belongs to somebody else: nine days old, idle, and none of our business', {}, 'foreign');
  if (hosts.standIns.length > 0) {
    tell.tell(
      'This machine has neither curl nor wget, so each pod gets a small stand-in for curl, run by Node.',
      { standIns: hosts.standIns.join(',') },
    );
  }
  const laid = await laidOut(scene);
  await hosts.run(BUSY, START_TRAINING);
  const pods = account.world.pods;
  const up = [...OURS, FOREIGN].filter((pod) => pods.get(pod)?.status === 'RUNNING');
  tell.check(up.length === OURS.length + 1, 'Four pods run and can be reached.', { running: up.length });
  return laid;
}
