/** The setup door: the command on PATH for the steps that follow, a stamp for a pod of their own making, and who watches. */
import { parseDuration } from '../domain/duration.ts';
import type { ExitCode } from '../domain/errors.ts';
import { type Owner, ownerName } from '../domain/owner.ts';
import { ownerFromEnv } from '../domain/owner-from-env.ts';
import { PROFILES } from '../domain/rules.ts';
import type { Finding } from '../domain/workflow.ts';
import { type Prepared, setup } from '../flows/setup.ts';
import { takeTokens } from './credentials.ts';
import { type Desk, openDoor } from './door.ts';
import { EXPORTED } from './interface.ts';
import {
  exportVariable,
  inputsOf,
  ownProgram,
  prependPath,
  type ReadInput,
  writeOutput,
  writeSummary,
} from './io.ts';
import { placeOf, type RegistryPlace, spareTokenOf, tokenOf } from './registry-place.ts';
import { setupSummary } from './summary.ts';
import { newFolder, passingFolder, putCommand, setupWorld } from './wire.ts';
import { yesOrNo } from './words.ts';

export async function run(): Promise<void> {
  await openDoor(prepare);
}

type Read = ReadInput<'setup'>;

async function prepare(desk: Desk): Promise<ExitCode> {
  const read = inputsOf('setup');
  const tokens = takeTokens(desk, read);
  const strict = yesOrNo(read('strict'), 'strict', false);
  const ttlMs = read('ttl') === '' ? PROFILES.long.killInMs : parseDuration(read('ttl'), 'ttl');
  const owner = ownerOf(desk, read);
  const place = placeOf(desk.env, {
    repository: read('registry-repository'),
    branch: read('registry-branch'),
    hasRegistryToken: tokens.registryToken !== null,
    hasGithubToken: tokens.githubToken !== null,
  });
  const world = setupWorld(desk, {
    place,
    registryToken: tokenOf(place, tokens),
    spareToken: spareTokenOf(place, tokens),
    githubToken: tokens.githubToken,
    folder: passingFolder(desk.env),
    mayBegin: true,
    hurry: false,
    patientUntil: null,
  });
  // The command is there whatever the registry says: it may be what finds out why.
  prependPath(
    putCommand({
      ...ownProgram(),
      folder: newFolder(desk.env),
      defaults: defaultsOf(read, { owner, place }),
    }),
  );
  exportVariable('uuid', owner.uuid);
  const prepared = await setup(world, { owner, ttlMs });
  tell(desk, owner, prepared);
  return strict && prepared.findings.some(({ grade }) => grade === 'warn') ? 3 : 0;
}

/** A uuid that an earlier step of this job has chosen stays. */
function ownerOf({ env, chance }: Desk, read: Read): Owner {
  const uuid = (env[EXPORTED.uuid] ?? '').trim() || chance.uuid();
  const [label, matrix, checkRunId] = [read('label'), read('matrix'), read('check-run-id')];
  return ownerFromEnv(env, { label, uuid, matrix, checkRunId });
}

/** What the command line cannot know by itself: nothing of it is secret. */
function defaultsOf(
  read: Read,
  { owner, place }: { readonly owner: Owner; readonly place: RegistryPlace },
): Readonly<Record<string, string>> {
  const all = {
    PODTRACK_REGISTRY: place.remote,
    PODTRACK_REGISTRY_BRANCH: place.branch,
    PODTRACK_LABEL: read('label'),
    PODTRACK_MATRIX: owner.matrix ?? '',
    PODTRACK_CHECK_RUN_ID: owner.checkRunId ?? '',
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

const LEVELS = { warn: 'warning', note: 'info' } as const satisfies Record<Finding['grade'], string>;

function tell(desk: Desk, owner: Owner, prepared: Prepared): void {
  const { stamp, podName, registryId, findings } = prepared;
  writeOutput('setup', 'stamp', stamp);
  writeOutput('setup', 'pod-name', podName);
  writeOutput('setup', 'uuid', owner.uuid);
  const result = {
    schemaVersion: 1,
    label: owner.label,
    uuid: owner.uuid,
    registryId,
    stamp,
    podName,
    findings,
  };
  writeOutput('setup', 'result', JSON.stringify(result));
  desk.log.say(
    'info',
    `podtrack is on PATH for ${ownerName(owner)}; a pod of its own making is to be called ${podName}`,
  );
  for (const { grade, says } of findings) desk.log.say(LEVELS[grade], says);
  if (owner.key === null)
    desk.log.say('notice', 'this runner names no run on a forge: nobody is asked whether the job still runs');
  writeSummary(setupSummary(owner, prepared));
}
