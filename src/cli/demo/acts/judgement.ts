/** Act: the cycle that finds everything out: the lost switch, the deadline that lapsed, the pod that idles. */
import { formatDuration, SECOND_MS } from '../../../domain/duration.ts';
import type { PodRecord } from '../../../domain/pod.ts';
import type { Cycle } from '../../../flows/reap.ts';
import { BUSY, EXPIRED, IDLE, RESULTS } from '../cast.ts';
import { runCycle } from '../cycle.ts';
import type { Narrator } from '../narrator.ts';
import type { Scene } from '../scene.ts';
import { guardOf, isCopied, type Laid, pause, recordOf } from '../watch.ts';

const MOST_CYCLES = 4;
const DOOMED = [EXPIRED, IDLE] as const;
const MORE_THAN_WINDOW_MS = 200;

export type Before = { readonly laid: Laid; readonly firstLookAt: number };

export async function judgement(scene: Scene, tell: Narrator, before: Before): Promise<void> {
  const isSlow = !scene.account.world.pods.has(EXPIRED);
  const alsoExpired = isSlow ? '' : ' the expired pod, because its deadline passed, and';
  tell.act(
    'The next cycle acts',
    `It arms the busy pod again with the time that is left. It ends${alsoExpired} ` +
      'the idle one, because it idled for the whole window (six more looks at the GPU just before, to be sure). In that ' +
      'order always: fence it off, copy, compare, ask again, and only then DELETE.',
  );
  if (isSlow)
    tell.tell('This machine is slow: the expired pod was due in the cycle before, and ended there.');
  await untilItMatters(scene, tell, before.firstLookAt);
  const cycles: Cycle[] = [];
  for (let round = 1; round <= MOST_CYCLES; round += 1) {
    if (round > 1) await pause(scene, 1000);
    cycles.push(await runCycle(scene, tell));
    const left = DOOMED.filter((pod) => scene.account.world.pods.has(pod));
    if (left.length === 0) break;
  }
  await checkRearmed(scene, tell, cycles);
  await checkEnded(scene, tell, { pod: EXPIRED, reason: 'owner-deadline', laid: before.laid });
  await checkEnded(scene, tell, { pod: IDLE, reason: 'idle', laid: before.laid });
}

/** Real clocks: the deadline has to pass, and the second idle look must lie the whole window after the first. */
async function untilItMatters(scene: Scene, tell: Narrator, firstLookAt: number): Promise<void> {
  const expired = await recordOf(scene, EXPIRED);
  const windowOver = firstLookAt + scene.rules.idleWindowMs + MORE_THAN_WINDOW_MS;
  const at = Math.max(expired?.deadlines.ownerSetAt ?? 0, windowOver);
  const waitMs = Math.max(0, at - scene.world.clock.now());
  const says = `Waiting ${formatDuration(waitMs)}, by the real clock, until both are due ...`;
  if (waitMs >= SECOND_MS) tell.tell(says, { waitMs });
  await pause(scene, waitMs);
}

async function checkRearmed(scene: Scene, tell: Narrator, cycles: readonly Cycle[]): Promise<void> {
  const outcomes = cycles.flatMap((cycle) => cycle.outcomes);
  const rearmed = outcomes.some(
    ({ pod, order, kind }) => pod === BUSY && order === 're-arm' && kind === 'done',
  );
  const watchdog = await guardOf(scene, BUSY, 'watchdog');
  tell.check(rearmed && watchdog !== null, `The busy pod is armed again (watchdog ${watchdog ?? 'none'}).`, {
    watchdog,
  });
}

type Ended = { readonly pod: string; readonly reason: string; readonly laid: Laid };

async function checkEnded(scene: Scene, tell: Narrator, { pod, reason, laid }: Ended): Promise<void> {
  const record = await recordOf(scene, pod);
  const gone = !scene.account.world.pods.has(pod);
  const end = record?.end ?? null;
  const isRecorded = end?.how === 'terminated' && end.reason === reason && end.verified === true;
  const copied = await isCopied(scene, laid, pod);
  tell.check(
    gone && isRecorded && copied,
    `The ${record?.name ?? pod} pod is gone, confirmed by asking RunPod again${lateness(record)}; its files from ` +
      `${RESULTS} were verified before, and lie here byte for byte.`,
    { pod, gone, recorded: isRecorded, copied },
  );
}

function lateness(record: PodRecord | undefined): string {
  if (record?.end?.reason !== 'owner-deadline') return '';
  return `, ${formatDuration(record.end.at - record.deadlines.ownerSetAt)} after its deadline`;
}
