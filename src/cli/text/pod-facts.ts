/** What verbs about one pod say of it, in words and for programs. */
import { formatUsd } from '../../domain/budget.ts';
import { ownerDeadlineAt, stopAt } from '../../domain/deadlines.ts';
import { formatDuration } from '../../domain/duration.ts';
import { formatInstant } from '../../domain/instant.ts';
import { ownerName } from '../../domain/owner.ts';
import type { PodRecord } from '../../domain/pod.ts';
import { instantOrNull } from '../../domain/report/json.ts';
import { saysInstant, saysLeft } from '../../domain/report/words.ts';
import type { SwitchDeadlines } from '../../domain/switch.ts';

export function recordJson(record: PodRecord): Readonly<Record<string, unknown>> {
  const { deadlines: of } = record;
  return {
    pod: record.id,
    name: record.name,
    account: record.account,
    status: record.status,
    rev: record.rev,
    owner: { label: record.owner.label, uuid: record.owner.uuid, key: record.owner.key },
    gpu: record.gpu,
    costPerHourMicroUsd: record.costPerHourMicroUsd,
    remotePath: record.artifacts.remotePath,
    include: record.artifacts.choice?.include ?? [],
    exclude: record.artifacts.choice?.exclude ?? [],
    ownerDeadlineAt: formatInstant(ownerDeadlineAt(of)),
    absoluteDeadlineAt: formatInstant(of.absoluteDeadlineAt),
    absoluteGiven: of.absoluteGiven,
    keepUntilAt: instantOrNull(of.keepUntilAt),
    extensions: of.extensions,
    maxExtensions: of.maxExtensions,
    switchStopAt: record.switch === null ? null : formatInstant(stopAt(of)),
    switchCredential: record.switch?.credential ?? null,
  };
}

export function saysPod(record: PodRecord): string {
  const price =
    record.costPerHourMicroUsd === null ? 'price unknown' : `${formatUsd(record.costPerHourMicroUsd)}/h`;
  return `${record.id} (${record.gpu ?? 'no GPU'}, ${price}), owned by ${ownerName(record.owner)}`;
}

export function saysLimits({ deadlines: of }: PodRecord, now: number): readonly string[] {
  const kept = of.keepUntilAt === null ? [] : [`kept for ${saysLeft(of.keepUntilAt, now)}`];
  return [
    `owner deadline in ${saysLeft(ownerDeadlineAt(of), now)} (${saysInstant(ownerDeadlineAt(of))})`,
    `at the latest in ${saysLeft(of.absoluteDeadlineAt, now)} (${saysInstant(of.absoluteDeadlineAt)})`,
    ...kept,
  ];
}

export function switchJson(read: SwitchDeadlines): Readonly<Record<string, unknown>> {
  return {
    stopInMs: read.stopInMs,
    ownerInMs: read.ownerInMs,
    absoluteInMs: read.absoluteInMs,
    extensionsLeft: read.extensionsLeft,
    petWindowMs: read.petWindowMs,
    lastPetAgoMs: read.lastPetAgoMs,
  };
}

export function saysSwitch(read: SwitchDeadlines): string {
  const window = read.petWindowMs === 0 ? '' : `, or ${formatDuration(read.petWindowMs)} after the last pet`;
  return `the switch on the pod fires in ${formatDuration(read.stopInMs)}${window} (read back from the pod)`;
}
