/** One setting: its value, and where it came from; flag before environment before default, empty is not given. */
import { parseDuration } from '../../domain/duration.ts';
import { ConfigError } from '../../domain/errors.ts';
import type { Call } from '../call.ts';

export type Resolved<T> = {
  readonly value: T;
  /** `--registry`, `PODTRACK_REGISTRY`, the path of a file, `profile long`, `default`. */
  readonly origin: string;
};

export type Place = { readonly flag?: string; readonly variable?: string };

/** null = neither flag nor variable gives it. */
export function pick({ given, env }: Pick<Call, 'given' | 'env'>, place: Place): Resolved<string> | null {
  const flag = place.flag === undefined ? undefined : given.text(place.flag)?.trim();
  if (flag !== undefined && flag !== '') return { value: flag, origin: `--${place.flag ?? ''}` };
  const text = place.variable === undefined ? undefined : env[place.variable]?.trim();
  return text === undefined || text === '' ? null : { value: text, origin: place.variable ?? '' };
}

export function pickOr(call: Pick<Call, 'given' | 'env'>, place: Place, fallback: string): Resolved<string> {
  return pick(call, place) ?? { value: fallback, origin: 'default' };
}

/** A duration in ms from a flag alone. Throws ConfigError. */
export function durationFlag(call: Call, flag: string): number | null {
  const text = call.given.text(flag);
  return text === undefined ? null : parseDuration(text, `--${flag}`);
}

export function wrongUse(input: string, cameBack: string, next: string): ConfigError {
  const tried = 'Reading the command line';
  return new ConfigError(input, { tried, cameBack, state: 'Nothing was changed', next });
}

/** The pod id of a verb, as RunPod shows it. Throws ConfigError, also for what an empty expression leaves behind. */
export function podIdOf(call: Call): string {
  return asPodId(call.args[0] ?? '');
}

export function asPodId(text: string): string {
  const id = text.trim();
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(id) && !/^(?:null|undefined)$/i.test(id)) return id;
  const hint = 'a job output that contains a masked text arrives empty';
  throw wrongUse(
    'pod-id',
    `"${id.slice(0, 70)}" is not a pod id (${hint})`,
    'Give the id as RunPod shows it',
  );
}
