/** The rules of a call: every knob from flag, environment, file, profile or default, and the limits beside them. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type ConfigFile, readConfigFile } from '../../adapters/config-file.ts';
import { parseDuration } from '../../domain/duration.ts';
import { KNOBS, type KnobTexts, type ResolvedRules, resolveRules } from '../../domain/knobs.ts';
import { PROFILES } from '../../domain/rules.ts';
import type { Call } from '../call.ts';
import { pick, type Resolved, wrongUse } from './pick.ts';

export type RuleSettings = {
  readonly resolved: ResolvedRules;
  readonly profileOrigin: string;
  readonly file: string | null;
  readonly killIn: Resolved<number>;
  /** Whether a person gave kill-in. */
  readonly killInGiven: boolean;
  /** null = by default: owner deadline + max-extensions x pet-min. */
  readonly killAbsolute: Resolved<number> | null;
};

/** `workspace`: whether `.github/podtrack.yml` of the working tree counts; a reaper's rules never come from there. */
export function rulesOf(call: Call, workspace: boolean): RuleSettings {
  const file = fileOf(call, workspace);
  const profile = pick(call, { flag: 'profile', variable: 'PODTRACK_PROFILE' });
  const resolved = resolveRules({
    flags: flagTexts(call),
    environment: call.env,
    file: file?.rules ?? {},
    profile: profile?.value ?? file?.profile,
  });
  const killIn = duration(call, 'kill-in', 'PODTRACK_KILL_IN_MIN');
  return {
    resolved,
    profileOrigin: profile?.origin ?? (file?.profile ? file.path : 'default'),
    file: file?.path ?? null,
    killIn: killIn ?? {
      value: PROFILES[resolved.profile].killInMs,
      origin: `profile ${resolved.profile}`,
    },
    killInGiven: killIn !== null,
    killAbsolute: duration(call, 'kill-absolute-min', 'PODTRACK_KILL_ABSOLUTE_MIN'),
  };
}

function flagTexts({ given }: Call): KnobTexts {
  return Object.fromEntries(KNOBS.map(({ name }) => [name, given.text(name)]));
}

function duration(call: Call, flag: string, variable: string): Resolved<number> | null {
  const given = pick(call, { flag, variable });
  if (given === null) return null;
  return { value: parseDuration(given.value, given.origin), origin: given.origin };
}

function fileOf(call: Call, workspace: boolean): ConfigFile | null {
  const named = call.given.text('config');
  if (named !== undefined) {
    const path = resolve(call.io.cwd, named);
    const file = readConfigFile(path);
    if (file !== null) return file;
    throw wrongUse(
      '--config',
      `there is no file ${path}`,
      'Give the path of a podtrack.yml, or leave it out',
    );
  }
  return workspace ? readConfigFile(join(workingTree(call.io.cwd), '.github', 'podtrack.yml')) : null;
}

/** The nearest folder above with a `.git`, else the folder itself. */
function workingTree(cwd: string): string {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return resolve(cwd);
  }
}
