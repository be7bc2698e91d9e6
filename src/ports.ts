/** The few things we can do to the world. Flows see these interfaces and nothing behind them. */
import type { Manifest, Pulled } from './domain/artifacts.ts';
import type { Choice } from './domain/choice.ts';
import type { EvidenceText } from './domain/evidence.ts';
import type { Owner, OwnerLiveness } from './domain/owner.ts';
import type { Part } from './domain/part.ts';
import type { Listing, Lookup, ProviderPod, SshAddress } from './domain/provider-pod.ts';
import type { RefusedBecause, RegistryEvent, RegistryOp } from './domain/registry/ops.ts';
import type { RegistryState } from './domain/registry/state.ts';
import type { SweepState } from './domain/registry/sweep.ts';
import type { Workflow } from './domain/workflow.ts';

/** Money as the provider tells it: micro-dollars and micro-dollars per hour. */
export type Money = { readonly balanceMicroUsd: number; readonly spendPerHourMicroUsd: number };

/** How our DELETE was answered. `already-absent`: a well-formed 404, which alone proves nothing. */
export type TerminateAnswer = 'accepted' | 'already-absent';

/** What a key was measured to be able to do, without harm. */
export type KeyAbilities = { readonly read: 'yes' | 'no'; readonly terminate: 'yes' | 'no' | 'unknown' };

/** The pods of one provider account. Every method throws WorldError; retries happen inside. */
export interface Provider {
  /** All pods of the account, in every status. An unexpected shape is an error, never an empty list. */
  list(): Promise<Listing>;
  /** One pod by id. `absent` only for a well-formed "no such pod". */
  get(podId: string): Promise<Lookup>;
  /** Asks for the end of a pod. An answer is not a proof: confirm by `get`. */
  terminate(podId: string): Promise<TerminateAnswer>;
  stop(podId: string): Promise<void>;
  start(podId: string): Promise<ProviderPod>;
  /** The container's last log lines, newest last, bounded. */
  logs(podId: string, tail: number): Promise<readonly string[]>;
  /** Account name as the provider gives it, balance and spend. Fails soft. */
  account(): Promise<Part<{ readonly id: string } & Money>>;
  /** Whether this key may read and terminate, by calls that cannot harm. */
  abilities(): Promise<KeyAbilities>;
}

/** One consistent look at the registry. */
export type Snapshot = {
  /** With what waits in the queue folded in. */
  readonly state: RegistryState;
  /** Entries of the queue that wait for a commit. */
  readonly queued: number;
  /** Opaque version of what was read; null = there is no registry yet (a definite answer, not an error). */
  readonly version: string | null;
  readonly sweep: SweepState;
  /** Why inferred kills must rest, if they must (rewound history, damaged file, missing state). */
  readonly caution: readonly { readonly code: CautionCode; readonly detail: string }[];
};

export type CautionCode = 'rewound' | 'damaged' | 'sweep-missing' | 'foreign-repository';

export type OpResult =
  | { readonly kind: 'applied'; readonly event: RegistryEvent }
  /** Durable and seen by every reader, but not committed yet: the next winner or the reaper folds it. */
  | { readonly kind: 'queued'; readonly event: RegistryEvent }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'refused'; readonly because: RefusedBecause; readonly detail: string };

export type Submitted = {
  readonly state: RegistryState;
  /** null = nothing applied, and there is no registry yet. */
  readonly version: string | null;
  /** One result per op, in order. */
  readonly results: readonly OpResult[];
};

/** One line of the history, oldest first. */
export type HistoryEntry = {
  readonly version: string;
  readonly at: number;
  readonly headline: string;
  /** Trailers as written: `Podtrack-Op`, `Podtrack-Pod`, …, in order. */
  readonly trailers: readonly (readonly [string, string])[];
};

/** The registry branch. Ops are data; a lost race reads again and applies the same ops again. */
export interface RegistryStore {
  /** Throws WorldError `registry-unreadable`, `registry-newer-schema`; unreadable is never empty. */
  read(): Promise<Snapshot>;
  /**
   * Commits what applies of `ops` as one commit, together with what waits in the queue; without `ops` only that.
   * Duplicates and refusals are results, not errors. Where no commit could be made in time, ops that may come late
   * are queued; the others fail.
   */
  submit(ops: readonly RegistryOp[]): Promise<Submitted>;
  /** Replaces the sweep state by lease; a lost race is `false`, never a retry. */
  saveSweep(sweep: SweepState): Promise<boolean>;
  history(filter: { readonly pod?: string; readonly limit: number }): Promise<readonly HistoryEntry[]>;
  /** Proves that this token may write, even where nothing changes. */
  probeWrite(): Promise<void>;
  /** For people: where the registry lies, without credentials. */
  readonly place: string;
}

/** The registry's history as people ask for it. Compactions are crossed; messages and files are untrusted text. */
export interface RegistryPast {
  readonly place: string;
  /** Oldest first. `sinceAt` leaves out what was committed before it; `limit` keeps the newest so many. */
  log(filter: {
    readonly pod?: string;
    readonly sinceAt?: number;
    readonly limit: number;
  }): Promise<readonly HistoryEntry[]>;
  /** The one commit of this registry that `id` is, or is the beginning of; null = none, or several. */
  commit(id: string): Promise<HistoryEntry | null>;
  /** Texts of one file, newest first: as it is at `version`, and as each commit before that left it. At most 200. */
  versions(path: string, version: string): Promise<readonly (string | null)[]>;
  /** Every file at and below `prefix` at the tip, by path; empty where there is no registry. */
  files(prefix: string): Promise<ReadonlyMap<string, string>>;
  /** Starts the branch anew from the tree of `tip` with another meta.json, and keeps `tip` under `archive`: both or none. */
  compact(wish: {
    readonly tip: string;
    readonly archive: string;
    readonly meta: string;
    readonly message: string;
  }): Promise<{ readonly kind: 'done'; readonly version: string } | { readonly kind: 'lost-race' }>;
}

/** A pod to talk to; the address comes from this cycle's list or a GET, never from the record. */
export type ShellTarget = {
  readonly podId: string;
  readonly address: SshAddress;
  /** Accepted fingerprints (`SHA256:…`); null = first use, any key is taken and reported. */
  readonly pins: readonly string[] | null;
};

export type OnPodScript = 'evidence' | 'install' | 'switch' | 'probe';

export type ScriptCall = {
  readonly script: OnPodScript;
  /** Never secret: arguments are visible to every process of the pod. */
  readonly args: readonly string[];
  /** Read by the script after its own text; secrets travel here. */
  readonly stdin?: string;
  readonly timeoutMs: number;
};

export type ScriptAnswer = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

/** One open connection to one pod. */
export interface ShellSession {
  readonly podId: string;
  /** Fingerprint that was shown and accepted. */
  readonly hostKey: string;
  /** Runs one on-pod script; the answer stands in a random frame, so banners cannot forge it. */
  run(call: ScriptCall): Promise<ScriptAnswer>;
  close(): Promise<void>;
}

/** Connections to pods. Throws WorldError `no-route`, `refused-login`, `wrong-host-key`, `held-shut`. */
export interface Shell {
  open(target: ShellTarget): Promise<ShellSession>;
  /** Whether our own network works: no "unreachable" may rest on a broken reaper. */
  ownNetworkWorks(): Promise<boolean>;
}

export type PullSpec = {
  readonly podId: string;
  readonly remotePath: string;
  /** Which files below it; null = all. Manifest, copy and digest are those of the chosen files. */
  readonly choice: Choice | null;
  /** A folder that the caller owns; null = `<mirror root>/<pod id>`. */
  readonly localPath: string | null;
  readonly budgetMs: number;
  readonly onProgress?: (doneBytes: number, totalBytes: number) => void;
};

/** Artifacts from pod to here. Nothing is ever written outside the target. */
export interface Mirror {
  /** Pulls what changed, compares by size and SHA-256 and promotes the whole, or throws and keeps the old copy. */
  pull(session: ShellSession, spec: PullSpec): Promise<Pulled>;
  /** What the pod holds now. */
  manifest(session: ShellSession, spec: PullSpec): Promise<Manifest>;
  /** Throws WorldError `unexpected-answer`, naming it, when the pod's image lacks what a pull needs. */
  ready(session: ShellSession): Promise<void>;
  /** Writes texts about a pod beside its copy, without secrets and in place of earlier ones; returns their folder. */
  evidence(podId: string, texts: readonly EvidenceText[]): Promise<string>;
}

/** Brings a verified copy to a place that outlives this job: the user's own disk, or an artifact store. */
export interface Keep {
  /** Where it is kept (`artifact 123`, a folder); unseen when there is no such place. Throws WorldError. */
  keep(copy: { readonly place: string; readonly name: string }): Promise<Part<string>>;
}

/** The forge around us: whose process still lives, and where reports go. */
export interface Ci {
  /** Liveness per owner, in order. One question per run, not per pod. */
  liveness(owners: readonly Owner[]): Promise<readonly Part<OwnerLiveness>[]>;
}

/** The workflows of the repository that runs us, as far as a token can see them. */
export interface Workflows {
  all(): Promise<Part<readonly Workflow[]>>;
  /** Whether jobs of this environment wait for a person. */
  needsReview(environment: string): Promise<Part<boolean>>;
}

export interface Clock {
  /** Epoch ms. */
  now(): number;
  /** Resolves early, without an error, when `signal` is aborted. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error';

/** What people read while it happens. One line each; annotations and colours are the adapter's. */
export interface Log {
  say(level: LogLevel, line: string): void;
  /** Progress of long work; may be overwritten by the next. */
  progress(line: string): void;
}

/** Sources of what cannot be computed: identifiers that nobody can guess. */
export interface Chance {
  uuid(): string;
  /** Lower-case hex of `bytes` random bytes. */
  hex(bytes: number): string;
  sha256(text: string): string;
}

/** Everything a flow may touch. */
export type World = {
  readonly provider: Provider;
  readonly registry: RegistryStore;
  readonly shell: Shell;
  readonly mirror: Mirror;
  readonly keep: Keep;
  readonly ci: Ci;
  readonly clock: Clock;
  readonly log: Log;
  readonly chance: Chance;
};
