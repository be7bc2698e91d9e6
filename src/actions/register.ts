/** The register door: state first, then the record; arming is the next step's. */
import { DAY_MS, formatDuration, HOUR_MS } from '../domain/duration.ts';
import { ConfigError, type ExitCode, Refusal } from '../domain/errors.ts';
import { ownerName } from '../domain/owner.ts';
import type { PodRecord } from '../domain/pod.ts';
import type { SshAddress } from '../domain/provider-pod.ts';
import { refusedTogether } from '../flows/entry/refused-together.ts';
import { type Registered, register, saysDeadlines } from '../flows/register.ts';
import { registerTogether } from '../flows/register-many.ts';
import type { World } from '../ports.ts';
import { type Credentials, takeCredentials } from './credentials.ts';
import { type Desk, openDoor } from './door.ts';
import { handOn } from './hand-on.ts';
import { EXPORTED } from './interface.ts';
import { exportVariable, inGroup, inputsOf, writeSummary } from './io.ts';
import { openWorld } from './open-world.ts';
import { idsIn } from './pod-ids.ts';
import { enteredSummary } from './pods-summary.ts';
import { inputsFor, type RegisterWish, registerWish } from './register-wish.ts';
import { type RegistryPlace, tokenOf } from './registry-place.ts';
import { saveAsked, savePhase, saveRegistered } from './saved-state.ts';
import { registerSummary } from './summary.ts';
import { newFolder } from './wire.ts';
import { wrongInput } from './words.ts';

export async function run(): Promise<void> {
  await openDoor(enter);
}

async function enter(desk: Desk): Promise<ExitCode> {
  const read = inputsOf('register');
  const credentials = takeCredentials(desk, read);
  const wish = registerWish(desk, read);
  checkCanPull(wish, credentials);
  const folder = newFolder(desk.env);
  const { world, place } = openWorld(desk, read, {
    credentials,
    keepIn: wish.post.keepIn,
    folder,
    mayBegin: true,
  });
  warnOfShortToken(desk, wish, place, credentials);
  saveAsked(wish, place, { credentials, folder, hide: (secret) => desk.mask(secret) });
  exportVariable('jobPodIds', [...idsIn(desk.env[EXPORTED.jobPodIds]), ...wish.podIds].join(' '));
  const title = `podtrack: checks and record of ${wish.podIds.join(', ')}`;
  const together = await inGroup(title, () => registerOrRefuse(desk, world, wish));
  saveRegistered(
    together.registryId,
    together.pods.map(({ record }) => record),
  );
  desk.concerned();
  if (together.missed !== null) throw together.missed;
  await hand(desk, world, { wish, place, together });
  return 0;
}

/** Without a login post could pull nothing, and would leave the pod up: better said before the job than after. */
function checkCanPull(wish: RegisterWish, { sshKey }: Credentials): void {
  if (sshKey !== null || wish.asked.noArtifacts) return;
  throw wrongInput(
    'ssh-key',
    'no SSH key was given, so the artifacts could never be pulled',
    'Give ssh-key (or PODTRACK_SSH_KEY), or decline artifacts with no-artifacts: true',
  );
}

/** How long GitHub's short-lived tokens live at most; a job's own dies with the job, or after this. */
const LIVES = {
  'registry-token': { what: 'an app token, which lives an hour', lifeMs: HOUR_MS },
  'github-token': { what: "the job's own token, which lives a day at most", lifeMs: DAY_MS },
} as const;

/** Post comes at the end of the job, and needs the registry then. */
function warnOfShortToken(desk: Desk, { asked }: RegisterWish, to: RegistryPlace, given: Credentials): void {
  if (to.token === null || tokenOf(to, given)?.startsWith('ghs_') !== true) return;
  const { what, lifeMs } = LIVES[to.token];
  if (asked.killInMs <= lifeMs) return;
  desk.log.say(
    'warning',
    `${to.token} is ${what}, and kill-in is ${formatDuration(asked.killInMs)}: post may find it dead`,
  );
}

/** What stands in the registry as this job's. */
type Together = {
  readonly pods: readonly Pick<Registered, 'record' | 'how' | 'warnings'>[];
  readonly version: string | null;
  readonly registryId: string;
  /** Of all of them. */
  readonly warnings: readonly string[];
  /** A pod that somebody else took between the look and the commit; post ends the others with this job. */
  readonly missed: Error | null;
};

/** After a refusal nothing is ours to end, and post says nothing. After any other failure post looks for itself. */
async function registerOrRefuse(desk: Desk, world: World, wish: RegisterWish): Promise<Together> {
  try {
    return await registerAll(world, wish);
  } catch (error) {
    if (error instanceof Refusal || error instanceof ConfigError) savePhase('refused');
    else desk.concerned();
    throw error;
  }
}

async function registerAll(world: World, wish: RegisterWish): Promise<Together> {
  const [only, ...more] = inputsFor(wish);
  if (only === undefined) throw new Error('no pod was given');
  if (more.length === 0) {
    const { record, how, version, registryId, warnings } = await register(world, only, wish.slot);
    return { pods: [{ record, how, warnings }], version, registryId, warnings: [], missed: null };
  }
  const many = await registerTogether(world, [only, ...more], wish.slot);
  const refused = many.pods.filter((each) => each.kind === 'refused');
  const entered = many.pods.filter((each) => each.kind !== 'refused');
  const ids = entered.map(({ podId }) => podId).join(', ');
  const left =
    ids === '' ? 'None of the others was registered' : `${ids} were registered and end with this job`;
  return {
    pods: entered.map(({ record, kind, warnings }) => ({ record, how: kind, warnings })),
    version: many.version,
    registryId: many.registryId,
    warnings: many.warnings,
    missed: refused.length === 0 ? null : refusedTogether(refused, left),
  };
}

type Done = { readonly wish: RegisterWish; readonly place: RegistryPlace; readonly together: Together };

/** Everything that later steps need, and what a person reads. */
async function hand(desk: Desk, world: World, { wish, place, together }: Done): Promise<void> {
  const { pods, version, warnings } = together;
  const addresses = await Promise.all(pods.map(({ record }) => addressOf(world, record.id)));
  handOn({ pods, version, place, warnings }, addresses);
  for (const warning of warnings) desk.log.say('warning', warning);
  for (const { record, how, warnings: own } of pods) {
    for (const warning of [...own, ...saysNoStop(wish, record)])
      desk.log.say('warning', `${record.id}: ${warning}`);
    const limits = saysDeadlines(record, desk.clock.now());
    desk.log.say(
      'info',
      `${record.id}: ${how} for ${ownerName(record.owner)} in ${world.registry.place}; ${limits}`,
    );
  }
  if (wish.asked.owner.key === null)
    desk.log.say('notice', 'this runner names no run on a forge: nobody is asked whether the job still runs');
  const now = desk.clock.now();
  const [only, ...more] = pods;
  if (only === undefined) return;
  const one = (): string => registerSummary(only.record, only.how, saysDeadlines(only.record, now));
  writeSummary(more.length === 0 ? one() : enteredSummary(pods, now));
}

/** Found out at the end it would surprise; found out now it can be wished for otherwise. */
function saysNoStop({ post }: RegisterWish, { volumeId }: PodRecord): readonly string[] {
  if (!Object.values(post.ending).includes('stop') || volumeId === null) return [];
  return [
    'it has a network volume and cannot be stopped: in place of a stop it will be ended, and its volume stays',
  ];
}

/** For the steps that want to log in; a pod that shows none yet is registered all the same. */
async function addressOf(world: World, podId: string): Promise<SshAddress | null> {
  const lookup = await world.provider.get(podId).catch(() => null);
  if (lookup?.kind !== 'present' || lookup.pod.ssh.kind === 'unseen') return null;
  return lookup.pod.ssh.value;
}
