/** Shell over ssh2: one connection per pod, logins bounded in number and time; a login that fails says which of four ways. */
import pLimit from 'p-limit';
import { WorldError } from '../domain/errors.ts';
import type { Clock, Log, Shell, ShellTarget } from '../ports.ts';
import { type Connection, logIn } from './ssh/connect.ts';
import { anyGreets, REFERENCES, type Reference } from './ssh/own-network.ts';
import { type OnPodTexts, sshSession } from './ssh/session.ts';

export type SshShellOptions = {
  /** As `readPrivateKey` returns it. */
  readonly privateKey: string;
  readonly scripts: OnPodTexts;
  readonly clock: Clock;
  readonly log: Log;
  /** Logins under way at once; a further `open` waits until one is done. */
  readonly maxLogins?: number;
  readonly maxChannels?: number;
  /** Both tries of one `open` together. */
  readonly loginMs?: number;
  readonly retryPauseMs?: number;
  /** Three unanswered keepalives end a connection. */
  readonly keepaliveMs?: number;
  readonly maxAnswerBytes?: number;
  /** Who is asked whether our own network works. */
  readonly references?: readonly Reference[];
};

const TRIES = 2;
/** A login that worked this recently proves our network without asking anybody. */
const PROOF_MS = 60_000;

/** See docs/facts/ssh.md for what each failure rests on. */
export function sshShell(options: SshShellOptions): Shell {
  const { clock, log, loginMs = 30_000, retryPauseMs = 2_000 } = options;
  const login = { privateKey: options.privateKey, clock, keepaliveMs: options.keepaliveMs ?? 10_000 };
  // Logins cost work on both sides, open sessions next to none. A cycle holds one session per pod until all its orders
  // are done, so a limit on sessions would make a large fleet wait for itself for ever.
  const logins = pLimit(options.maxLogins ?? 32);
  let workedAt: number | null = null;

  /** Refused logins and wrong keys are answers; only what may pass by itself is tried again. */
  const logInPatiently = async (target: ShellTarget): Promise<Connection> => {
    const untilAt = clock.now() + loginMs;
    for (let attempt = 1; ; attempt += 1) {
      const left = untilAt - clock.now();
      try {
        return await logIn(target, login, attempt < TRIES ? clock.now() + left / TRIES : untilAt);
      } catch (error) {
        const passes = error instanceof WorldError && error.retryable;
        if (!passes || attempt >= TRIES || clock.now() + retryPauseMs >= untilAt) throw error;
        log.say('debug', `pod ${target.podId}: ${error.failure}, trying once more`);
        await clock.sleep(retryPauseMs);
      }
    }
  };

  return {
    async open(target) {
      const connection = await logins(() => logInPatiently(target));
      workedAt = clock.now();
      const { scripts, maxChannels = 8, maxAnswerBytes = 4 * 1024 * 1024 } = options;
      return sshSession(connection, { podId: target.podId, scripts, clock, maxChannels, maxAnswerBytes });
    },

    async ownNetworkWorks() {
      if (workedAt !== null && clock.now() - workedAt <= PROOF_MS) return true;
      return anyGreets(options.references ?? REFERENCES, clock);
    },
  };
}
