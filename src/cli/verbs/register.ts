/** register: the record first, then the switch. */
import { isAbsolute, resolve } from 'node:path';
import { localPlaces } from '../../adapters/local-places.ts';
import { microUsd } from '../../domain/budget.ts';
import { formatDuration } from '../../domain/duration.ts';
import type { Armed } from '../../flows/arm.ts';
import { armRecord } from '../../flows/arm-pod.ts';
import type { RegisterInput } from '../../flows/entry/register-checks.ts';
import { type Registered, register } from '../../flows/register.ts';
import type { World } from '../../ports.ts';
import type { Answer, Call, Page, Verb } from '../call.ts';
import {
  choiceFlags,
  choiceOf,
  examples,
  knobFlags,
  ownerFlags,
  registryFlags,
  sshFlags,
  switchFlags,
} from '../flags.ts';
import { identityOf } from '../settings/identity.ts';
import { durationFlag, podIdOf, wrongUse } from '../settings/pick.ts';
import { homeOf, onActions, registryOf } from '../settings/places.ts';
import { type RuleSettings, rulesOf } from '../settings/rules.ts';
import { recordJson, saysLimits, saysPod, saysSwitch, switchJson } from '../text/pod-facts.ts';
import { armKeysOf, wire } from '../wire.ts';

async function act(call: Call): Promise<Answer> {
  const rules = rulesOf(call, true);
  const asked = askedOf(call, rules, podIdOf(call));
  const petWindowMs = durationFlag(call, 'pet-window');
  const arms = !call.given.declined('arm');
  const keys = arms ? armKeysOf(call) : null;
  const localPath = localPathOf(call);
  const world = await wire(call, { apiKey: 'needed', sshKey: arms ? 'needed' : 'welcome' });
  const input = { ...asked, ...identityOf(call) };
  warnOfPassingHome(call);
  const registered = await register(world, input);
  for (const warning of registered.warnings) call.log.say('warning', `${input.podId}: ${warning}`);
  if (localPath !== null) localPlaces(homeOf(call).value).remember(input.podId, localPath);
  if (keys !== null) call.log.say('info', `${input.podId}: ${registered.how}; now its switch is planted`);
  const armed = keys === null ? null : await armNow(world, input, registered, { keys, petWindowMs });
  return answer(call, { registered, armed, rules });
}

type Wish = Parameters<typeof armRecord>[2];

async function armNow(
  world: World,
  input: RegisterInput,
  { record }: Registered,
  wish: Wish,
): Promise<Armed> {
  const { state } = await world.registry.read();
  const of = { record, acting: input.acting, registryId: state.meta.registryId };
  return await armRecord(world, of, wish);
}

export function askedOf(
  call: Call,
  rules: RuleSettings,
  podId: string,
): Omit<RegisterInput, 'acting' | 'owner'> {
  const { given } = call;
  return {
    podId,
    remotePath: given.text('remote-path') ?? null,
    noArtifacts: given.declined('artifacts'),
    allowEmpty: given.has('allow-empty'),
    choice: choiceOf(call),
    killInMs: rules.killIn.value,
    killInGiven: rules.killInGiven,
    killAbsoluteMs: rules.killAbsolute?.value ?? null,
    rules: rules.resolved.rules,
    gpu: given.text('gpu') ?? null,
    costPerHourMicroUsd: costOf(call),
    volumeId: given.text('volume-id') ?? null,
    expectedAddress: { host: given.text('ssh-ip') ?? null, port: portOf(call) },
    adopt: given.has('adopt'),
    freshReaperMs: durationFlag(call, 'require-fresh-reaper'),
    runStartedAt: null,
    ownNonce: null,
  };
}

function costOf({ given }: Call): number | null {
  const text = given.text('cost');
  if (text === undefined) return null;
  const amount = /^\d{1,6}(\.\d{1,6})?$/.test(text) ? microUsd(Number(text)) : null;
  if (amount !== null) return amount;
  throw wrongUse(
    '--cost',
    `"${text.slice(0, 40)}" is not dollars an hour`,
    'Give a plain number, such as 2.69',
  );
}

function portOf({ given }: Call): number | null {
  const text = given.text('ssh-port');
  if (text === undefined) return null;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw wrongUse('--ssh-port', `"${text.slice(0, 40)}" is not a port`, 'Give a number from 1 to 65535');
}

function localPathOf({ given, io }: Call): string | null {
  const text = given.text('local-path');
  return text === undefined ? null : isAbsolute(text) ? text : resolve(io.cwd, text);
}

function warnOfPassingHome(call: Call): void {
  if (!onActions(call.env) || !registryOf(call).isDefault) return;
  const text =
    'the registry lies on this runner and goes with it: set PODTRACK_REGISTRY to the address of a git repository';
  call.log.say('warning', text);
}

type Done = { readonly registered: Registered; readonly armed: Armed | null; readonly rules: RuleSettings };

function answer(call: Call, done: Done): Answer {
  const { registered, armed } = done;
  const read = armed?.status.deadlines;
  return {
    exitCode: 0,
    value: {
      ...recordJson(armed?.record ?? registered.record),
      how: registered.how,
      registryVersion: registered.version,
      warnings: registered.warnings,
      killInOrigin: done.rules.killIn.origin,
      switch: read?.kind === 'seen' ? switchJson(read.value) : null,
    },
    lines: (page) => lines(call, done, page),
  };
}

function lines(call: Call, { registered, armed, rules }: Done, page: Page): readonly string[] {
  const record = armed?.record ?? registered.record;
  const read = armed?.status.deadlines;
  const killIn = `kill-in ${formatDuration(rules.killIn.value)} by ${rules.killIn.origin}`;
  return [
    `${page.paint('ok', registered.how)}: ${saysPod(record)}`,
    ...saysLimits(record, call.clock.now()).map((line) => `  ${line}`),
    ...(registered.how === 'registered' ? [`  ${killIn}`] : []),
    ...(armed === null
      ? [`  ${page.paint('warn', 'not armed')}: the reaper alone would end it; podtrack arm ${record.id}`]
      : [`  armed: key of the rung "${armed.facts.credential}"`]),
    ...(read?.kind === 'seen' ? [`  ${saysSwitch(read.value)}`] : []),
  ];
}

export const registerVerb: Verb = {
  concernsPod: true,
  whenCut: {
    state: 'The record may be written and the switch not yet planted; the pod itself was not ended',
    next: 'Run it again (it goes on from what is there), or look with: podtrack list --mine',
  },
  define(command) {
    command
      .argument('<pod-id>', 'as RunPod shows it')
      .option('--remote-path <path>', 'artifacts on the pod, absolute; pulled and verified before the end')
      .option('--no-artifacts', 'there is nothing to save, on purpose')
      .option('--allow-empty', 'an empty artifact folder counts as verified')
      .option('--local-path <folder>', 'where copies of this pod go on this machine')
      .option('--kill-in <min>', 'owner deadline from now (PODTRACK_KILL_IN_MIN; default by profile)')
      .option('--kill-absolute-min <min>', 'hard cap that nothing moves (PODTRACK_KILL_ABSOLUTE_MIN)')
      .option('--gpu <text>', 'for people, where the provider does not say')
      .option('--cost <usd>', 'dollars an hour, where the provider does not say')
      .option('--ssh-ip <host>', 'compared with the address that the provider shows')
      .option('--ssh-port <port>', 'compared likewise')
      .option('--volume-id <id>', 'the network volume that must be mounted')
      .option('--adopt', "take a pod with another registry's stamp or mark")
      .option('--require-fresh-reaper <min>', 'refuse when the last full sweep of the reaper is older')
      .option('--no-arm', 'leave the switch to a later podtrack arm')
      .option('--pet-window <min>', 'the switch also fires so long after the last sign of life');
    choiceFlags(command, 'save only files whose path below --remote-path matches');
    ownerFlags(command);
    sshFlags(command);
    switchFlags(command);
    registryFlags(command);
    knobFlags(command);
    examples(
      command,
      'podtrack register abc123def456gh --remote-path /workspace/out --kill-in 120',
      "podtrack register abc123def456gh --remote-path /out --exclude '**/*.tmp'",
      'podtrack register abc123def456gh --no-artifacts --profile smoke',
    );
  },
  act,
};
