/** Every input, output and state key of every door, in one typed list that each action.yml is held against. */
import { KNOBS } from '../domain/knobs.ts';

/** As a workflow writes it; the runner fills it in. */
const expression = (inner: string): string => `\${{ ${inner} }}`;

/** What the runner alone knows: the only inputs with a default, so that empty means "not given" everywhere else. */
export const RUNNER_DEFAULTS = {
  'github-token': expression('github.token'),
  matrix: expression('toJson(matrix)'),
  'check-run-id': expression('job.check_run_id'),
  'job-index': expression('strategy.job-index'),
  'job-total': expression('strategy.job-total'),
  'job-status': expression('job.status'),
} as const;

/** Masked before anything else is done with them. */
export const SECRET_INPUTS = [
  'api-key',
  'ssh-key',
  'registry-token',
  'github-token',
  'token',
  'deadman-token',
] as const;

const REGISTRY = ['registry-repository', 'registry-branch', 'registry-token', 'github-token'] as const;
const ACCESS = ['api-key', 'ssh-key'] as const;
/** One, or a list: never both. */
const PODS = ['pod-id', 'pod-ids'] as const;
const OWNER = ['label', 'matrix', 'check-run-id'] as const;
/** Which leg of how many: register paces its first write by them. */
const SLOT = ['job-index', 'job-total'] as const;
const SWITCH_KEYS = ['token', 'deadman-token', 'allow-full-key'] as const;
const COPIES = ['local-path', 'keep-in'] as const;

/** The reaper's own: they are never frozen into a record, so register does not take them. */
const REAPER_KNOBS: readonly string[] = ['max-kills', 'orphan-grace'];
const ALL_KNOBS: readonly string[] = KNOBS.map((knob) => knob.name);

type DoorShape = {
  readonly inputs: readonly string[];
  /** Inputs that are knobs; resolved as one table. */
  readonly knobs: readonly string[];
  readonly outputs: readonly string[];
  readonly hasPost: boolean;
};

export const DOORS = {
  register: {
    inputs: [
      ...PODS,
      ...ACCESS,
      'remote-path',
      'no-artifacts',
      'allow-empty',
      'include',
      'exclude',
      ...COPIES,
      'kill-in',
      'kill-absolute-min',
      'profile',
      'gpu',
      'cost',
      'volume-id',
      'ssh-ip',
      'ssh-port',
      'adopt',
      'require-fresh-reaper',
      'on-success',
      'on-failure',
      'on-cancel',
      'keep-for',
      'post-budget',
      ...OWNER,
      ...SLOT,
      'job-status',
      ...REGISTRY,
    ],
    knobs: ALL_KNOBS.filter((name) => !REAPER_KNOBS.includes(name)),
    outputs: [...PODS, 'label', 'uuid', 'ssh-host', 'ssh-port', 'deadline', 'registry-commit', 'result'],
    hasPost: true,
  },
  arm: {
    inputs: [...PODS, 'uuid', ...ACCESS, ...SWITCH_KEYS, ...REGISTRY],
    knobs: [],
    outputs: ['credential', 'stop', 'result'],
    hasPost: false,
  },
  reap: {
    inputs: [
      ...ACCESS,
      ...SWITCH_KEYS,
      'profile',
      'dry-run',
      'mirror',
      'pull-budget',
      'keep-in',
      ...REGISTRY,
    ],
    knobs: ALL_KNOBS,
    outputs: ['ended', 'red', 'result'],
    hasPost: false,
  },
  setup: {
    inputs: ['ttl', 'strict', ...OWNER, ...REGISTRY],
    knobs: [],
    outputs: ['stamp', 'pod-name', 'uuid', 'result'],
    hasPost: false,
  },
  teardown: {
    inputs: [
      ...PODS,
      'scope',
      'uuid',
      ...ACCESS,
      'force',
      'reason',
      'skip-pull',
      'pull-budget',
      ...COPIES,
      ...OWNER,
      ...REGISTRY,
    ],
    knobs: [],
    outputs: ['ended', 'result'],
    hasPost: false,
  },
} as const satisfies Readonly<Record<string, DoorShape>>;

export type DoorName = keyof typeof DOORS;
export type InputOf<D extends DoorName> = (typeof DOORS)[D]['inputs'][number];
export type OutputOf<D extends DoorName> = (typeof DOORS)[D]['outputs'][number];

/** What main leaves for post. Small ids and wishes in clear; secrets lie in a file, and only its key is here. */
export const STATE_KEYS = [
  /** Which door left it. */
  'door',
  /** `asked` before the record is committed, then `registered`; `refused` = nothing is ours to end. */
  'phase',
  'pod-ids',
  'uuid',
  /** Where the registry lies, as JSON. */
  'registry',
  /** What register was asked for, as JSON. */
  'register',
  /** The records and the id of their registry, as JSON: for an end while the registry does not answer. */
  'known',
  /** What post is to do, as JSON. */
  'ending',
  'secrets-file',
  'secrets-key',
] as const;
export type StateKey = (typeof STATE_KEYS)[number];

/** Exported for the steps that follow, since a step's saved state is its own alone. */
export const EXPORTED = {
  uuid: 'PODTRACK_OWNER_UUID',
  /** Entered last, where it was one; empty where it was a list. */
  podId: 'PODTRACK_POD_ID',
  /** Entered last, with blanks between them. */
  podIds: 'PODTRACK_POD_IDS',
  /** What any register step of this job was asked for: each post leaves the others' to them. */
  jobPodIds: 'PODTRACK_JOB_POD_IDS',
} as const;

/** The root action: a composite that hands its inputs to these two and decides nothing. */
export const ROOT = { steps: ['register', 'arm'] } as const;
