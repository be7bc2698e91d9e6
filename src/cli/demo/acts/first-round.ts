/** Act: a first reap cycle, in which nobody is ended. */
import { BUSY, IDLE } from '../cast.ts';
import { runCycle } from '../cycle.ts';
import type { Narrator } from '../narrator.ts';
import type { Scene } from '../scene.ts';
import { isCopied, type Laid, recordOf } from '../watch.ts';

/** Answers when the cycle judged, epoch ms. */
export async function firstRound(scene: Scene, tell: Narrator, laid: Laid): Promise<number> {
  tell.act(
    'A reap cycle looks at every pod',
    'Some machine of yours runs this every few minutes; here it runs every few seconds, with rules to match. It visits ' +
      'each pod once, pets the switch (a sign of life, so that it waits), copies new artifacts, and ' +
      'decides. One idle look is not enough to end a pod: it takes two, at least 2 s apart.',
  );
  const cycle = await runCycle(scene, tell);
  const busy = await recordOf(scene, BUSY);
  tell.check(
    (await isCopied(scene, laid, BUSY)) && busy?.lastMirror?.verified === true,
    'The artifacts of the busy pod lie on this disk, compared file by file by SHA-256.',
    { files: busy?.lastMirror?.files ?? 0 },
  );
  const idle = await recordOf(scene, IDLE);
  tell.check(idle?.status === 'active', 'The idle pod still runs: nobody is ended at first sight.');
  return cycle.plan.at;
}
