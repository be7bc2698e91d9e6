/** Arms a pod: plants the dead-man switch with the best key that works, and proves over a second connection that it lives. */
import { stopAt } from '../domain/deadlines.ts';
import { formatDuration } from '../domain/duration.ts';
import { Refusal, WorldError } from '../domain/errors.ts';
import { pinOnceShown } from '../domain/host-key.ts';
import { ADOPTED } from '../domain/new-record.ts';
import { type Part, unseen } from '../domain/part.ts';
import { type PodRecord, podKey, type SwitchFacts } from '../domain/pod.ts';
import type { ProviderPod } from '../domain/provider-pod.ts';
import { installCall, type SwitchPlan, switchCall, switchLimits } from '../domain/switch/calls.ts';
import { readSwitchMark, readSwitchStatus, refusedBecause, type SwitchStatus } from '../domain/switch.ts';
import type { ShellSession, World } from '../ports.ts';
import { type Acting, opBase } from './acting.ts';
import { softly } from './ask.ts';
import { type ChosenKey, chooseKey } from './switch/switch-credential.ts';
import { openPod } from './watch/visit.ts';

/** What the ladder may use, and where the switch will call. Keys go over stdin only. */
export type ArmKeys = {
  readonly explicit: string | null;
  readonly deadman: string | null;
  /** The account's own key; null unless allow-full-key was given. */
  readonly full: string | null;
  /** REST base without `/v2`. */
  readonly restBaseUrl: string;
  readonly graphqlUrl: string;
  /** Seconds between two looks of the watchdog; null = its default. */
  readonly tickS: number | null;
};

export type ArmInput = {
  readonly acting: Acting;
  readonly record: PodRecord;
  readonly session: ShellSession;
  /** The pod as it was just shown: the proof is taken over a connection of its own. */
  readonly pod: ProviderPod;
  readonly registryId: string;
  readonly keys: ArmKeys;
  /** null = the switch does not mind how long nobody petted. */
  readonly petWindowMs: number | null;
};

export type Armed = {
  readonly record: PodRecord;
  readonly facts: SwitchFacts;
  readonly status: SwitchStatus;
};

const TRIES = 2;

/** One relaunch, then a hard failure: a pod that is not armed is never called armed. */
export async function arm(world: World, input: ArmInput): Promise<Armed> {
  const { record, session, keys } = input;
  await mustBeFree(session, input);
  const chosen = await chooseKey(world, session, record, keys);
  let why = '';
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const proven = await softly(async () => {
      const installed = await install(world, input, chosen);
      return installed === null ? await prove(world, input) : unseen<SwitchStatus>(installed);
    });
    const status = proven.kind === 'seen' ? proven.value : proven;
    if (status.kind === 'seen') return await commit(world, input, chosen, status.value);
    why = status.reason;
    world.log.say('warning', `${record.id}: try ${attempt} of ${TRIES} to arm: ${why}`);
  }
  throw new WorldError('incomplete-answer', {
    tried: `Arming ${record.id}`,
    cameBack: `after a relaunch it is still not armed: ${why}`,
    state: `The pod runs WITHOUT a switch that is proven to live; the reaper alone ends it, at the latest in ${formatDuration(record.deadlines.absoluteDeadlineAt - world.clock.now())}`,
    next: 'Mend what is named and run: podtrack arm, or end it with: podtrack teardown',
  });
}

/** Another registry's switch is not written over, unless the pod was adopted from it. */
async function mustBeFree(session: ShellSession, { record, registryId }: ArmInput): Promise<void> {
  const mark = readSwitchMark(await session.run(switchCall('mark')));
  if (mark.kind === 'unseen' || mark.value.registryId === registryId) return;
  if (record.notes.includes(ADOPTED)) return;
  throw new Refusal('other-registry', {
    tried: `Arming ${record.id}`,
    cameBack: 'another registry has left its mark and its switch on it',
    state: 'That switch is as it was, and none of ours was planted',
    next: 'If the pod is really yours to take, register it with adopt',
  });
}

/** null = installed; otherwise why not. */
async function install(world: World, input: ArmInput, chosen: ChosenKey): Promise<string | null> {
  const { record, session, keys } = input;
  const plan: SwitchPlan = {
    podId: record.id,
    rest: keys.restBaseUrl,
    graphql: keys.graphqlUrl,
    limits: switchLimits({
      deadlines: record.deadlines,
      now: world.clock.now(),
      petWindowMs: input.petWindowMs,
    }),
    deadlines: record.deadlines,
    hbGraceMs: record.rules.hbGraceMs,
    registryId: input.registryId,
    ownerUuid: record.owner.uuid,
    keySource: chosen.source,
    key: chosen.key,
    ca: chosen.check.ca,
    ...(keys.tickS === null ? {} : { tickS: keys.tickS }),
  };
  return refusedBecause(await session.run(installCall(plan)));
}

/** Over a second connection, by what the pod itself says: both processes, the mark, and the deadline. */
async function prove(world: World, input: ArmInput): Promise<Part<SwitchStatus>> {
  const second = await openPod(world, input.record, input.pod);
  try {
    if (second.hostKey !== input.session.hostKey)
      return unseen('the second connection met another host key than the first');
    const status = readSwitchStatus(await second.run(switchCall('status')));
    if (status.kind === 'unseen') return status;
    const why = objection(status.value, input, world.clock.now());
    return why === null ? status : unseen(why);
  } finally {
    await second.close();
  }
}

/** How far the pod's own stop may lie from the record's: whole seconds, and the time an install takes. */
const STOP_SLACK_MS = 30_000;

function objection(status: SwitchStatus, { record, registryId }: ArmInput, now: number): string | null {
  if (!status.armed) return status.reason ?? 'the pod says it is not armed';
  if (status.deadlines.kind === 'unseen') return status.deadlines.reason;
  if (!status.deadlines.value.acted) return 'the watchdog has not turned with these deadlines';
  const wantedMs = stopAt(record.deadlines) - now;
  const { stopInMs } = status.deadlines.value;
  if (Math.abs(stopInMs - wantedMs) > STOP_SLACK_MS)
    return `it says it stops in ${formatDuration(stopInMs)}, not in ${formatDuration(wantedMs)}`;
  if (status.mark.kind === 'unseen') return status.mark.reason;
  const { mark } = status;
  const ours =
    mark.value.registryId === registryId &&
    mark.value.ownerUuid === record.owner.uuid &&
    mark.value.podId === record.id;
  return ours ? null : 'the mark on the pod is not ours';
}

async function commit(
  world: World,
  input: ArmInput,
  chosen: ChosenKey,
  status: SwitchStatus,
): Promise<Armed> {
  const { record, session, pod } = input;
  const now = world.clock.now();
  const facts: SwitchFacts = {
    armedAt: now,
    credential: chosen.source,
    mayRead: chosen.check.mayRead,
    mayTerminate: chosen.check.mayTerminate,
    petWindowMs: input.petWindowMs,
    tool: status.httpTool,
  };
  const hostKey = pinOnceShown(record, pod, session.hostKey, now);
  const op = { ...opBase(world, input.acting, 'arm'), op: 'arm' as const, pod: record.id, facts, hostKey };
  const submitted = await world.registry.submit([op]);
  const [result] = submitted.results;
  if (result?.kind === 'refused') {
    throw new Refusal(result.because, {
      tried: `Recording that ${record.id} is armed`,
      cameBack: result.detail,
      state: 'The switch is planted and alive; the registry does not say so',
      next: 'Look at the record with: podtrack list --all',
    });
  }
  return { record: submitted.state.pods[podKey(record)] ?? record, facts, status };
}
