/** The closed list of reason codes. It is the index of the policy table in the README. */

export type Alert = 'none' | 'warn' | 'red';

/** How a verdict with this reason may act. */
export type ReasonRow = {
  readonly kind: 'keep' | 'end' | 'gone';
  /** Counted by the breaker, and at rest while the registry's history is in doubt. */
  readonly inferred: boolean;
  /** May come before the artifacts are verified: the full list of DEFINITIONS 1 stands in this column. */
  readonly beforeVerified: boolean;
  /** `red` makes the cycle end non-zero; `warn` is told as a warning. */
  readonly alert: Alert;
  readonly says: string;
};

type RowOf<K extends ReasonRow['kind']> = ReasonRow & { readonly kind: K };

const keep = (says: string, alert: Alert = 'none'): RowOf<'keep'> => ({
  kind: 'keep',
  inferred: false,
  beforeVerified: false,
  alert,
  says,
});
const gone = (says: string, alert: Alert = 'none'): RowOf<'gone'> => ({
  kind: 'gone',
  inferred: false,
  beforeVerified: false,
  alert,
  says,
});
const end = (
  says: string,
  how: { inferred?: true; beforeVerified?: true; alert?: Alert } = {},
): RowOf<'end'> => ({
  kind: 'end',
  inferred: how.inferred ?? false,
  beforeVerified: how.beforeVerified ?? false,
  alert: how.alert ?? 'none',
  says,
});

export const REASONS = {
  'absolute-deadline': end('the absolute deadline has passed', { beforeVerified: true }),
  'boot-deadline': end('it was never reached before its boot deadline', {
    beforeVerified: true,
    alert: 'warn',
  }),
  'owner-deadline': end('the owner deadline has passed'),
  'keep-ended': end('the keep has run out', { alert: 'warn' }),
  orphan: end('the job that owns it has completed'),
  'owner-missing': end('the run that owns it no longer exists, seen repeatedly', {
    inferred: true,
    alert: 'warn',
  }),
  'rearm-too-late': end('it restarted without a switch, too near its stop to arm it again', {
    alert: 'warn',
  }),
  'exited-grace': end('it has been EXITED for longer than the grace; its disk still bills'),
  unreachable: end('no route for long, idle by the provider, and nobody at work', {
    inferred: true,
    beforeVerified: true,
    alert: 'warn',
  }),
  idle: end('idle for the whole window, without a fresh heartbeat', { inferred: true }),
  'stray-expired': end('a stray of this registry past its ttl', {
    inferred: true,
    beforeVerified: true,
    alert: 'warn',
  }),
  'stray-orphan': end('a stray of this registry whose run has completed', { inferred: true, alert: 'warn' }),
  requested: end('its owner asked for it'),
  forced: end('ended by force, with a reason', { beforeVerified: true, alert: 'warn' }),
  'pull-skipped': end('ended on request without a pull', { beforeVerified: true, alert: 'warn' }),
  'not-recorded': end('our own new pod could not be recorded', { beforeVerified: true, alert: 'warn' }),

  'provider-terminated': gone('the provider shows it TERMINATED'),
  terminated: gone('our DELETE was accepted and the pod is gone'),
  'lost-absent': gone('absent from list and GET, twice, at least 10 min apart', 'warn'),

  kept: keep('a keep is running'),
  locked: keep('it is locked at the provider', 'warn'),
  'provider-unseen': keep('the provider could not be read', 'red'),
  'absent-counting': keep('absent, but not yet proven gone'),
  'all-absent': keep('all live pods are absent at once', 'red'),
  'account-unknown': keep('absent, and the account could not be asked: nothing is concluded', 'warn'),
  'other-account': keep('the key belongs to another account than the record', 'red'),
  'not-ready': keep('it is not ready yet'),
  'error-state': keep('the provider shows an error state', 'warn'),
  'exited-counting': keep('EXITED, within its grace; its disk still bills'),
  starting: keep('within the startup grace'),
  'stray-waiting': keep('a stray of this registry, not yet to be ended', 'warn'),
  extended: keep('the owner deadline has passed with a fresh heartbeat: extended once'),
  'orphan-soon': keep('its job has just completed'),
  'heartbeat-fresh': keep('its heartbeat is fresh'),
  'gpu-busy': keep('a GPU is busy'),
  'api-busy': keep('the provider shows a busy GPU'),
  'ssh-session': keep('somebody is logged in'),
  'idle-counting': keep('idle, not yet for the whole window'),
  'idle-unknown': keep('whether it is idle cannot be told; a heartbeat would help', 'warn'),
  'no-gpu': keep('it has no GPU any more and is paid for nothing', 'warn'),
  'unreachable-counting': keep('no route to it', 'red'),
  'login-refused': keep('it refuses our login', 'red'),
  'host-key-changed': keep('its host key changed without a restart', 'red'),
  'visit-failed': keep('the visit failed', 'red'),
  'fence-held': keep('somebody else is ending it'),
  'still-shown': keep('our DELETE was accepted, and it is still shown', 'red'),
  'held-by-breaker': keep('too many inferred kills at once: none is made', 'red'),
  'held-by-caution': keep('the registry is in doubt: no inferred kill', 'red'),
} as const satisfies Readonly<Record<string, ReasonRow>>;

export type Reason = keyof typeof REASONS;
export type EndReason = { [R in Reason]: (typeof REASONS)[R]['kind'] extends 'end' ? R : never }[Reason];
export type KeepReason = Exclude<Reason, EndReason | GoneReason>;
export type GoneReason = 'provider-terminated' | 'terminated' | 'lost-absent';

export type Evidence = Readonly<Record<string, string | number | boolean | null>>;

/** What is to be done with a pod, why, and what that rests on. */
export type Verdict = {
  readonly kind: 'keep' | 'end' | 'gone';
  readonly reason: Reason;
  readonly evidence: Evidence;
};

export function verdict(reason: Reason, evidence: Evidence = {}): Verdict {
  return { kind: REASONS[reason].kind, reason, evidence };
}

export function rowOf(of: Verdict): ReasonRow {
  return REASONS[of.reason];
}
