/** What register is asked for, from its inputs: the flow's input, and what post is to do when the job ends. */
import { isAbsolute, resolve } from 'node:path';
import { microUsd } from '../domain/budget.ts';
import { parseChoice } from '../domain/choice.ts';
import { MINUTE_MS, parseDuration, SECOND_MS } from '../domain/duration.ts';
import { type EndingWishes, parseEnding } from '../domain/job-end.ts';
import { resolveRules } from '../domain/knobs.ts';
import { ownerFromEnv, runAddress } from '../domain/owner-from-env.ts';
import type { WriteSlot } from '../domain/registry/write-slot.ts';
import { PROFILES } from '../domain/rules.ts';
import { actingOwner } from '../flows/acting.ts';
import { type Asked, LATE_SWEEP_MS, type RegisterInput } from '../flows/entry/register-checks.ts';
import type { Desk } from './door.ts';
import { knobsOf, type ReadInput } from './io.ts';
import { podIdsOf } from './pod-ids.ts';
import { workspaceRules } from './wire.ts';
import { durationOr, numberOrNull, textOrNull, wrongInput, yesOrNo } from './words.ts';

/** The runner gives all posts of a cancelled job 4 min 45 s together. */
const POST_BUDGET_MS = 240 * SECOND_MS;
const LEAST_BUDGET_MS = 10 * SECOND_MS;
const KEEP_FOR_MS = 30 * MINUTE_MS;

/** What post needs to know beside the register input itself. */
export type PostWish = {
  readonly ending: EndingWishes;
  readonly keepForMs: number;
  readonly budgetMs: number;
  readonly localPath: string | null;
  readonly keepIn: KeepIn;
};
export type KeepIn = 'artifact' | 'disk';

export type RegisterWish = {
  /** What is asked for each of the pods. */
  readonly asked: Asked;
  /** Not empty; each once. */
  readonly podIds: readonly string[];
  readonly post: PostWish;
  /** null = the runner does not say which leg of how many this is. */
  readonly slot: WriteSlot | null;
};

type Read = ReadInput<'register'>;

/** Throws a ConfigError that names the first input that cannot be used. */
export function registerWish(desk: Desk, read: Read): RegisterWish {
  const podIds = podIdsOf(read, '');
  checkAddress(read, podIds);
  return { asked: askedOf(desk, read), podIds, post: postWish(desk, read), slot: slotOf(read) };
}

/** The flow's input for each pod. */
export function inputsFor({
  asked,
  podIds,
}: Pick<RegisterWish, 'asked' | 'podIds'>): readonly RegisterInput[] {
  return podIds.map((podId) => ({ ...asked, podId }));
}

/** An address is one pod's. */
function checkAddress(read: Read, podIds: readonly string[]): void {
  const given = (['ssh-ip', 'ssh-port'] as const).find((name) => read(name) !== '');
  if (given === undefined || podIds.length === 1) return;
  throw wrongInput(given, `it is one pod's, and pod-ids holds ${podIds.length}`, 'Leave it out');
}

function askedOf(desk: Desk, read: Read): Asked {
  const owner = ownerFromEnv(desk.env, {
    label: read('label'),
    uuid: desk.chance.uuid(),
    matrix: read('matrix'),
    checkRunId: read('check-run-id'),
  });
  const file = workspaceRules(desk.env);
  const { rules, profile } = resolveRules({
    flags: knobsOf('register'),
    environment: desk.env,
    file: file?.rules ?? {},
    profile: read('profile') || file?.profile,
  });
  const port = numberOrNull(read('ssh-port'), 'ssh-port');
  const absolute = read('kill-absolute-min');
  return {
    acting: actingOwner(owner, runAddress(owner)),
    owner,
    remotePath: textOrNull(read('remote-path')),
    noArtifacts: yesOrNo(read('no-artifacts'), 'no-artifacts', false),
    allowEmpty: yesOrNo(read('allow-empty'), 'allow-empty', false),
    choice: parseChoice({ include: given(read('include')), exclude: given(read('exclude')) }, ''),
    killInMs: durationOr(read('kill-in'), 'kill-in', PROFILES[profile].killInMs),
    killInGiven: read('kill-in') !== '',
    killAbsoluteMs: absolute === '' ? null : parseDuration(absolute, 'kill-absolute-min'),
    rules,
    gpu: textOrNull(read('gpu')),
    costPerHourMicroUsd: costOf(read('cost')),
    volumeId: textOrNull(read('volume-id')),
    expectedAddress: { host: textOrNull(read('ssh-ip')), port },
    adopt: yesOrNo(read('adopt'), 'adopt', false),
    freshReaperMs: freshReaperOf(read('require-fresh-reaper')),
    runStartedAt: null,
    ownNonce: null,
  };
}

const given = (text: string): string[] => (text === '' ? [] : [text]);

/** A job without a matrix is leg 0 of 1; a runner that does not know fills in nothing. */
function slotOf(read: Read): WriteSlot | null {
  const index = numberOrNull(read('job-index'), 'job-index');
  const total = numberOrNull(read('job-total'), 'job-total');
  return index === null || total === null ? null : { index, total };
}

/** true = as long as a late sweep is not told yet. */
function freshReaperOf(text: string): number | null {
  if (/^(|false|no)$/i.test(text)) return null;
  return /^(true|yes)$/i.test(text) ? LATE_SWEEP_MS : parseDuration(text, 'require-fresh-reaper');
}

function costOf(text: string): number | null {
  const dollars = numberOrNull(text.replace(/^\$/, ''), 'cost');
  return dollars === null ? null : microUsd(dollars);
}

function postWish(desk: Desk, read: Read): PostWish {
  const budgetMs = durationOr(read('post-budget'), 'post-budget', POST_BUDGET_MS);
  if (budgetMs < LEAST_BUDGET_MS) {
    throw wrongInput('post-budget', 'it is too short to end anything', 'Give at least 10s');
  }
  return {
    ending: {
      onSuccess: parseEnding(read('on-success'), 'on-success'),
      onFailure: parseEnding(read('on-failure'), 'on-failure'),
      onCancel: parseEnding(read('on-cancel'), 'on-cancel'),
    },
    keepForMs: durationOr(read('keep-for'), 'keep-for', KEEP_FOR_MS),
    budgetMs,
    localPath: localPathOf(desk, read('local-path')),
    keepIn: keepInOf(desk, read('keep-in'), read('local-path')),
  };
}

/** Relative to the workspace, as every other path of a workflow. */
export function localPathOf({ env }: Pick<Desk, 'env'>, text: string): string | null {
  if (text === '') return null;
  return isAbsolute(text) ? text : resolve(env['GITHUB_WORKSPACE'] || '.', text);
}

/** `disk` is the user's word that a place outlives the job; a runner's temporary folder does not. */
export function keepInOf({ env }: Pick<Desk, 'env'>, text: string, localPath: string): KeepIn {
  if (text === '' || text === 'artifact') return 'artifact';
  if (text !== 'disk')
    throw wrongInput('keep-in', `"${text.slice(0, 40)}" is neither artifact nor disk`, 'Give one of them');
  if (localPath !== '' || (env['PODTRACK_HOME'] ?? '') !== '') return 'disk';
  throw wrongInput(
    'keep-in',
    'no lasting place is named',
    'Give local-path, or set PODTRACK_HOME, beside keep-in: disk',
  );
}
