/** What every door shares: one catch, one exit code, one annotation when it ends red, and an early end on a signal. */
import { ConfigError, type ExitCode, exitOf, Refusal, WorldError } from '../domain/errors.ts';
import type { Env } from '../domain/owner-from-env.ts';
import type { Chance, Clock, Log } from '../ports.ts';
import { annotateFailure, environment, mask } from './io.ts';
import { openDesk } from './wire.ts';

/** What a door's work is given. */
export type Desk = {
  readonly env: Env;
  readonly log: Log;
  readonly clock: Clock;
  readonly chance: Chance;
  /** Hides a secret in the runner's log and in every line and error of ours. */
  mask(secret: string): void;
  /** Secrets taken out of a text. */
  redacted(text: string): string;
  /** From here on a live pod of ours is concerned: a failing world may let it bill. */
  concerned(): void;
};

/** The runner waits 7.5 s between SIGINT and SIGTERM; what is under way gets this long to come to its end. */
const GRACE_MS = 5_000;
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

export async function openDoor(work: (desk: Desk) => Promise<ExitCode>): Promise<void> {
  let concerned = false;
  const desk: Desk = {
    ...openDesk(environment(), mask),
    concerned: () => {
      concerned = true;
    },
  };
  const interrupted = interruption(desk);
  const ending = work(desk).catch((error: unknown): ExitCode => {
    tell(desk, error);
    return exitOf(error, concerned);
  });
  const code = await Promise.race([ending, interrupted.over]);
  await leave(interrupted.code() ?? code);
}

type Interruption = { readonly over: Promise<number>; code(): number | null };

/** Leaves at the end of the grace, or as soon as the work is done: whoever reads the state goes on from there. */
function interruption({ log, clock }: Desk): Interruption {
  let code: number | null = null;
  const over = new Promise<number>((resolve) => {
    for (const [signal, exitCode] of Object.entries(SIGNALS)) {
      process.on(signal, () => {
        if (code !== null) return;
        code = exitCode;
        log.say('notice', `${signal}: stopping; the post step and the reaper end what was begun`);
        clock.sleep(GRACE_MS).then(
          () => resolve(exitCode),
          () => resolve(exitCode),
        );
      });
    }
  });
  return { over, code: () => code };
}

function tell(desk: Desk, error: unknown): void {
  const known = error instanceof ConfigError || error instanceof Refusal || error instanceof WorldError;
  const says = known
    ? error.message
    : `unexpected: ${error instanceof Error ? error.message : String(error)}`;
  annotateFailure(desk.redacted(oneLine(says)));
  if (!known && error instanceof Error) desk.log.say('info', error.stack ?? 'no stack');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 4000);
}

/** Nothing may hold the process open once everything is said. */
async function leave(code: number): Promise<void> {
  await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
  process.exit(code);
}
