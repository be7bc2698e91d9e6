/** `podtrack demo`: the main job end to end on a world of its own, checking itself at every step. */
import { formatDuration } from '../../domain/duration.ts';
import type { Log } from '../../ports.ts';
import { enlisting } from './acts/enlisting.ts';
import { evidence } from './acts/evidence.ts';
import { firstRound } from './acts/first-round.ts';
import { judgement } from './acts/judgement.ts';
import { lostGuards } from './acts/lost-guards.ts';
import { nobodyWatches } from './acts/nobody-watches.ts';
import { opening } from './acts/opening.ts';
import { type Chronicle, chronicle, type Narrator, type Teller } from './narrator.ts';
import { openScene, type Scene } from './scene.ts';
import { Interrupted } from './watch.ts';

export type DemoOptions = Omit<Teller, 'now'> & {
  /** Aborted = end at once and clean up; the exit code is then 130. */
  readonly signal: AbortSignal;
  /** Where PATH is taken from for git. */
  readonly env: Readonly<Record<string, string | undefined>>;
};

const INTERRUPTED = 130;
const LAST_WAIT_MS = 10_000;

/** Answers the exit code: 0 = everything that it promises happened, 1 = something did not, 130 = interrupted. */
export async function runDemo(options: DemoOptions): Promise<number> {
  const startedAt = Date.now();
  const tell = chronicle({ ...options, now: Date.now });
  const isWhole = await play(options, tell);
  const tookMs = Date.now() - startedAt;
  const facts = { tookMs, promises: tell.kept, broken: tell.broken.length };
  if (options.signal.aborted) {
    tell.end('Interrupted. Every process and folder of the demo was taken away.', INTERRUPTED, facts);
    return INTERRUPTED;
  }
  const exitCode = isWhole && tell.broken.length === 0 ? 0 : 1;
  const says =
    exitCode === 0
      ? `All ${tell.kept} promises were kept, in ${formatDuration(tookMs)}.`
      : `Not everything happened as promised: ${tell.broken.join(' ')}`;
  tell.end(says, exitCode, facts);
  return exitCode;
}

/** Whatever happens, the scene is cleared; false = the story broke off. */
async function play({ env, signal }: DemoOptions, tell: Chronicle): Promise<boolean> {
  let scene: Scene | null = null;
  let telling: Promise<void> = Promise.resolve();
  try {
    scene = await openScene({ env, signal, log: logTo(tell, signal) });
    telling = story(scene, untilStopped(tell, signal));
    await Promise.race([telling, interruption(signal)]);
    return true;
  } catch (error) {
    if (!(error instanceof Interrupted) && !signal.aborted) {
      tell.check(false, `The story broke off: ${error instanceof Error ? error.message : String(error)}`);
    }
    return false;
  } finally {
    await scene?.close();
    await Promise.race([telling.catch(() => undefined), giveUp()]);
    await scene?.remove();
    const left = scene?.leftovers() ?? [];
    tell.check(left.length === 0, leftBehind(left), { left: left.length });
  }
}

/** What was under way at an interruption ends by itself, as nothing answers it any more; were it not so, we go all the same. */
async function giveUp(): Promise<void> {
  await new Promise<void>((resolve) => void setTimeout(resolve, LAST_WAIT_MS).unref());
}

function leftBehind(left: readonly string[]): string {
  return left.length === 0
    ? 'Every process and folder of the demo is gone from this machine.'
    : `These are left behind: ${left.join(', ')}.`;
}

async function story(scene: Scene, tell: Narrator): Promise<void> {
  const laid = await opening(scene, tell);
  await enlisting(scene, tell);
  const firstLookAt = await firstRound(scene, tell, laid);
  await lostGuards(scene, tell);
  await judgement(scene, tell, { laid, firstLookAt });
  await nobodyWatches(scene, tell, laid);
  await evidence(scene, tell, laid);
}

/** What still happens after an interruption is no part of the story. */
function untilStopped(tell: Narrator, signal: AbortSignal): Narrator {
  const going = (): Narrator => {
    if (signal.aborted) throw new Interrupted();
    return tell;
  };
  return {
    act: (title, why) => going().act(title, why),
    tell: (says, facts, pod) => going().tell(says, facts, pod),
    check: (isKept, says, facts) => going().check(isKept, says, facts),
    quote: (command, lines) => going().quote(command, lines),
  };
}

async function interruption(signal: AbortSignal): Promise<never> {
  return await new Promise((_, reject) => {
    const stop = (): void => reject(new Interrupted());
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** What the flows say meanwhile; everyday news stays out of the story. */
function logTo(tell: Narrator, signal: AbortSignal): Log {
  return {
    say: (level, line) => {
      if (level !== 'debug' && level !== 'info' && !signal.aborted) tell.tell(`(${line})`, { level });
    },
    progress: () => undefined,
  };
}
