/** What is wrong with a cycle as a whole: the account, the registry, the breaker, or nothing that came to an end. */
import { formatDuration, HOUR_MS } from '../duration.ts';
import { failedRearms, REARMS_TO_ALERT } from '../policy/rearms.ts';
import { KEY_REFUSED } from '../switch.ts';
import type { CycleFacts } from './facts.ts';
import type { Grade } from './rows.ts';
import type { Sums } from './sums.ts';

export type AlarmCode =
  | 'account-unseen'
  | 'list-malformed'
  | 'list-empty'
  | 'breaker'
  | 'not-armed-again'
  | 'switch-key-refused'
  | 'registry-doubt'
  | 'nothing-done'
  | 'not-written'
  | 'not-swept'
  | 'sweep-late'
  | 'successor';

export type Alarm = {
  readonly code: AlarmCode;
  readonly grade: Exclude<Grade, 'ok'>;
  readonly says: string;
};

/** A sweep that is older than this when the next one begins is told. */
const LATE_SWEEP_MS = 2 * HOUR_MS;

export function alarmsOf(facts: CycleFacts, counts: Sums): readonly Alarm[] {
  return [
    ...listAlarms(facts),
    ...registryAlarms(facts),
    ...breakerAlarm(facts),
    ...rearmAlarms(facts),
    ...keyAlarms(facts),
    ...actAlarms(facts, counts),
    ...facts.plan.successors.map(({ record, pod }): Alarm => {
      const says = `${record.id} is missing, and ${pod.id} bears its name and is younger; podtrack assumes nothing from a name`;
      return { code: 'successor', grade: 'warn', says };
    }),
  ];
}

function listAlarms({ listing, plan }: CycleFacts): Alarm[] {
  if (listing.kind === 'unseen') {
    const says = `the account could not be read: ${listing.reason}; nothing was concluded from absence`;
    return [{ code: 'account-unseen', grade: 'red', says }];
  }
  const { malformed, pods } = listing.value;
  if (malformed.length > 0) {
    const says = `${malformed.length} item(s) of the provider's list cannot be read; nothing was concluded from absence`;
    return [{ code: 'list-malformed', grade: 'red', says }];
  }
  if (pods.length === 0 && plan.pods.length > 0) {
    const says = `the provider's list is empty beside ${plan.pods.length} live record(s); nothing was concluded from absence`;
    return [{ code: 'list-empty', grade: 'warn', says }];
  }
  return [];
}

/** A first cycle has no state branch yet: that only lets inferred kills rest, and is no fault. */
function registryAlarms({ plan }: CycleFacts): Alarm[] {
  return plan.cautions.map(({ code, detail }) => ({
    code: 'registry-doubt',
    grade: code === 'sweep-missing' ? 'warn' : 'red',
    says: `${code}: ${detail}; inferred kills rest`,
  }));
}

function breakerAlarm({ plan: { breaker } }: CycleFacts): Alarm[] {
  if (!breaker.tripped) return [];
  const says =
    `breaker: ${breaker.wanted} inferred kill(s) wanted and ${breaker.recent} in the last hour, ` +
    `more than max-kills ${breaker.maxKills} or not yet acknowledged: none was made; ` +
    'look at the rows, then: podtrack acknowledge breaker --reason "…"';
  return [{ code: 'breaker', grade: 'red', says }];
}

function rearmAlarms({ plan, outcomes }: CycleFacts): Alarm[] {
  return plan.pods.flatMap((of): Alarm[] => {
    const failed = failedRearms(of, outcomes);
    if (failed < REARMS_TO_ALERT) return [];
    const leftMs = Math.max(of.record.deadlines.absoluteDeadlineAt - plan.at, 0);
    const says = `${of.record.id} could not be armed again ${failed} times in a row: the reaper alone ends it, at the latest in ${formatDuration(leftMs)}; mend what its row names, then: podtrack arm ${of.record.id}`;
    return [{ code: 'not-armed-again', grade: 'red', says }];
  });
}

/** Told whatever else becomes of the pod: a key that was changed for one is mostly changed for all. */
function keyAlarms({ plan }: CycleFacts): Alarm[] {
  const refused = plan.pods.filter(({ observation: { visit } }) => {
    return visit.kind === 'seen' && visit.value.switch.kind === 'seen'
      ? visit.value.switch.value.reason === KEY_REFUSED
      : false;
  });
  if (refused.length === 0) return [];
  const names = refused.map(({ record }) => record.id).join(', ');
  const says = `the provider no longer takes the key on ${names}: its switch could not end it; a key that works is planted by this cycle if the reaper has one (deadman-token, token-file, or allow-full-key)`;
  return [{ code: 'switch-key-refused', grade: 'warn', says }];
}

function actAlarms(facts: CycleFacts, counts: Sums): Alarm[] {
  const alarms: Alarm[] = [];
  if (counts.attempted > 0 && counts.done === 0) {
    const says = `of ${counts.attempted} order(s) none was done (${counts.failed} failed, ${counts.other} handed over, released or unconfirmed)`;
    alarms.push({ code: 'nothing-done', grade: 'red', says });
  }
  if (facts.unwritten !== undefined) {
    const says = `what this cycle learned could not be committed: ${facts.unwritten}; the next cycle learns it anew`;
    alarms.push({ code: 'not-written', grade: 'red', says });
  }
  if (!facts.dryRun && !facts.swept && facts.listing.kind === 'seen') {
    const says = 'the sweep mark was not renewed: another reaper was faster, or the registry is not ours';
    alarms.push({ code: 'not-swept', grade: 'warn', says });
  }
  const before = facts.lastSweepBefore;
  if (before !== null && facts.plan.pods.length > 0 && facts.plan.at - before > LATE_SWEEP_MS) {
    const says = `the last full sweep before this one was ${formatDuration(facts.plan.at - before)} ago`;
    alarms.push({ code: 'sweep-late', grade: 'warn', says });
  }
  return alarms;
}
