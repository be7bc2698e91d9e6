/** What a cut run has shown: how the pod ended, on what it rested, and every rule that was broken. */
import { REASONS } from '../../src/domain/policy/reasons.ts';
import type { Trace } from './cut-run.ts';

export type Verdict = {
  /** Who ended the pod, and when. */
  readonly ended: string;
  /** `kept`, or the exception under which a pod may be ended before its results are safe. */
  readonly safety: string;
  readonly problems: readonly string[];
};

const NOBODY = 'nobody: it is alive';

function endReason({ record }: Trace): string {
  const end = record?.['end'];
  const reason = typeof end === 'object' && end !== null && 'reason' in end ? end['reason'] : null;
  return typeof reason === 'string' ? reason : '';
}

function isVerified({ record }: Trace): boolean {
  const end = record?.['end'];
  return typeof end === 'object' && end !== null && 'verified' in end && end['verified'] === true;
}

/** Whose DELETE it was that the pod went by. */
function enderOf({ deletes }: Trace): Trace['deletes'][number]['by'] | null {
  return deletes.find(({ status }) => status === 204 || status === 200)?.by ?? null;
}

function endedOf(trace: Trace): string {
  const { death } = trace;
  if (death === null) return NOBODY;
  const by = enderOf(trace) ?? 'unknown';
  return by === 'reaper' ? death.during : by === 'job' ? `job (${death.during})` : by;
}

/** Its record came before the job's end, so that the reaper knows what is to be kept. */
function wasRegistered({ history }: Trace): boolean {
  return history.some((subject) => subject.startsWith('register ') || subject.includes(': register'));
}

function mayEndUnverified(reason: string): boolean {
  return Object.entries(REASONS).some(([name, { beforeVerified }]) => name === reason && beforeVerified);
}

/** null = it was ended without its results, and no rule allows that. */
function safetyOf(trace: Trace): string | null {
  const { death } = trace;
  if (death === null) return '-';
  if (death.kept) return 'kept';
  if (enderOf(trace) === 'switch') return 'the on-pod switch';
  const reason = endReason(trace);
  if (mayEndUnverified(reason)) return reason;
  // What never came to register has declared nothing that could be verified.
  return reason.startsWith('stray-') ? reason : null;
}

function isSettled({ record }: Trace): boolean {
  return record === null || record['status'] === 'terminated' || record['status'] === 'lost';
}

/** A stray has to be seen twice; what is registered goes in the first pass. */
function mostPasses(trace: Trace): number {
  return endReason(trace).startsWith('stray-') ? 2 : 1;
}

/** The job went on to its post, and main had saved by then what post needs. */
function wasPostsTurn({ point }: Trace): boolean {
  if (point === null) return true;
  const { part, what } = point.place;
  const saved = part === 'arm' || part === 'work' || !/^(process start|file state)$/.test(what);
  return part !== 'post' && saved && (point.cut === 'cancel' || point.cut === 'kill-step');
}

export function judge(trace: Trace): Verdict {
  const { point, death, deletes, ends, passes } = trace;
  const ended = endedOf(trace);
  const safety = safetyOf(trace);
  const done = deletes.filter(({ status }) => status === 204 || status === 200);
  const parties = new Set(deletes.map(({ by }) => by));
  const rules: readonly (readonly [boolean, string])[] = [
    [point !== null && !trace.wasCut, 'the point was never reached'],
    [death === null, `the pod is alive after ${passes} passes`],
    [passes > mostPasses(trace), `it took ${passes} passes of the reaper`],
    [point?.rescue === 'deadline' && enderOf(trace) === 'reaper', 'its own deadline did not end it'],
    [wasPostsTurn(trace) && enderOf(trace) !== 'job', 'post had all that it needs, and did not end it'],
    [safety === null, `ended unverified, because ${endReason(trace) || 'of nothing that is told'}`],
    [isVerified(trace) && death?.kept === false, 'its record says verified, and nothing was kept'],
    [done.length > 1, `${done.length} DELETEs were carried out`],
    [parties.size > 1, `DELETE came from ${[...parties].join(' and ')}`],
    [trace.overtaken.length > 0, trace.overtaken.join('; ')],
    [ends > 1, `${ends} ends of it stand in the ledger`],
    [!isSettled(trace), 'its record does not say that it is over'],
    ...trace.leaks.map(({ secret, how, where }) => [true, `${secret} (${how}) was found: ${where}`] as const),
    [wasRegistered(trace) && death !== null && ends === 0, 'no end of it stands in the ledger'],
  ];
  return {
    ended,
    safety: safety ?? 'NOT SAFE',
    problems: rules.filter(([broken]) => broken).map(([, says]) => says),
  };
}
