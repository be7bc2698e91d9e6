/** Act: the machine that ran the cycles is lost, and the job with it; the switch on the pod has to do it alone. */
import { formatDuration, SECOND_MS } from '../../../domain/duration.ts';
import { BUSY, PET_WINDOW_MS, STOP_TRAINING } from '../cast.ts';
import type { Narrator } from '../narrator.ts';
import { type Scene, USER_AGENT } from '../scene.ts';
import { isCopied, type Laid, recordOf, until } from '../watch.ts';

const FIRES_WITHIN_MS = PET_WINDOW_MS + 20 * SECOND_MS;

export async function nobodyWatches(scene: Scene, tell: Narrator, laid: Laid): Promise<void> {
  const { account, hosts, world } = scene;
  tell.act(
    'The machine that watched is lost',
    'No more cycles, and the training that it drove stops as well. The busy pod has 10 minutes left by its deadline, and ' +
      `nobody to pay attention. Its switch was told to wait ${formatDuration(PET_WINDOW_MS)} for a sign of life.`,
  );
  const record = await recordOf(scene, BUSY);
  await hosts.run(BUSY, STOP_TRAINING);
  const lostAt = world.clock.now();
  tell.tell(
    'The job is dead, and from here on podtrack asks nobody anything. Waiting for the pod itself ...',
  );
  const took = await until(scene, FIRES_WITHIN_MS, () => !account.world.pods.has(BUSY));
  await account.settled();
  const asked = account.requests().filter((request) => request.at >= lostAt && request.podId === BUSY);
  const byPod = asked.filter((request) => request.operation === 'deletePod');
  const byUs = asked.filter((request) => request.userAgent.startsWith(USER_AGENT));
  tell.check(
    took !== null && byPod.length > 0 && byUs.length === 0,
    `${formatDuration(took ?? FIRES_WITHIN_MS)} later (its last beat came just before) the pod had ended itself, with ` +
      'its own key and its own request; podtrack had no part in it.',
    { tookMs: took, requests: byPod.map(({ method, path }) => `${method} ${path}`).join(', ') },
  );
  tell.check(hosts.processes(BUSY).length === 0, 'With the pod its processes are gone, the switch included.');
  tell.check(
    record?.lastMirror?.verified === true && (await isCopied(scene, laid, BUSY)),
    'What the last cycle had copied from it is safe here.',
    { files: record?.lastMirror?.files ?? 0 },
  );
}
