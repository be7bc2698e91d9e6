/** config: every setting with its value and where it came from; secrets only by where they lie. */

import { plainLine } from '../../adapters/plain-line.ts';
import { formatDuration } from '../../domain/duration.ts';
import { KNOBS, type ResolvedKnob } from '../../domain/knobs.ts';
import { type Answer, type Call, ONLY_LOOKED, type Verb } from '../call.ts';
import { examples, knobFlags, ownerFlags, registryFlags, sshFlags } from '../flags.ts';
import { findApiKey, findDeadmanToken, findRegistryToken, findSshKey } from '../settings/credentials.ts';
import { identityOf } from '../settings/identity.ts';
import type { Resolved } from '../settings/pick.ts';
import { addressesOf, homeOf, registryOf } from '../settings/places.ts';
import { type RuleSettings, rulesOf } from '../settings/rules.ts';

type Setting = {
  readonly name: string;
  readonly value: string | number | null;
  readonly text: string;
  readonly origin: string;
};

const NAME_WIDTH = 19;

async function act(call: Call): Promise<Answer> {
  const rules = rulesOf(call, !call.given.has('reaper'));
  const settings = [...placeSettings(call), ...secretSettings(call), ...ruleSettings(rules)];
  return {
    exitCode: 0,
    value: {
      file: rules.file,
      settings: settings.map(({ name, value, origin }) => ({ name, value, origin })),
    },
    lines: (page) => [
      ...settings.map(
        ({ name, text, origin }) =>
          `${name.padEnd(NAME_WIDTH)} ${plainLine(text)} ${page.paint('quiet', plainLine(`(${origin})`))}`,
      ),
      '',
      rules.file === null ? 'no podtrack.yml was read' : `rules file: ${rules.file}`,
    ],
  };
}

function text(name: string, { value, origin }: Resolved<string>): Setting {
  return { name, value, text: value, origin };
}

function placeSettings(call: Call): readonly Setting[] {
  const me = identityOf(call);
  const { rest, graphql } = addressesOf(call);
  const registry = registryOf(call);
  return [
    text('label', { value: me.owner.label ?? '(unlabelled)', origin: me.labelOrigin }),
    text('uuid', { value: me.owner.uuid, origin: me.uuidOrigin }),
    text('home', homeOf(call)),
    text('registry', registry.remote),
    text('registry-branch', registry.branch),
    text('rest', rest),
    text('graphql', graphql),
  ];
}

/** A secret's place is told, never a part of it. */
function secretSettings(call: Call): readonly Setting[] {
  const { remote } = registryOf(call);
  const found: readonly (readonly [string, Resolved<string> | null])[] = [
    ['api-key', findApiKey(call)],
    ['ssh-key', findSshKey(call)],
    ['deadman-token', findDeadmanToken(call)],
    ['registry-token', findRegistryToken(call, remote.value)],
  ];
  return found.map(([name, secret]) => {
    const given = secret === null ? 'not given' : 'given';
    return { name, value: given, text: given, origin: secret?.origin ?? '-' };
  });
}

function ruleSettings({
  resolved,
  profileOrigin,
  killIn,
  killAbsolute,
  file,
}: RuleSettings): readonly Setting[] {
  const cap =
    killAbsolute === null
      ? { value: null, text: 'owner deadline + extensions', origin: 'default' }
      : { value: killAbsolute.value, text: formatDuration(killAbsolute.value), origin: killAbsolute.origin };
  return [
    text('profile', { value: resolved.profile, origin: profileOrigin }),
    { name: 'kill-in', value: killIn.value, text: formatDuration(killIn.value), origin: killIn.origin },
    { name: 'kill-absolute-min', ...cap },
    ...resolved.knobs.map((knob) => knobSetting(knob, { profile: resolved.profile, file })),
  ];
}

function knobSetting(
  { name, value, origin }: ResolvedKnob,
  from: { profile: string; file: string | null },
): Setting {
  const knob = KNOBS.find((each) => each.name === name);
  const isDuration = knob?.kind === 'duration';
  const origins: Readonly<Record<ResolvedKnob['origin'], string>> = {
    flag: `--${name}`,
    environment: knob?.env ?? 'environment',
    file: from.file ?? 'file',
    profile: `profile ${from.profile}`,
    default: 'default',
  };
  return {
    name,
    value,
    text: isDuration ? formatDuration(Number(value)) : String(value),
    origin: origins[origin],
  };
}

export const config: Verb = {
  concernsPod: false,
  whenCut: ONLY_LOOKED,
  define(command) {
    command.option('--reaper', 'as podtrack reap sees it: without the file of the working tree');
    ownerFlags(command);
    sshFlags(command);
    registryFlags(command);
    knobFlags(command);
    examples(command, 'podtrack config', 'podtrack config --profile smoke --hb-grace 5 --json');
  },
  act,
};
