/** The arm door: plants the dead-man switch on registered pods and proves that it runs. */
import { stopAt } from '../domain/deadlines.ts';
import { formatDuration } from '../domain/duration.ts';
import { type ExitCode, exitOf, worstExit } from '../domain/errors.ts';
import { formatInstant } from '../domain/instant.ts';
import { ownerFromEnv, runAddress } from '../domain/owner-from-env.ts';
import { actingOwner } from '../flows/acting.ts';
import { type ArmedOne, armPods } from '../flows/arm-pods.ts';
import { armKeys } from './arm-keys.ts';
import { takeCredentials, takeSwitchTokens } from './credentials.ts';
import { type Desk, openDoor } from './door.ts';
import { EXPORTED } from './interface.ts';
import { inGroup, inputsOf, writeOutput } from './io.ts';
import { openWorld } from './open-world.ts';
import { enteredLast, podIdsOf } from './pod-ids.ts';
import { passingFolder } from './wire.ts';
import { wrongInput } from './words.ts';

export async function run(): Promise<void> {
  await openDoor(plant);
}

async function plant(desk: Desk): Promise<ExitCode> {
  const read = inputsOf('arm');
  const credentials = takeCredentials(desk, read);
  const tokens = takeSwitchTokens(desk, read);
  const podIds = podIdsOf(read, enteredLast(desk.env));
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
  const acting = actingOwner(owner, runAddress(owner));
  const acts = podIds.map((podId) => ({ acting, owner, podId }));
  const wish = { keys, petWindowMs: null, killInMs: null, killAbsoluteMs: null };
  const title = `podtrack: ${podIds.length === 1 ? 'switch' : 'switches'} of ${podIds.join(', ')}`;
  return hand(desk, await inGroup(title, () => armPods(world, acts, wish)));
}

/** What failed is told by its pod and makes the step red; the others are armed all the same. */
function hand(desk: Desk, pods: readonly ArmedOne[]): ExitCode {
  const [only, ...more] = pods;
  if (only?.armed.kind === 'failed' && more.length === 0) throw only.armed.error;
  const armed = pods.flatMap((each) => (each.armed.kind === 'done' ? [each.armed.value] : []));
  for (const { record, facts } of armed) {
    const left = formatDuration(stopAt(record.deadlines) - desk.clock.now());
    desk.log.say('info', `${record.id}: armed with the ${facts.credential} key; its switch fires in ${left}`);
  }
  const codes = pods.map(({ podId, armed: one }): ExitCode => {
    if (one.kind === 'done') return 0;
    const says = saysError(one.error);
    desk.log.say('error', `${podId}: not armed: ${says}`);
    return exitOf(one.error, true);
  });
  const credentials = [...new Set(armed.map(({ facts }) => facts.credential))];
  writeOutput('arm', 'credential', credentials.join(' '));
  const stops = armed.map(({ record }) => stopAt(record.deadlines));
  writeOutput('arm', 'stop', stops.length === 0 ? '' : formatInstant(Math.min(...stops)));
  const facts = pods.map(factsOf);
  const flat = more.length === 0 ? facts[0] : {};
  writeOutput('arm', 'result', JSON.stringify({ schemaVersion: 1, ...flat, pods: facts }));
  return worstExit(codes);
}

function factsOf({ podId, armed }: ArmedOne) {
  if (armed.kind === 'failed') return { podId, armed: false, says: saysError(armed.error) };
  const { record, facts, status } = armed.value;
  return {
    podId,
    armed: true,
    credential: facts.credential,
    mayTerminate: facts.mayTerminate,
    httpTool: status.httpTool,
    switchStopAt: formatInstant(stopAt(record.deadlines)),
  };
}

const saysError = (error: unknown): string => (error instanceof Error ? error.message : String(error));
