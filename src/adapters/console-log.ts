/** Log on a terminal or in a file: one harmless line each on the error stream, progress that overwrites itself. */
import type { Clock, Log, LogLevel } from '../ports.ts';
import { plainLine } from './plain-line.ts';

export type ConsoleLogOptions = {
  readonly write: (text: string) => void;
  readonly clock: Clock;
  /** Asked for every line, since secrets become known on the way. */
  readonly redact: () => (text: string) => string;
  /** Whether progress may overwrite itself. */
  readonly terminal: boolean;
  readonly columns: number;
  readonly debug: boolean;
  /** Colours the word of a level; plain where colour is off. */
  readonly paint: (level: LogLevel, word: string) => string;
};

/** Where nothing can be overwritten, a line of progress now and then tells as much. */
const PROGRESS_MS = 5_000;

export function consoleLog(options: ConsoleLogOptions): Log {
  const { write, clock, terminal, columns, paint } = options;
  let open = false;
  let toldAt = Number.NEGATIVE_INFINITY;
  const clean = (text: string): string => plainLine(options.redact()(text));
  const clear = (): void => {
    if (open) write('\r\u001b[K');
    open = false;
  };
  return {
    say(level, line) {
      if (level === 'debug' && !options.debug) return;
      clear();
      const word = level === 'info' ? '' : `${paint(level, level)}: `;
      write(`${word}${clean(line)}\n`);
    },
    progress(line) {
      const text = clean(line);
      if (terminal) {
        write(`\r\u001b[K${text.slice(0, Math.max(10, columns - 1))}`);
        open = true;
      } else if (clock.now() - toldAt >= PROGRESS_MS) {
        toldAt = clock.now();
        write(`${text}\n`);
      }
    },
  };
}
