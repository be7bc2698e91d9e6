/** What a verb is given and what it gives back; a verb prints nothing itself and chooses no exit code of its own. */
import type { Command } from 'commander';
import type { ExitCode } from '../domain/errors.ts';
import type { Chance, Clock, Log } from '../ports.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** The process around the command line; tests hand in their own. */
export type CliIo = {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** All of standard input. */
  readonly input: () => Promise<string>;
  readonly outIsTerminal: boolean;
  readonly errIsTerminal: boolean;
  readonly columns: number;
  readonly cwd: string;
  /** Aborted with the reason `SIGINT` or `SIGTERM`. */
  readonly signal: AbortSignal;
};

/** The flags of one call; an empty text counts as not given. */
export type Given = {
  text(name: string): string | undefined;
  /** Of a flag that may be repeated, in order, empty texts too. */
  each(name: string): readonly string[];
  /** `--name` was given. */
  has(name: string): boolean;
  /** `--no-name` was given. */
  declined(name: string): boolean;
};

export type Call = {
  readonly args: readonly string[];
  readonly given: Given;
  readonly env: Env;
  readonly io: CliIo;
  readonly json: boolean;
  readonly log: Log;
  readonly clock: Clock;
  readonly chance: Chance;
  /** What must never be printed; whoever reads a secret adds it first. */
  readonly secrets: Set<string>;
};

export type Mood = 'ok' | 'warn' | 'red' | 'quiet' | 'strong';

export type Page = {
  readonly width: number;
  readonly paint: (mood: Mood, text: string) => string;
};

export type Answer = {
  /** 130: a verb that ends by a signal and says so itself. */
  readonly exitCode: ExitCode | 130;
  /** Everything was printed on the way. */
  readonly told?: true;
  /** For `--json`; `schemaVersion` is added. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly lines: (page: Page) => readonly string[];
};

export type Verb = {
  /** Arguments, flags and examples. */
  readonly define: (command: Command) => void;
  readonly act: (call: Call) => Promise<Answer>;
  /** Whether a live pod of ours may be concerned when the outside world fails: exit 1, else 4. */
  readonly concernsPod: boolean;
  /** What may be half done, and what finishes it, when a signal cuts the verb off. */
  readonly whenCut: { readonly state: string; readonly next: string };
  /** A server: a signal is how it ends. */
  readonly endsBySignal?: true;
};

/** The state of things after a verb that only looks was cut off. */
export const ONLY_LOOKED = { state: 'Nothing was changed', next: 'Run it again' } as const;
