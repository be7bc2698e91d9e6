/** What is asked of a pod's switch, as data: which script, with which arguments, and what goes in over stdin. */
import { type Deadlines, ownerDeadlineAt, secondsLeft, stopAt } from '../deadlines.ts';
import { DAY_MS, formatDuration } from '../duration.ts';
import { Refusal } from '../errors.ts';

/** One run of an on-pod script; the port's `ScriptCall` is the same. Arguments are visible on the pod, stdin is not. */
export type PodCall = {
  readonly script: 'install' | 'switch' | 'probe';
  readonly args: readonly string[];
  readonly stdin?: string;
  readonly timeoutMs: number;
};

/** What the switch is told, in whole seconds from now: the pod's wall clock may say anything. */
export type SwitchLimits = {
  readonly stopInS: number;
  readonly ownerInS: number;
  readonly absoluteInS: number;
  readonly extensionsLeft: number;
  /** 0 = off; null = as it is (a pet), or off (an install). */
  readonly petWindowS: number | null;
};

export type LimitsWish = {
  readonly deadlines: Deadlines;
  readonly now: number;
  /** A stop of its own, as for the last pull; left out = min(owner + pull-margin, absolute), or the keep. */
  readonly stopAt?: number;
  readonly petWindowMs?: number | null;
};

/** Where the key comes from: a rung of the ladder; `planted` = the one that is already there. */
export type KeySource = 'explicit' | 'injected' | 'deadman' | 'full' | 'planted';

export type ProviderAddress = {
  readonly podId: string;
  /** REST base without `/v2`. */
  readonly rest: string;
  readonly graphql: string;
};

export type SwitchPlan = ProviderAddress & {
  readonly limits: SwitchLimits;
  readonly deadlines: Deadlines;
  readonly hbGraceMs: number;
  readonly registryId: string;
  readonly ownerUuid: string;
  /** `key` is null where the source needs none (`injected`, `planted`). */
  readonly keySource: KeySource;
  readonly key: string | null;
  /** The authorities that the check found (`KeyCheck.ca`); null or left out = the tool's own. */
  readonly ca?: string | null;
  /** Seconds between two looks of the watchdog; left out = 3. */
  readonly tickS?: number;
  readonly backoffS?: { readonly first: number; readonly last: number };
};

const LONGEST_ON_POD_MS = 31 * DAY_MS;
const CALL_MS = 45_000;
/** Four requests of at most 20 s each, and the way there. */
const CHECK_MS = 100_000;

/**
 * The limits as the pod is told them. During a keep, and with a stop of its own, no extension is left to grant.
 * Throws a Refusal when the stop has passed (tear down instead) or lies beyond 31 days.
 */
export function switchLimits(wish: LimitsWish): SwitchLimits {
  const { deadlines: of, now } = wish;
  const stop = Math.min(wish.stopAt ?? stopAt(of), of.absoluteDeadlineAt);
  if (stop - now < 1000)
    throw unfit('stop-passed', `the switch would stop the pod at once (${formatDuration(stop - now)})`);
  if (of.absoluteDeadlineAt - now > LONGEST_ON_POD_MS)
    throw unfit('beyond-31-days', 'the absolute deadline lies beyond 31 days');
  const resting = of.keepUntilAt !== null || wish.stopAt !== undefined;
  return {
    stopInS: secondsLeft(stop, now),
    ownerInS: secondsLeft(ownerDeadlineAt(of), now),
    absoluteInS: secondsLeft(of.absoluteDeadlineAt, now),
    extensionsLeft: resting ? 0 : Math.max(0, of.maxExtensions - of.extensions),
    petWindowS: wish.petWindowMs == null ? null : Math.ceil(wish.petWindowMs / 1000),
  };
}

function unfit(gate: string, cameBack: string): Refusal {
  return new Refusal(gate, {
    tried: 'Telling the on-pod switch its deadlines',
    cameBack,
    state: 'The switch is as it was',
    next:
      gate === 'stop-passed' ? 'Tear the pod down, or extend it first' : 'Give a nearer absolute deadline',
  });
}

/** Plants the switch, or plants it anew; the answer is a status (`readSwitchStatus`), with `refusedBecause`. */
export function installCall(plan: SwitchPlan): PodCall {
  const args = [
    ...limitWords({ ...plan.limits, petWindowS: plan.limits.petWindowS ?? 0 }),
    ...addressWords(plan),
    `registry_id=${plan.registryId}`,
    `owner_uuid=${encoded(plan.ownerUuid)}`,
    `key_source=${plan.keySource}`,
    `pull_margin=${wholeSeconds(plan.deadlines.pullMarginMs)}`,
    `pet_min=${Math.max(1, wholeSeconds(plan.deadlines.petMinMs))}`,
    `hb_grace=${Math.max(1, wholeSeconds(plan.hbGraceMs))}`,
    ...(plan.ca == null ? [] : [`ca=${plan.ca}`]),
    ...(plan.tickS === undefined ? [] : [`tick=${plan.tickS}`]),
    ...(plan.backoffS === undefined
      ? []
      : [`backoff_first=${plan.backoffS.first}`, `backoff_last=${plan.backoffS.last}`]),
  ];
  return { script: 'install', args, stdin: `${plan.key ?? ''}\n`, timeoutMs: CALL_MS };
}

/** New deadlines; exit 0 only after the watchdog itself turned with them. */
export function petCall(limits: SwitchLimits): PodCall {
  return { script: 'switch', args: ['pet', ...limitWords(limits)], timeoutMs: CALL_MS };
}

/** Measures what a key can do, without harm (`readKeyCheck`). Nothing is planted. */
export function checkCall(address: ProviderAddress, keySource: KeySource, key: string | null): PodCall {
  const args = ['check', ...addressWords(address), `key_source=${keySource}`];
  return { script: 'switch', args, stdin: `${key ?? ''}\n`, timeoutMs: CHECK_MS };
}

/** `status`, `mark`, `record` (what the switch did, newest last) and `disarm`, which takes it away. */
export function switchCall(verb: 'status' | 'mark' | 'record' | 'disarm'): PodCall {
  return { script: 'switch', args: [verb], timeoutMs: CALL_MS };
}

/** Writes the job's heartbeat file once, for a job that runs elsewhere; `refusedBecause` tells if not. */
export function beatCall(): PodCall {
  return { script: 'switch', args: ['beat'], timeoutMs: CALL_MS };
}

function limitWords(limits: SwitchLimits): string[] {
  return [
    `stop_in=${limits.stopInS}`,
    `owner_in=${limits.ownerInS}`,
    `absolute_in=${limits.absoluteInS}`,
    `extensions_left=${limits.extensionsLeft}`,
    ...(limits.petWindowS === null ? [] : [`pet_window=${limits.petWindowS}`]),
  ];
}

function addressWords(address: ProviderAddress): string[] {
  return [`pod_id=${address.podId}`, `rest=${address.rest}`, `graphql=${address.graphql}`];
}

function wholeSeconds(durationMs: number): number {
  return Math.floor(durationMs / 1000);
}

/** Any text as characters that mean nothing to a shell or a line of a file; read back by `readSwitchStatus`. */
function encoded(text: string): string {
  const wellFormed = text.replace(/\p{Surrogate}/gu, '\ufffd');
  return encodeURIComponent(wellFormed).replace(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
