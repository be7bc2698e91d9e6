/** One row per knob: its word in every place, and how its value is resolved from flag to default. */
import { DAY_MS, LONGEST_MS, parseDuration, SECOND_MS } from './duration.ts';
import { ConfigError } from './errors.ts';
import { DEFAULT_RULES, IDLE_STEP_MS, PROFILES, type ProfileName, type ReaperRules } from './rules.ts';

type Kind = 'duration' | 'count' | 'percent' | 'activity';

/** A knob's words: `name` in action inputs, flags (`--name`) and the file; `env` in the environment. */
export type Knob = {
  readonly name: string;
  readonly env: string;
  readonly field: keyof ReaperRules;
  readonly kind: Kind;
  /** The least count. */
  readonly least?: number;
  readonly help: string;
};

export const KNOBS: readonly Knob[] = [
  {
    name: 'startup-grace',
    env: 'PODTRACK_STARTUP_GRACE_MIN',
    field: 'startupGraceMs',
    kind: 'duration',
    help: 'no idle or unreachable verdict before this long after the pod started',
  },
  {
    name: 'idle-strikes',
    env: 'PODTRACK_IDLE_STRIKES',
    field: 'idleStrikes',
    kind: 'count',
    help: 'spaced idle sightings needed',
  },
  {
    name: 'idle-window',
    env: 'PODTRACK_IDLE_WINDOW_MIN',
    field: 'idleWindowMs',
    kind: 'duration',
    help: 'least time from first to last idle sighting (default 5 min x strikes)',
  },
  {
    name: 'sighting-spacing',
    env: 'PODTRACK_SIGHTING_SPACING_MIN',
    field: 'sightingSpacingMs',
    kind: 'duration',
    help: 'sightings nearer than this count as one',
  },
  {
    name: 'hb-grace',
    env: 'PODTRACK_HB_GRACE_MIN',
    field: 'hbGraceMs',
    kind: 'duration',
    help: 'a heartbeat younger than this is fresh',
  },
  {
    name: 'pet-min',
    env: 'PODTRACK_PET_MIN',
    field: 'petMinMs',
    kind: 'duration',
    help: 'how far a pet or an automatic extension reaches',
  },
  {
    name: 'unreachable-reaps',
    env: 'PODTRACK_UNREACHABLE_REAPS',
    field: 'unreachableReaps',
    kind: 'count',
    help: 'spaced sightings without a route needed',
  },
  {
    name: 'unreachable-window',
    env: 'PODTRACK_UNREACHABLE_WINDOW_MIN',
    field: 'unreachableWindowMs',
    kind: 'duration',
    help: 'least time from first to last sighting without a route',
  },
  {
    name: 'untracked-grace',
    env: 'PODTRACK_UNTRACKED_GRACE_MIN',
    field: 'untrackedGraceMs',
    kind: 'duration',
    help: 'a stray younger than this is left alone',
  },
  {
    name: 'exited-grace',
    env: 'PODTRACK_EXITED_GRACE_MIN',
    field: 'exitedGraceMs',
    kind: 'duration',
    help: 'an EXITED pod is left alone this long',
  },
  {
    name: 'boot-limit',
    env: 'PODTRACK_BOOT_LIMIT_MIN',
    field: 'bootLimitMs',
    kind: 'duration',
    help: 'a pod we created must be reachable by then',
  },
  {
    name: 'pull-margin',
    env: 'PODTRACK_PULL_MARGIN_MIN',
    field: 'pullMarginMs',
    kind: 'duration',
    help: 'time after the owner deadline kept for the last pull',
  },
  {
    name: 'max-extensions',
    env: 'PODTRACK_MAX_EXTENSIONS',
    field: 'maxExtensions',
    kind: 'count',
    least: 0,
    help: 'automatic extensions while a heartbeat is fresh',
  },
  {
    name: 'api-idle-min-uptime',
    env: 'PODTRACK_API_IDLE_MIN_UPTIME_MIN',
    field: 'apiIdleMinUptimeMs',
    kind: 'duration',
    help: 'least uptime before the provider telemetry may say idle',
  },
  {
    name: 'min-gpu-util',
    env: 'PODTRACK_MIN_GPU_UTIL',
    field: 'minGpuUtil',
    kind: 'percent',
    help: 'GPU utilisation above this is activity',
  },
  {
    name: 'activity',
    env: 'PODTRACK_ACTIVITY',
    field: 'activity',
    kind: 'activity',
    help: 'jobs, or jobs-and-ssh to count live SSH sessions',
  },
  {
    name: 'max-kills',
    env: 'PODTRACK_MAX_KILLS',
    field: 'maxKills',
    kind: 'count',
    help: 'more inferred kills than this and none is made',
  },
  {
    name: 'orphan-grace',
    env: 'PODTRACK_ORPHAN_GRACE_MIN',
    field: 'orphanGraceMs',
    kind: 'duration',
    help: 'wait after the owner run completed',
  },
];

/** Where a resolved value came from. */
export type Origin = 'flag' | 'environment' | 'file' | 'profile' | 'default';

export type ResolvedKnob = {
  readonly name: string;
  readonly value: number | string;
  readonly origin: Origin;
};

export type ResolvedRules = {
  readonly rules: ReaperRules;
  readonly profile: ProfileName;
  readonly knobs: readonly ResolvedKnob[];
};

/** Raw texts by knob name; an empty text counts as not given. */
export type KnobTexts = Readonly<Record<string, string | undefined>>;

export type KnobSources = {
  readonly flags: KnobTexts;
  readonly environment: KnobTexts;
  readonly file: KnobTexts;
  readonly profile: string | undefined;
};

/** Flag or input > environment > file > profile > default. Throws a ConfigError that names the source. */
export function resolveRules(sources: KnobSources): ResolvedRules {
  const profile = profileOf(sources.profile);
  const rules: Record<string, number | string> = { ...DEFAULT_RULES };
  const knobs = KNOBS.map((knob): ResolvedKnob => {
    const given = givenText(knob, sources);
    const preset = PROFILES[profile].rules[knob.field as keyof typeof DEFAULT_RULES & never];
    if (given !== null) rules[knob.field] = parseKnob(knob, given.text, given.label);
    else if (preset !== undefined) rules[knob.field] = preset;
    const origin = given?.origin ?? (preset === undefined ? 'default' : 'profile');
    return { name: knob.name, value: rules[knob.field] ?? '', origin };
  });
  const windowGiven = knobs.some((knob) => knob.name === 'idle-window' && knob.origin !== 'default');
  if (!windowGiven) rules['idleWindowMs'] = IDLE_STEP_MS * Number(rules['idleStrikes']);
  const resolved = knobs.map((knob) =>
    knob.name === 'idle-window' ? { ...knob, value: rules['idleWindowMs'] ?? '' } : knob,
  );
  return { rules: rules as ReaperRules, profile, knobs: resolved };
}

function profileOf(text: string | undefined): ProfileName {
  if (text === undefined || text === '') return 'long';
  if (Object.hasOwn(PROFILES, text)) return text as ProfileName;
  throw new ConfigError('profile', {
    tried: 'Choosing the profile',
    cameBack: `"${text.slice(0, 40)}" is not one of ${Object.keys(PROFILES).join(', ')}`,
    state: 'Nothing was changed',
    next: 'Give one of these names',
  });
}

function givenText(knob: Knob, sources: KnobSources): { text: string; label: string; origin: Origin } | null {
  const places: readonly (readonly [KnobTexts, string, Origin])[] = [
    [sources.flags, knob.name, 'flag'],
    [sources.environment, knob.env, 'environment'],
    [sources.file, knob.name, 'file'],
  ];
  for (const [texts, label, origin] of places) {
    const text = texts[label]?.trim();
    if (text !== undefined && text !== '') return { text, label, origin };
  }
  return null;
}

function parseKnob(knob: Knob, text: string, label: string): number | string {
  if (knob.kind === 'duration') return parseDuration(text, label);
  if (knob.kind === 'activity') {
    if (text === 'jobs' || text === 'jobs-and-ssh') return text;
    throw badKnob(label, text, 'jobs or jobs-and-ssh');
  }
  if (!/^\d{1,6}$/.test(text)) throw badKnob(label, text, 'a whole number');
  const value = Number(text);
  const least = knob.least ?? (knob.kind === 'percent' ? 0 : 1);
  const most = knob.kind === 'percent' ? 100 : 1000;
  if (value < least || value > most) throw badKnob(label, text, `a whole number from ${least} to ${most}`);
  return value;
}

function badKnob(label: string, text: string, wanted: string): ConfigError {
  return new ConfigError(label, {
    tried: `Reading ${label}`,
    cameBack: `"${text.slice(0, 40)}" is not ${wanted}`,
    state: 'Nothing was changed',
    next: `Give ${wanted}, or leave it out for the default`,
  });
}

/** A record is untrusted input: no count in it may put an end off for ever. */
const MOST_SIGHTINGS = 100;

/** A reaper judges each pod by the rules frozen in its record, within its own maxima. */
export function withinReaper(frozen: Partial<ReaperRules>, reaper: ReaperRules): ReaperRules {
  const longest = Math.min(LONGEST_MS, 2 * DAY_MS + reaper.exitedGraceMs);
  const merged: ReaperRules = {
    ...reaper,
    ...frozen,
    maxKills: reaper.maxKills,
    orphanGraceMs: reaper.orphanGraceMs,
  };
  return {
    ...merged,
    startupGraceMs: Math.min(merged.startupGraceMs, longest),
    idleWindowMs: Math.max(SECOND_MS, Math.min(merged.idleWindowMs, longest)),
    hbGraceMs: Math.min(merged.hbGraceMs, longest),
    exitedGraceMs: Math.min(merged.exitedGraceMs, longest),
    unreachableWindowMs: Math.min(merged.unreachableWindowMs, longest),
    untrackedGraceMs: Math.min(merged.untrackedGraceMs, longest),
    sightingSpacingMs: Math.min(merged.sightingSpacingMs, longest),
    idleStrikes: Math.min(merged.idleStrikes, MOST_SIGHTINGS),
    unreachableReaps: Math.min(merged.unreachableReaps, MOST_SIGHTINGS),
  };
}
