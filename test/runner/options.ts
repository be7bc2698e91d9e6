/** What a test may say about the machine, the forge and one run. */
import type { Limits } from './child.ts';
import type { OnEffect } from './effects.ts';
import type { Plain, Status, Texts } from './expressions.ts';
import type { JobHooks } from './job-run.ts';
import type { StandIn } from './repositories.ts';
import type { StepReport } from './step-record.ts';

/** The forge that the run belongs to: told of tokens and runs, so that a double of it can answer for them. */
export type Forge = {
  /** A job's token begins to live with these permissions. */
  tokenIssued?(token: string, permissions: Plain): void;
  tokenEnded?(token: string): void;
  runChanged?(run: {
    id: number;
    attempt: number;
    status: 'in_progress' | 'completed';
    conclusion: Status | null;
  }): void;
  jobChanged?(job: {
    runId: number;
    checkRunId: number;
    status: 'in_progress' | 'completed';
    conclusion: Status | null;
  }): void;
};

export type RunnerOptions = {
  /** The program that stands behind `using: node24`; default: the one that runs the test. */
  readonly node?: string;
  /** `owner/repo@ref` → folder of that checkout. */
  readonly checkouts?: Texts;
  /** Foreign actions by name, without ref. Every other `uses:` is an error. */
  readonly standIns?: Readonly<Record<string, StandIn>>;
  /** What `$/` means in a workflow: a checkout of the repository whose workflow runs. */
  readonly workflowCheckout?: string;
  readonly knowsSelfReference?: boolean;
  /** HOME of the runner process; null = it has none. Default: a folder of the machine's own. */
  readonly home?: string | null;
  /** Environment of the runner process: the machine's. PATH is there unless said. */
  readonly hostEnv?: Texts;
  /** Folder in which machines are made; one with a blank in its name, say. */
  readonly machinesIn?: string;
  /** ACTIONS_* that JavaScript actions get: see results-server.ts. */
  readonly serviceEnv?: Texts;
  readonly secrets?: Texts;
  readonly vars?: Texts;
  /** Over the defaults of the github context: server_url, api_url, repository, … */
  readonly github?: { readonly [name: string]: Plain };
  readonly forge?: Forge;
  readonly limits?: Partial<Limits>;
  readonly wrongNestedInputs?: boolean;
};

export type StartWish = JobHooks & {
  /** Default: the first event of the workflow. */
  readonly event?: string;
  readonly inputs?: { readonly [name: string]: Plain };
  /** `github.event`, beside the inputs. */
  readonly payload?: { readonly [name: string]: Plain };
  readonly runId?: number;
  /** Only this job runs; its needs are taken to have succeeded with these outputs. */
  readonly job?: string;
  readonly needs?: Readonly<Record<string, Texts>>;
  /** A pull request from a fork: no secrets, a token that reads. */
  readonly fork?: boolean;
  readonly onEffect?: OnEffect;
  readonly onLine?: (line: string, step: StepReport) => void;
};
