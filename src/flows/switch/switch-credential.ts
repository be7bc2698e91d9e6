/** The credential ladder: which key the switch gets, measured on the pod by calls that cannot harm. */
import { Refusal } from '../../domain/errors.ts';
import type { PodRecord } from '../../domain/pod.ts';
import { checkCall } from '../../domain/switch/calls.ts';
import { type KeyCheck, readKeyCheck } from '../../domain/switch/key.ts';
import type { ShellSession, World } from '../../ports.ts';
import type { ArmKeys } from '../arm.ts';

export type Rung = 'explicit' | 'injected' | 'deadman' | 'full';
export type ChosenKey = { readonly source: Rung; readonly key: string | null; readonly check: KeyCheck };

/** Explicit token, the pod's own injected key, the dead-man token, the account key only when allowed. */
function ladder(keys: ArmKeys): readonly { readonly source: Rung; readonly key: string | null }[] {
  return [
    ...(keys.explicit === null ? [] : [{ source: 'explicit' as const, key: keys.explicit }]),
    { source: 'injected', key: null },
    ...(keys.deadman === null ? [] : [{ source: 'deadman' as const, key: keys.deadman }]),
    ...(keys.full === null ? [] : [{ source: 'full' as const, key: keys.full }]),
  ];
}

/** The first rung that provably may end pods; a refusal names what each was measured to lack. */
export async function chooseKey(
  world: World,
  session: ShellSession,
  record: PodRecord,
  keys: ArmKeys,
): Promise<ChosenKey> {
  const address = { podId: record.id, rest: keys.restBaseUrl, graphql: keys.graphqlUrl };
  const tried: string[] = [];
  for (const { source, key } of ladder(keys)) {
    const check = readKeyCheck(await session.run(checkCall(address, source, key)));
    if (check.kind === 'seen' && check.value.mayTerminate === 'yes') {
      tellReach(world, record, source);
      tellTools(world, record, check.value);
      return { source, key, check: check.value };
    }
    tried.push(`${source}: ${check.kind === 'unseen' ? check.reason : saysLack(check.value)}`);
  }
  throw noKey(record, tried, keys.full === null);
}

function saysLack(check: KeyCheck): string {
  if (!check.reached) return `no API answered ${whyNot(check)}(${check.answers})`;
  return `may terminate: ${check.mayTerminate} (${check.answers})`;
}

/** With what the switch will call: found now, so that the deadline is not the first to find it missing. */
function tellTools(world: World, record: PodRecord, { httpTool, ca }: KeyCheck): void {
  const by = ca === null ? "the image's own authorities" : `the authorities of ${ca}`;
  world.log.say('info', `${record.id}: its switch calls by ${httpTool}, trusting ${by}`);
}

function tellReach(world: World, record: PodRecord, source: Rung): void {
  if (source === 'deadman') {
    world.log.say('notice', `${record.id}: the dead-man token on the pod is not limited to this pod`);
  }
  if (source === 'full') {
    world.log.say(
      'warning',
      `${record.id}: THE FULL ACCOUNT KEY IS ON THE POD. Whoever gets into it can end every pod of the account and read their env`,
    );
  }
}

/** A certificate that nothing on the pod trusts has causes of its own, and they are worth naming. */
function whyNot({ answers, httpTool }: KeyCheck): string {
  if (httpTool === 'none' || httpTool === 'runpodctl')
    return 'for want of curl, GNU wget or python3 in the image ';
  if (!answers.includes('tls-failed')) return '';
  return `that ${httpTool} trusts: no CA bundle in the image, a clock far off, or a certificate that nobody signed `;
}

function noKey(record: PodRecord, tried: readonly string[], fullWithheld: boolean): Refusal {
  const last = fullWithheld ? ', or allow the account key with allow-full-key' : '';
  return new Refusal('no-switch-credential', {
    tried: `Finding a key with which ${record.id} can end itself`,
    cameBack: tried.join('; '),
    state: 'No switch was planted; the pod runs with the reaper alone',
    next: `Give a token that may terminate pods (token-file, deadman-token)${last}`,
  });
}
