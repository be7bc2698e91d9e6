/** register-many: the pods of a fan-out in one commit, before its jobs begin. */
import { forTheRun } from '../../domain/owner.ts';
import type { EnteredOne } from '../../flows/register-many.ts';
import { registerMany } from '../../flows/register-many.ts';
import type { Answer, Call, Page, Verb } from '../call.ts';
import { choiceFlags, choiceOf, examples, knobFlags, ownerFlags, registryFlags, sshFlags } from '../flags.ts';
import { identityOf } from '../settings/identity.ts';
import { asPodId } from '../settings/pick.ts';
import { rulesOf } from '../settings/rules.ts';
import { recordJson, saysPod } from '../text/pod-facts.ts';
import { wire } from '../wire.ts';
import { askedOf } from './register.ts';

async function act(call: Call): Promise<Answer> {
  const rules = rulesOf(call, true);
  const ids = (await idsOf(call)).map(asPodId);
  choiceOf(call);
  const asked = ids.map((podId) => askedOf(call, rules, podId));
  const world = await wire(call, { apiKey: 'needed', sshKey: 'welcome' });
  const { owner, acting } = identityOf(call);
  const entered = await registerMany(
    world,
    asked.map((each) => ({ ...each, owner: forTheRun(owner), acting })),
  );
  for (const warning of entered.warnings) call.log.say('warning', warning);
  const refused = entered.pods.filter(({ kind }) => kind === 'refused').length;
  return {
    exitCode: refused === 0 ? 0 : 3,
    value: { uuid: owner.uuid, registryVersion: entered.version, pods: entered.pods.map(json) },
    lines: (page) => [
      ...entered.pods.map((each) => line(page, each)),
      `${entered.pods.length - refused} of ${entered.pods.length} pods entered; none is armed yet`,
      `the jobs own them with PODTRACK_OWNER_UUID=${owner.uuid}`,
    ],
  };
}

/** Arguments, or one id a line on standard input where the only one is `-`. */
async function idsOf({ args, io }: Call): Promise<readonly string[]> {
  if (args.length !== 1 || args[0] !== '-') return args;
  return (await io.input()).split(/\s+/).filter((id) => id !== '');
}

function json(each: EnteredOne): Readonly<Record<string, unknown>> {
  if (each.kind === 'refused')
    return { podId: each.podId, how: 'refused', reason: each.reason, says: each.says };
  const { kind, queued, warnings } = each;
  return { ...recordJson(each.record), how: kind, queued, warnings };
}

function line(page: Page, each: EnteredOne): string {
  if (each.kind === 'refused') return `${page.paint('red', 'refused')}: ${each.says}`;
  const late = each.queued ? ', queued' : '';
  return `${page.paint('ok', each.kind)}${late}: ${saysPod(each.record)}`;
}

export const registerManyVerb: Verb = {
  concernsPod: true,
  whenCut: {
    state: 'Either all records of the commit are written or none; no pod was touched',
    next: 'Run it again: what is there already is left as it is',
  },
  define(command) {
    command
      .argument('<pod-id...>', 'as RunPod shows them; - reads them from standard input')
      .option('--remote-path <path>', 'artifacts on each pod, absolute; pulled and verified before the end')
      .option('--no-artifacts', 'there is nothing to save, on purpose')
      .option('--allow-empty', 'an empty artifact folder counts as verified')
      .option('--kill-in <min>', 'owner deadline from now (PODTRACK_KILL_IN_MIN; default by profile)')
      .option('--kill-absolute-min <min>', 'hard cap that nothing moves (PODTRACK_KILL_ABSOLUTE_MIN)')
      .option('--gpu <text>', 'for people, where the provider does not say')
      .option('--cost <usd>', 'dollars an hour, where the provider does not say')
      .option('--adopt', "take pods with another registry's stamp or mark");
    choiceFlags(command, 'save only files whose path below --remote-path matches');
    ownerFlags(command);
    sshFlags(command);
    registryFlags(command);
    knobFlags(command);
    examples(
      command,
      'podtrack register-many abc123def456gh xyz123def456gh --remote-path /out',
      'jq -r .[].id pods.json | podtrack register-many - --no-artifacts --json',
    );
  },
  act,
};
