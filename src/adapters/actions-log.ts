/** Log in a GitHub job: plain lines, few annotations, no secret, and no line that the runner could take for a command. */
import { debug, error, info, notice, warning } from '@actions/core';
import type { Clock, Log, LogLevel } from '../ports.ts';
import { plainLine } from './plain-line.ts';
import type { Redact } from './redact.ts';

export type ActionsLogOptions = {
  readonly clock: Clock;
  /** Asked for every line, since secrets become known while the door opens. */
  readonly redact: () => Redact;
};

/** GitHub shows ten annotations of a kind per step and drops the rest without a word. */
const MOST_ANNOTATIONS = 9;
const PROGRESS_MS = 15_000;
/** GitHub cuts an annotation at 4096 characters. */
const LONGEST = 4000;

export function actionsLog({ clock, redact }: ActionsLogOptions): Log {
  const shown: Record<'notice' | 'warning' | 'error', number> = { notice: 0, warning: 0, error: 0 };
  const annotate = { notice, warning, error };
  let progressAt = 0;

  const say = (level: LogLevel, text: string): void => {
    const line = plainLine(redact()(text)).slice(0, LONGEST);
    if (level === 'debug') debug(line);
    else if (level === 'info') info(line);
    else {
      shown[level] += 1;
      if (shown[level] > MOST_ANNOTATIONS) info(`${level}: ${line}`);
      else annotate[level](line);
    }
  };

  return {
    say,
    progress(line) {
      // A job log keeps every line: one now and then tells as much.
      if (clock.now() - progressAt < PROGRESS_MS) return;
      progressAt = clock.now();
      say('info', line);
    },
  };
}
