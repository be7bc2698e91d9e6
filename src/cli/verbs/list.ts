/** list: the pods of the registry beside what the account shows of them. */
import { formatUsd } from '../../domain/budget.ts';
import { formatDuration, HOUR_MS } from '../../domain/duration.ts';
import type { Part } from '../../domain/part.ts';
import type { Listing } from '../../domain/provider-pod.ts';
import type { RegistryState } from '../../domain/registry/state.ts';
import { instantOrNull } from '../../domain/report/json.ts';
import { exitOfList, type ListRow, type ListScope, listRows } from '../../domain/report/list.ts';
import { plural, saysLeft } from '../../domain/report/words.ts';
import { readSides } from '../../flows/list-pods.ts';
import { type Answer, type Call, ONLY_LOOKED, type Page, type Verb } from '../call.ts';
import { examples, ownerFlags, registryFlags } from '../flags.ts';
import { identityOf } from '../settings/identity.ts';
import { wrongUse } from '../settings/pick.ts';
import { type Column, table } from '../text/table.ts';
import { wire } from '../wire.ts';

const COLUMNS: readonly Column[] = [
  { title: 'POD', width: 15 },
  { title: 'STATUS', width: 11 },
  { title: 'OWNER', width: null },
  { title: 'UTIL', width: 7, align: 'right' },
  { title: 'OWNER DEADLINE', width: 14 },
  { title: 'SO FAR', width: 8, align: 'right' },
];

const LATE_SWEEP_MS = 2 * HOUR_MS;

async function act(call: Call): Promise<Answer> {
  const scope = scopeOf(call);
  const offline = call.given.has('offline');
  const world = await wire(call, { apiKey: offline ? 'none' : 'needed', sshKey: 'none' });
  const { owner } = identityOf(call);
  const { state, listing, lastSweepAt } = await readSides(world, !offline);
  const now = call.clock.now();
  const rows = listRows({ state, listing, me: owner, scope, now });
  return {
    exitCode: offline ? 0 : exitOfList(rows, listing),
    value: {
      registry: world.registry.place,
      scope,
      account: listing.kind === 'seen' ? 'seen' : listing.reason,
      lastSweepAt: instantOrNull(lastSweepAt),
      pods: rows.map(rowJson),
      damaged: state.quarantined.map(({ path, problem }) => ({ path, problem })),
    },
    lines: (page) => lines(rows, { state, listing, offline, now, lastSweepAt }, page),
  };
}

function scopeOf({ given }: Call): ListScope {
  const chosen = (['all', 'mine', 'others'] as const).filter((scope) => given.has(scope));
  if (chosen.length <= 1) return chosen[0] ?? 'live';
  const flags = chosen.map((scope) => `--${scope}`).join(' and ');
  throw wrongUse(
    `--${chosen[1] ?? ''}`,
    `${flags} do not go together`,
    'Give one of them, or none for all live pods',
  );
}

function rowJson(row: ListRow): Readonly<Record<string, unknown>> {
  return {
    ...row,
    shown: row.shown.kind === 'seen' ? row.shown.value : null,
    util: row.util.kind === 'seen' ? row.util.value : null,
    ownerDeadlineAt: instantOrNull(row.ownerDeadlineAt),
    absoluteDeadlineAt: instantOrNull(row.absoluteDeadlineAt),
    keepUntilAt: instantOrNull(row.keepUntilAt),
  };
}

type Around = {
  readonly state: RegistryState;
  readonly listing: Part<Listing>;
  readonly offline: boolean;
  readonly now: number;
  readonly lastSweepAt: number | null;
};

function lines(rows: readonly ListRow[], around: Around, page: Page): readonly string[] {
  const { listing, offline, now } = around;
  const unseen = listing.kind === 'unseen' && !offline;
  return [
    ...(rows.length === 0 ? ['no pods'] : []),
    ...table(
      COLUMNS,
      rows.map((row) => ({ cells: cellsOf(row, now), detail: detailOf(row, now) })),
      page,
    ),
    ...(rows.length === 0 ? [] : ['', `${plural(rows.length, 'pod')}, ${mine(rows)} of them yours`]),
    ...(rows.some((row) => row.status === 'active') ? [saysSweep(around, page)] : []),
    ...around.state.quarantined.map(
      ({ path, problem }) => `${page.paint('red', 'damaged')}: ${path}: ${problem} (podtrack repair)`,
    ),
    ...(unseen ? [`${page.paint('red', 'the account could not be read')}: ${listing.reason}`] : []),
    ...(listing.kind === 'seen' && listing.value.malformed.length > 0
      ? [
          `${page.paint('red', `${listing.value.malformed.length} item(s) of the account's list cannot be read`)}`,
        ]
      : []),
  ];
}

/** A reaper that stays away is told by whoever looks: nothing else would notice. */
function saysSweep({ lastSweepAt, now }: Around, page: Page): string {
  if (lastSweepAt === null) return page.paint('warn', 'no reaper has swept this registry yet');
  const says = `last full sweep ${formatDuration(now - lastSweepAt)} ago`;
  return now - lastSweepAt > LATE_SWEEP_MS ? page.paint('warn', says) : says;
}

function mine(rows: readonly ListRow[]): number {
  return rows.filter((row) => row.mine).length;
}

function cellsOf(row: ListRow, now: number): readonly string[] {
  return [
    row.pod,
    row.status,
    `${row.mine ? '* ' : ''}${row.owner ?? '-'}`,
    row.util.kind === 'seen' ? `${row.util.value} %` : 'unknown',
    saysLeft(row.ownerDeadlineAt, now),
    formatUsd(row.costMicroUsd),
  ];
}

function detailOf(row: ListRow, now: number): string {
  const shown = row.shown.kind === 'seen' ? row.shown.value : `unseen: ${row.shown.reason}`;
  const recorded = row.absoluteDeadlineAt !== null;
  return [
    row.gpu ?? 'no GPU',
    `${formatUsd(row.costPerHourMicroUsd)}/h`,
    shown,
    ...(recorded ? [row.armed ? 'armed' : 'not armed', `cap ${saysLeft(row.absoluteDeadlineAt, now)}`] : []),
    ...(row.keepUntilAt === null ? [] : [`kept for ${saysLeft(row.keepUntilAt, now)}`]),
    ...(row.lastVerdict === null ? [] : [row.lastVerdict]),
    ...(row.damaged === null ? [] : [`its file is damaged (${row.damaged}): its last valid version counts`]),
  ].join(' · ');
}

export const list: Verb = {
  concernsPod: false,
  whenCut: ONLY_LOOKED,
  define(command) {
    command
      .option('--all', 'ended pods of the last 30 days and foreign ones too')
      .option('--mine', 'live pods of this owner')
      .option('--others', 'live pods of other owners')
      .option('--offline', 'the registry alone; needs no key');
    ownerFlags(command);
    registryFlags(command);
    examples(command, 'podtrack list --mine', 'podtrack list --all --json | jq ".pods[].pod"');
  },
  act,
};
