/** What a test may turn on the GitHub server: rights, lag, limits, rules, and answers that get lost. */

/** `drop` cuts the answer off after the work was done, `cut` before; `before` and `after` answer 500 and 502. */
export type Fault = {
  /** `GET git/ref`, `POST git/trees`, …, `graphql query`, `graphql createCommitOnBranch`, `graphql updateRefs`. */
  readonly when: string;
  readonly what: 'drop' | 'cut' | 'before' | 'after' | Scripted;
  /** Counted down; 0 = spent. */
  times: number;
};

/** An answer that is given in place of the work. */
export type Scripted = {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Moment = { readonly label: string; readonly phase: 'before' | 'after' };

export type Bucket = { limit: number; used: number; resetAt: number };

export type Job = {
  readonly id: number;
  readonly status: string;
  readonly conclusion: string | null;
  readonly completedAt: string | null;
};

export type Run = {
  readonly status: string;
  readonly conclusion: string | null;
  readonly attempt: number;
  /** RFC 3339; default: now. */
  readonly updatedAt?: string;
  /** Of the latest attempt. */
  readonly jobs?: readonly Job[];
};

/** What the repository's settings say of an environment and of a workflow. */
export type Environment = { readonly reviewers: boolean };
export type WorkflowState = 'active' | 'disabled_inactivity' | 'disabled_manually';

export type Switches = {
  /** By token; every other one is answered 401. */
  readonly tokens: Map<string, 'write' | 'read'>;
  readonly faults: Fault[];
  /** Answers that a push over git's own protocol gets in place of the work. */
  readonly gitFaults: { readonly status: number; readonly text: string; times: number }[];
  /** Told of each request before and after its work; true = whoever asked is dead by now, and gets no answer. */
  moment: (at: Moment) => boolean;
  /** This many reads of a ref still see what it was before the last move. */
  staleReads: number;
  /** Refs that a ruleset guards, and how: `rules` speaks up, `mute` says no more than "failed", `classic` is a protected branch. */
  guarded: { readonly refs: RegExp; readonly how: 'rules' | 'mute' | 'classic' } | null;
  readonly rest: Bucket;
  readonly graphql: Bucket;
  /** Content-generating calls per minute before the secondary limit speaks; null = no such limit. */
  contentPerMinute: number | null;
  /** The limit of `Blob.text`, in bytes. */
  blobTextBytes: number;
  /** False = a server that knows neither createCommitOnBranch nor updateRefs. */
  commitMutations: boolean;
  archived: boolean;
  /** False = refs outside heads and tags are kept, but no listing by GraphQL shows them. */
  listsOwnRefs: boolean;
  /** Queries that would answer more blobs than this time out. */
  blobsPerQuery: number;
  /** Old `owner/name`s of the repository. */
  readonly oldNames: Set<string>;
  readonly runs: Map<number, Run>;
  /** False = no token may read runs, jobs, workflows and environments. */
  mayReadActions: boolean;
  readonly environments: Map<string, Environment>;
  /** By path; default active. */
  readonly workflowStates: Map<string, WorkflowState>;
};

export const TOKEN = 'ghs_made-up-token-of-a-test-0123456789';

const HOUR_MS = 3_600_000;

export function newSwitches(now: number): Switches {
  const bucket = (): Bucket => ({ limit: 100_000, used: 0, resetAt: now + HOUR_MS });
  return {
    tokens: new Map([[TOKEN, 'write']]),
    faults: [],
    gitFaults: [],
    moment: () => false,
    staleReads: 0,
    guarded: null,
    rest: bucket(),
    graphql: bucket(),
    contentPerMinute: null,
    blobTextBytes: 512_000,
    commitMutations: true,
    archived: false,
    listsOwnRefs: true,
    blobsPerQuery: 5000,
    oldNames: new Set(),
    runs: new Map(),
    mayReadActions: true,
    environments: new Map(),
    workflowStates: new Map(),
  };
}

/** Counts one request; false = there is nothing left until `resetAt`. */
export function spend(bucket: Bucket, now: number): boolean {
  if (now >= bucket.resetAt) {
    bucket.used = 0;
    bucket.resetAt = now + HOUR_MS;
  }
  if (bucket.used >= bucket.limit) return false;
  bucket.used += 1;
  return true;
}

/** The fault of a request, counted down. */
export function takeFault(switches: Switches, label: string): Fault['what'] | null {
  const fault = switches.faults.find(({ when, times }) => times > 0 && when === label);
  if (fault === undefined) return null;
  fault.times -= 1;
  return fault.what;
}
