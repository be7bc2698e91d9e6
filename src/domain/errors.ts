/** The three kinds of exception and the exit codes that tell them apart. */

/** What every error of podtrack tells, so that one line in a log is enough to act on. */
export type Told = {
  /** What was tried, in one clause. */
  readonly tried: string;
  /** What came back. Never a secret, never a whole foreign answer. */
  readonly cameBack: string;
  /** What was left in which state, above all whether a pod may still bill. */
  readonly state: string;
  /** What the reader can do next. */
  readonly next: string;
  readonly cause?: unknown;
};

function sentence(told: Told): string {
  const { tried, cameBack, state, next } = told;
  // A part may bring its own full stop; two dots inside one are a path.
  return [`${tried}: ${cameBack}`, state, next].map((part) => `${part.replace(/\.+$/, '')}.`).join(' ');
}

function causeOf(told: Told): ErrorOptions | undefined {
  return told.cause === undefined ? undefined : { cause: told.cause };
}

/** Wrong use or configuration: the reader's to mend. Names the input. Exit code 2. */
export class ConfigError extends Error {
  override name = 'ConfigError' as const;
  readonly input: string;
  readonly told: Told;
  constructor(input: string, told: Told) {
    super(sentence(told), causeOf(told));
    this.input = input;
    this.told = told;
  }
}

/** A safety gate said no; the pod stays as it was. Exit code 3. */
export class Refusal extends Error {
  override name = 'Refusal' as const;
  /** A code from a closed list of the gate that refused, kebab-case. */
  readonly gate: string;
  readonly told: Told;
  constructor(gate: string, told: Told) {
    super(sentence(told), causeOf(told));
    this.gate = gate;
    this.told = told;
  }
}

/** How the outside world failed, in words that policy may rest on. */
export type WorldFailure =
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'rate-limited'
  | 'unexpected-answer'
  | 'server-error'
  /** The other side knows no such request: another way may be taken. */
  | 'unsupported'
  /** The request provably never left: it may be repeated, even a create. */
  | 'not-sent'
  /** The request left and no trustworthy answer came: the outcome is unknown. */
  | 'outcome-unknown'
  | 'no-route'
  | 'refused-login'
  | 'wrong-host-key'
  | 'held-shut'
  | 'incomplete-answer'
  | 'timed-out'
  | 'no-space'
  | 'conflict'
  | 'registry-unreadable'
  | 'registry-rewound'
  | 'registry-newer-schema'
  | 'registry-foreign'
  | 'write-refused';

/** The provider, the registry's host, SSH or the disk failed. Exit code 1 or 4. */
export class WorldError extends Error {
  override name = 'WorldError' as const;
  readonly failure: WorldFailure;
  /** HTTP status or remote exit code where there was one. */
  readonly status: number | null;
  readonly retryable: boolean;
  /** Where what came before the failure lies: real, and verified by nobody. */
  readonly leftAt: string | null;
  readonly told: Told;
  constructor(
    failure: WorldFailure,
    told: Told,
    more: { status?: number | null; retryable?: boolean; leftAt?: string | null } = {},
  ) {
    super(sentence(told), causeOf(told));
    this.failure = failure;
    this.status = more.status ?? null;
    this.retryable = more.retryable ?? false;
    this.leftAt = more.leftAt ?? null;
    this.told = told;
  }
}

/**
 * Exit codes: 0 ok; 1 something may bill, is unverified or unknown; 2 wrong use or configuration;
 * 3 refused by a safety gate; 4 the outside world failed and no live pod of ours is concerned.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4;

/** Several at once: 1 before 4 before 3 before 2. */
export function worstExit(codes: readonly ExitCode[]): ExitCode {
  const order: readonly ExitCode[] = [1, 4, 3, 2];
  return order.find((code) => codes.includes(code)) ?? 0;
}

/** The exit code of an error that ended a command; `podConcerned` = a live pod of ours may still bill. */
export function exitOf(error: unknown, podConcerned: boolean): ExitCode {
  if (error instanceof ConfigError) return 2;
  if (error instanceof Refusal) return 3;
  if (error instanceof WorldError) return podConcerned ? 1 : 4;
  return 1;
}
