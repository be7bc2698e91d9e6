/** The register door: state first, then the record; arming is the next step's. */
import { ownerDeadlineAt, stopAt } from '../domain/deadlines.ts';
import { DAY_MS, formatDuration, HOUR_MS } from '../domain/duration.ts';
import { ConfigError, type ExitCode, Refusal } from '../domain/errors.ts';
import { formatInstant } from '../domain/instant.ts';
import { ownerName } from '../domain/owner.ts';
import type { SshAddress } from '../domain/provider-pod.ts';
import { type Registered, register, saysDeadlines } from '../flows/register.ts';
import type { World } from '../ports.ts';
import { type Credentials, takeCredentials } from './credentials.ts';
import { type Desk, openDoor } from './door.ts';
import { exportVariable, inGroup, inputsOf, writeOutput, writeSummary } from './io.ts';
import { openWorld } from './open-world.ts';
import { type RegisterWish, registerWish } from './register-wish.ts';
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
  const title = `podtrack: checks and record of ${wish.input.podId}`;
  const registered = await inGroup(title, () => registerOrRefuse(desk, world, wish));
  saveRegistered({ record: registered.record, registryId: registered.registryId });
  desk.concerned();
  await hand(desk, world, { wish, place, registered });
  return 0;
}

/** Without a login post could pull nothing, and would leave the pod up: better said before the job than after. */
function checkCanPull(wish: RegisterWish, { sshKey }: Credentials): void {
  if (sshKey !== null || wish.input.noArtifacts) return;
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
function warnOfShortToken(desk: Desk, { input }: RegisterWish, to: RegistryPlace, given: Credentials): void {
  if (to.token === null || tokenOf(to, given)?.startsWith('ghs_') !== true) return;
  const { what, lifeMs } = LIVES[to.token];
  if (input.killInMs <= lifeMs) return;
  desk.log.say(
    'warning',
    `${to.token} is ${what}, and kill-in is ${formatDuration(input.killInMs)}: post may find it dead`,
  );
}

/** After a refusal nothing is ours to end, and post says nothing. After any other failure post looks for itself. */
async function registerOrRefuse(desk: Desk, world: World, wish: RegisterWish): Promise<Registered> {
  try {
    return await register(world, wish.input, wish.slot);
  } catch (error) {
    if (error instanceof Refusal || error instanceof ConfigError) savePhase('refused');
    else desk.concerned();
    throw error;
  }
}

type Done = { readonly wish: RegisterWish; readonly place: RegistryPlace; readonly registered: Registered };

/** Everything that later steps need, and what a person reads. */
async function hand(desk: Desk, world: World, done: Done): Promise<void> {
  const { record, version, how, warnings } = done.registered;
  const { uuid } = record.owner;
  exportVariable('uuid', uuid);
  exportVariable('podId', record.id);
  const address = await addressOf(world, record.id);
  const put = (name: Parameters<typeof writeOutput<'register'>>[1], value: string): void =>
    writeOutput('register', name, value);
  put('pod-id', record.id);
  put('label', record.owner.label ?? '');
  put('uuid', uuid);
  put('ssh-host', address?.host ?? '');
  put('ssh-port', address === null ? '' : String(address.port));
  put('deadline', formatInstant(ownerDeadlineAt(record.deadlines)));
  put('registry-commit', version ?? '');
  put('result', JSON.stringify(resultOf(done, address)));
  for (const warning of [...warnings, ...saysNoStop(done)])
    desk.log.say('warning', `${record.id}: ${warning}`);
  if (record.owner.key === null)
    desk.log.say('notice', 'this runner names no run on a forge: nobody is asked whether the job still runs');
  const limits = saysDeadlines(record, desk.clock.now());
  desk.log.say(
    'info',
    `${record.id}: ${how} for ${ownerName(record.owner)} in ${world.registry.place}; ${limits}`,
  );
  writeSummary(registerSummary(record, how, limits));
}

/** Found out at the end it would surprise; found out now it can be wished for otherwise. */
function saysNoStop({ wish, registered: { record } }: Done): readonly string[] {
  const stops = Object.values(wish.post.ending).includes('stop');
  if (!stops || record.volumeId === null) return [];
  return [
    'it has a network volume and cannot be stopped: in place of a stop it will be ended, and its volume stays',
  ];
}

function resultOf({ registered: { record, version, how, warnings }, place }: Done, ssh: SshAddress | null) {
  return {
    schemaVersion: 1,
    podId: record.id,
    how,
    status: record.status,
    sshHost: ssh?.host ?? null,
    sshPort: ssh?.port ?? null,
    label: record.owner.label,
    uuid: record.owner.uuid,
    ownerDeadlineAt: formatInstant(ownerDeadlineAt(record.deadlines)),
    absoluteDeadlineAt: formatInstant(record.deadlines.absoluteDeadlineAt),
    switchStopAt: formatInstant(stopAt(record.deadlines)),
    registry: place.remote,
    registryBranch: place.branch,
    registryCommit: version,
    warnings,
  };
}

/** For the steps that want to log in; a pod that shows none yet is registered all the same. */
async function addressOf(world: World, podId: string): Promise<SshAddress | null> {
  const lookup = await world.provider.get(podId).catch(() => null);
  if (lookup?.kind !== 'present' || lookup.pod.ssh.kind === 'unseen') return null;
  return lookup.pod.ssh.value;
}
