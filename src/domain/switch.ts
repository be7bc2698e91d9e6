/** The switch as the pod itself tells it: armed or why not, by which deadlines, and what it did. docs/facts/on-pod.md */
import { z } from 'zod';
import { type Part, seen, unseen } from './part.ts';

/** `stopped`: the process is there and was halted by a signal, so it does nothing. */
export type RoleState = 'alive' | 'stopped' | 'dead';

/** Deadlines as time from the moment of the look, by the clock that nobody on the pod can set; negative = past. */
export type SwitchDeadlines = {
  readonly stopInMs: number;
  readonly ownerInMs: number;
  readonly absoluteInMs: number;
  readonly extensionsLeft: number;
  /** Extensions that the switch granted itself since it was last told its deadlines. */
  readonly extensionsGranted: number;
  /** 0 = it does not mind how long nobody petted. */
  readonly petWindowMs: number;
  readonly lastPetAgoMs: number;
  /** The watchdog itself has turned with these deadlines. */
  readonly acted: boolean;
};

/** Who planted it: read before a kill that no fence covers. */
export type SwitchMark = { readonly podId: string; readonly registryId: string; readonly ownerUuid: string };

export type SwitchFired = {
  readonly because: 'stop' | 'absolute' | 'pet-window' | 'unknown';
  readonly tries: number;
  /** What the last try met, as `word=answer` pairs, or null before the first. */
  readonly last: string | null;
};

export type SwitchStatus = {
  /** True only if every part is there and alive; a switch that fired and still tries is armed. */
  readonly armed: boolean;
  /** Why it is not armed, kebab-case; null when it is. */
  readonly reason: string | null;
  readonly watchdog: RoleState;
  readonly supervisor: RoleState;
  readonly deadlines: Part<SwitchDeadlines>;
  readonly mark: Part<SwitchMark>;
  readonly fired: SwitchFired | null;
  readonly credential: 'present' | 'absent';
  /** Whether the provider still takes that key; only a visit asks. Unseen = nobody asked, or no answer told. */
  readonly key: Part<'works' | 'refused'>;
  /** Rung of the credential ladder; null when nothing is planted. */
  readonly keySource: string | null;
  /** `curl`, `wget`, `python3`, `runpodctl`, `none`, or null when the pod did not say. */
  readonly httpTool: string | null;
  /** The file of authorities by which it trusts the provider; null = its tool's own, or not told. */
  readonly ca: string | null;
  /** Where `podtrack-job` was put; only an install says it. */
  readonly jobTool: string | null;
};

/** What a script answered; the port's `ScriptAnswer` is one. */
export type Answered = { readonly exitCode: number; readonly stdout: string };

const seconds = z
  .string()
  .regex(/^-?\d{1,9}$/)
  .transform((text) => Number(text) * 1000);
const count = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number);
const word = z.string().min(1).max(2000);
const role = z.enum(['alive', 'stopped', 'dead']).catch('dead');

const statusLines = z.object({
  armed: z.enum(['yes', 'no']),
  reason: word.optional(),
  watchdog: role.default('dead'),
  supervisor: role.default('dead'),
  fired: z.enum(['yes', 'no']).default('no'),
  fire_reason: z.enum(['stop', 'absolute', 'pet-window']).optional().catch(undefined),
  fire_tries: count.default(0).catch(0),
  fire_last: word.optional().catch(undefined),
  credential: z.enum(['present', 'absent']).default('absent'),
  key: word.default('unseen:not-asked').catch('unseen:unreadable'),
  key_source: word.optional(),
  http_tool: word.optional(),
  ca: word.optional(),
  job_tool: word.optional(),
});

const deadlineLines = z.object({
  stop_in: seconds,
  owner_in: seconds,
  absolute_in: seconds,
  extensions_left: count,
  extensions_granted: count,
  pet_window: seconds,
  last_pet_ago: seconds,
  acted: z.enum(['yes', 'no']),
});

const markLines = z.object({ pod_id: word, registry_id: word, owner_uuid: word });

export type Lines = ReadonlyMap<string, string>;

/** The `key=value` lines of an answer; the first of a name counts, other lines are left out. */
export function linesOf(text: string): Lines {
  const lines = new Map<string, string>();
  for (const line of text.split('\n')) {
    const match = /^([a-z][a-z0-9_]{0,40})=(.{0,2000})$/.exec(line);
    if (match?.[1] !== undefined && !lines.has(match[1])) lines.set(match[1], match[2] ?? '');
  }
  return lines;
}

/** Why an install or a pet was not done, kebab-case; null = nothing was refused. */
export function refusedBecause(answered: Answered): string | null {
  const reason = linesOf(answered.stdout).get('refused');
  return reason ?? (answered.exitCode === 0 ? null : `exit-${answered.exitCode}`);
}

/** Reads what `switch status`, `switch pet` and `install` print. */
export function readSwitchStatus(answered: Answered): Part<SwitchStatus> {
  return statusOf(linesOf(answered.stdout));
}

/** The same from lines that were taken apart already. */
export function statusOf(lines: Lines): Part<SwitchStatus> {
  const parsed = statusLines.safeParse(Object.fromEntries(lines));
  if (!parsed.success) return unseen('the pod gave no switch status that can be read');
  const told = parsed.data;
  const deadlines = deadlinesOf(lines);
  const key = keyOf(told.key);
  const refused = key.kind === 'seen' && key.value === 'refused';
  const whole = told.watchdog === 'alive' && told.supervisor === 'alive' && deadlines.kind === 'seen';
  // The pod judges by itself; a yes that its own parts do not carry is no yes.
  const armed = told.armed === 'yes' && whole && !refused;
  return seen({
    armed,
    reason: armed ? null : (told.reason ?? (refused && whole ? KEY_REFUSED : 'parts-missing')),
    watchdog: told.watchdog,
    supervisor: told.supervisor,
    deadlines,
    mark: markOf(lines),
    fired:
      told.fired === 'no'
        ? null
        : { because: told.fire_reason ?? 'unknown', tries: told.fire_tries, last: told.fire_last ?? null },
    credential: told.credential,
    key,
    keySource: told.key_source ?? null,
    httpTool: told.http_tool ?? null,
    ca: authorities(told.ca),
    jobTool: told.job_tool === undefined || told.job_tool === 'absent' ? null : told.job_tool,
  });
}

/** Why a switch is not armed that is whole and alive: it would be turned away when it fires. */
export const KEY_REFUSED = 'key-refused' as const;

function keyOf(told: string): SwitchStatus['key'] {
  if (told === 'works' || told === 'refused') return seen(told);
  return unseen(told.startsWith('unseen:') ? told.slice('unseen:'.length) : 'unreadable');
}

/** The file of authorities that a `ca=` line names; null = the tool's own. */
export function authorities(told: string | undefined): string | null {
  return told?.startsWith('/') === true ? told : null;
}

/** Reads what `switch mark` prints, which every status repeats. */
export function readSwitchMark(answered: Answered): Part<SwitchMark> {
  return markOf(linesOf(answered.stdout));
}

function markOf(lines: Lines): Part<SwitchMark> {
  const parsed = markLines.safeParse(Object.fromEntries(lines));
  if (!parsed.success) return unseen(lines.get('reason') ?? 'the pod shows no mark');
  const { pod_id: podId, registry_id: registryId, owner_uuid: ownerUuid } = parsed.data;
  return seen({ podId, registryId, ownerUuid: readable(ownerUuid) });
}

/** An owner uuid may be any text; on the pod it stands percent-encoded. */
function readable(encoded: string): string {
  return /^(?:[^%]|%[0-9A-F]{2})*$/.test(encoded) ? decoded(encoded) : encoded;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // Not what we wrote, so not ours to read: it will not equal any owner's.
  }
}

function deadlinesOf(lines: Lines): Part<SwitchDeadlines> {
  const parsed = deadlineLines.safeParse(Object.fromEntries(lines));
  if (!parsed.success) return unseen(lines.get('reason') ?? 'the pod told no deadlines that can be read');
  const told = parsed.data;
  return seen({
    stopInMs: told.stop_in,
    ownerInMs: told.owner_in,
    absoluteInMs: told.absolute_in,
    extensionsLeft: told.extensions_left,
    extensionsGranted: told.extensions_granted,
    petWindowMs: told.pet_window,
    lastPetAgoMs: told.last_pet_ago,
    acted: told.acted === 'yes',
  });
}
