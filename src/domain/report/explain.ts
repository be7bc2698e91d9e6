/** Why a pod lives or was ended, in words, from what the registry recorded; and what would end it next, and when. */
import { formatUsd } from '../budget.ts';
import { saysChoice, saysLeftOut } from '../choice.ts';
import { ownerDeadlineAt, stopAt } from '../deadlines.ts';
import { formatDuration } from '../duration.ts';
import { ownerName } from '../owner.ts';
import { fenceBinds, isLive, type PodRecord, type VerdictFacts } from '../pod.ts';
import { REASONS } from '../policy/reasons.ts';
import type { PodSightings, Sightings } from '../registry/sweep.ts';
import { saysInstant, saysLeft } from './words.ts';

/** A thing that will or may end the pod. `at` null = whenever it happens. */
export type NextEnd = { readonly what: string; readonly at: number | null; readonly by: string };

export type Explanation = {
  readonly headline: string;
  readonly verdict: readonly string[];
  /** What is saved of the pod, and what the last mirror brought. */
  readonly artifacts: string;
  readonly deadlines: readonly string[];
  readonly sightings: readonly string[];
  /** Nearest first. */
  readonly next: readonly NextEnd[];
  readonly notes: readonly string[];
};

export function explain(record: PodRecord, sightings: PodSightings | null, now: number): Explanation {
  return {
    headline: `${record.id} (${record.gpu ?? 'no GPU known'}) is ${record.status}, owned by ${ownerName(record.owner)}`,
    verdict: saysVerdict(record, now),
    artifacts: saysArtifacts(record, now),
    deadlines: saysDeadlines(record, now),
    sightings: sightings === null ? [] : saysSightings(sightings, record, now),
    next: nextEnds(record, now),
    notes: record.notes,
  };
}

function saysVerdict({ lastVerdict, end, fence }: PodRecord, now: number): string[] {
  const lines: string[] = [];
  if (end !== null) {
    const saved =
      end.verified === null ? 'no artifacts were wanted' : `artifacts ${end.verified ? '' : 'NOT '}verified`;
    lines.push(
      `${end.how} ${saysInstant(end.at)}: ${end.reason}, ${reasonSays(end.reason)}; ${saved}; cost ${formatUsd(end.costMicroUsd)}`,
    );
  }
  if (fence !== null) {
    const left = fenceBinds(fence, now)
      ? `holds for ${formatDuration(fence.until - now)} more`
      : 'has lapsed';
    lines.push(
      `being ended by ${fence.holder}: ${fence.reason}, ${reasonSays(fence.reason)}; it has come to "${fence.step}", its fence ${left}`,
    );
  }
  if (lastVerdict === null) lines.push('no reaper has judged it yet');
  else lines.push(...verdictLines(lastVerdict, now));
  return lines;
}

function saysArtifacts({ artifacts: of, lastMirror }: PodRecord, now: number): string {
  if (of.remotePath === null) return 'no artifacts were wanted';
  const chosen = saysChoice(of.choice);
  const what = `artifacts below ${of.remotePath}${chosen === null ? '' : `, ${chosen}`}`;
  if (lastMirror === null) return `${what}: not mirrored yet`;
  const { at, files, verified, leftOut } = lastMirror;
  const how = `${verified ? '' : 'NOT '}verified`;
  return `${what}: ${files} file(s) mirrored ${formatDuration(now - at)} ago, ${how}${saysLeftOut(leftOut)}`;
}

function verdictLines({ at, kind, reason, evidence }: VerdictFacts, now: number): string[] {
  const rests = Object.entries(evidence).map(([name, value]) => saysEvidence(name, value));
  const ago = `${saysInstant(at)}, ${formatDuration(now - at)} ago`;
  return [
    `last changed verdict: ${kind}, ${reason}: ${reasonSays(reason)} (${ago})`,
    ...(rests.length === 0 ? [] : [`it rested on: ${rests.join(', ')}`]),
  ];
}

function reasonSays(reason: string): string {
  return isReason(reason) ? REASONS[reason].says : 'a reason that this version does not know';
}

function isReason(reason: string): reason is keyof typeof REASONS {
  return Object.hasOwn(REASONS, reason);
}

/** `sinceMs: 480000` reads `since 8 min`; `heartbeatFresh: true` reads `heartbeat fresh`. */
export function saysEvidence(name: string, value: string | number | boolean | null): string {
  const words = name.replace(/Ms$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  if (value === null) return `${words} unknown`;
  if (typeof value === 'boolean') return value ? words : `not ${words}`;
  if (typeof value === 'number' && name.endsWith('Ms')) return `${words} ${formatDuration(value)}`;
  return `${words} ${value}`;
}

function saysDeadlines({ deadlines: of, switch: armed }: PodRecord, now: number): string[] {
  const line = (what: string, at: number, more: string): string =>
    `${what} ${saysInstant(at)} (${saysLeft(at, now)})${more}`;
  return [
    line('owner deadline', ownerDeadlineAt(of), `; extensions ${of.extensions} of ${of.maxExtensions}`),
    line(
      'absolute deadline',
      of.absoluteDeadlineAt,
      of.absoluteGiven ? '; given, nothing moves it' : '; by default',
    ),
    ...(of.bootDeadlineAt === null ? [] : [line('boot deadline', of.bootDeadlineAt, '')]),
    ...(of.keepUntilAt === null ? [] : [line('kept until', of.keepUntilAt, '')]),
    armed === null
      ? 'no switch has been armed on the pod'
      : line('the switch on the pod fires', stopAt(of), `; key: ${armed.credential}`),
  ];
}

const SIGHTED: readonly (readonly [keyof PodSightings, string])[] = [
  ['idle', 'idle'],
  ['unreachable', 'without a route'],
  ['absent', 'absent'],
  ['ownerless', 'without its run'],
  ['exited', 'EXITED'],
];

function saysSightings(of: PodSightings, { rules }: PodRecord, now: number): string[] {
  const needed: Readonly<Record<string, string>> = {
    idle: ` of ${rules.idleStrikes} over ${formatDuration(rules.idleWindowMs)}`,
    unreachable: ` of ${rules.unreachableReaps} over ${formatDuration(rules.unreachableWindowMs)}`,
  };
  return SIGHTED.flatMap(([name, says]) => {
    const run = of[name];
    if (run === null || typeof run === 'number') return [];
    return [`seen ${says} ${run.count} time(s)${needed[name] ?? ''}${since(run, now)}`];
  });
}

function since(run: Sightings, now: number): string {
  return `, first ${formatDuration(now - run.firstAt)} ago, last ${formatDuration(now - run.lastAt)} ago`;
}

function nextEnds(record: PodRecord, now: number): readonly NextEnd[] {
  if (!isLive(record)) return [];
  const { deadlines: of, fence } = record;
  const ends: NextEnd[] = [];
  if (fence !== null && fenceBinds(fence, now))
    ends.push({ what: `the end that is under way (${fence.reason})`, at: now, by: fence.holder });
  if (of.bootDeadlineAt !== null && record.reachedAt === null)
    ends.push({
      what: 'the boot deadline, if nobody reaches it before',
      at: of.bootDeadlineAt,
      by: 'the reaper',
    });
  if (of.keepUntilAt !== null)
    ends.push({ what: 'the end of its keep', at: of.keepUntilAt, by: 'the reaper' });
  else ends.push(ownerEnd(record), ...whenever(record));
  if (record.switch !== null) ends.push({ what: 'its stop', at: stopAt(of), by: 'the switch on the pod' });
  ends.push({ what: 'the absolute deadline', at: of.absoluteDeadlineAt, by: 'the reaper and the switch' });
  return ends.sort((left, right) => (left.at ?? Number.MAX_VALUE) - (right.at ?? Number.MAX_VALUE));
}

function ownerEnd({ deadlines: of }: PodRecord): NextEnd {
  const left = of.maxExtensions - of.extensions;
  const more =
    left > 0 ? `, unless a heartbeat is fresh then (${formatDuration(of.petMinMs)} more, once)` : '';
  return { what: `the owner deadline${more}`, at: ownerDeadlineAt(of), by: 'the reaper' };
}

/** What may come at any time and has no hour of its own. */
function whenever({ rules, owner }: PodRecord): NextEnd[] {
  const idle = `${formatDuration(rules.idleWindowMs)} idle in ${rules.idleStrikes} sightings without a fresh heartbeat`;
  return [
    ...(owner.key === null
      ? []
      : [{ what: `the end of its run ${owner.key.runId}`, at: null, by: 'the reaper' }]),
    { what: idle, at: null, by: 'the reaper' },
  ];
}

/** `in 2 h 5 min` or `at any time`. */
export function saysWhen({ at }: NextEnd, now: number): string {
  if (at === null) return 'at any time';
  return at <= now ? 'now' : `in ${formatDuration(at - now)} (${saysInstant(at)})`;
}
