/** Act: the guards on one pod are killed, first one of them, then both. */
import { BUSY } from '../cast.ts';
import type { Narrator } from '../narrator.ts';
import type { Scene } from '../scene.ts';
import { guardOf, killBothGuards, until } from '../watch.ts';

const COMES_BACK_WITHIN_MS = 15_000;

export async function lostGuards(scene: Scene, tell: Narrator): Promise<void> {
  tell.act(
    'Somebody kills the watchdog',
    'Out of memory, a careless pkill: it happens. On the pod two processes mind each other, so one of them alone is not ' +
      'missed for long. When both go at once, nothing on the pod can help; the next cycle has to see it.',
  );
  const killed = await scene.hosts.killProcess(BUSY, 'watchdog');
  tell.tell(`watchdog ${killed} killed`, { killed }, 'busy');
  let next: number | null = null;
  const took = await until(scene, COMES_BACK_WITHIN_MS, async () => {
    next = await guardOf(scene, BUSY, 'watchdog');
    return next !== null && next !== killed;
  });
  tell.check(took !== null, `Its supervisor started a new watchdog (${next ?? 'none'}).`, {
    watchdog: next,
    tookMs: took,
  });
  const gone = await killBothGuards(scene, BUSY);
  tell.check(gone, 'Now both are killed at once: the busy pod has no switch at all.');
}
