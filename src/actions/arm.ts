/** The arm door: plants the dead-man switch on a registered pod and proves that it runs. */
import { stopAt } from '../domain/deadlines.ts';
import { formatDuration } from '../domain/duration.ts';
import type { ExitCode } from '../domain/errors.ts';
import { formatInstant } from '../domain/instant.ts';
import { ownerFromEnv, runAddress } from '../domain/owner-from-env.ts';
import { actingOwner } from '../flows/acting.ts';
import type { Armed } from '../flows/arm.ts';
import { armPod } from '../flows/arm-pod.ts';
import { armKeys } from './arm-keys.ts';
import { takeCredentials, takeSwitchTokens } from './credentials.ts';
import { type Desk, openDoor } from './door.ts';
import { EXPORTED } from './interface.ts';
import { inGroup, inputsOf, writeOutput } from './io.ts';
import { openWorld } from './open-world.ts';
import { passingFolder } from './wire.ts';
import { podIdOf, wrongInput } from './words.ts';

export async function run(): Promise<void> {
  await openDoor(plant);
}

async function plant(desk: Desk): Promise<ExitCode> {
  const read = inputsOf('arm');
  const credentials = takeCredentials(desk, read);
  const tokens = takeSwitchTokens(desk, read);
  const podId = podIdOf(read('pod-id') || (desk.env[EXPORTED.podId] ?? '').trim());
  const uuid = read('uuid') || (desk.env[EXPORTED.uuid] ?? '').trim();
  if (uuid === '') {
    throw wrongInput(
      'uuid',
      'it is not known whose pod this is: neither uuid nor PODTRACK_OWNER_UUID is given',
      'Run register in an earlier step of this job, or pass its output uuid',
    );
  }
  const keys = armKeys(desk.env, { tokens, apiKey: credentials.apiKey, allowFull: read('allow-full-key') });
  const folder = passingFolder(desk.env);
  const { world } = openWorld(desk, read, { credentials, keepIn: 'artifact', folder });
  desk.concerned();
  const env = { ...desk.env, [EXPORTED.uuid]: uuid };
  const owner = ownerFromEnv(env, { label: '', uuid, matrix: '', checkRunId: '' });
  const act = { acting: actingOwner(owner, runAddress(owner)), owner, podId };
  const wish = { keys, petWindowMs: null, killInMs: null, killAbsoluteMs: null };
  hand(desk, await inGroup(`podtrack: switch of ${podId}`, () => armPod(world, act, wish)));
  return 0;
}

function hand(desk: Desk, { record, facts, status }: Armed): void {
  const stop = stopAt(record.deadlines);
  writeOutput('arm', 'credential', facts.credential);
  writeOutput('arm', 'stop', formatInstant(stop));
  const result = {
    schemaVersion: 1,
    podId: record.id,
    credential: facts.credential,
    mayTerminate: facts.mayTerminate,
    httpTool: status.httpTool,
    switchStopAt: formatInstant(stop),
  };
  writeOutput('arm', 'result', JSON.stringify(result));
  const left = formatDuration(stop - desk.clock.now());
  desk.log.say('info', `${record.id}: armed with the ${facts.credential} key; its switch fires in ${left}`);
}
