/** What one verdict rested on, as small as the record can hold it: enough to ask the policy again, no address, no secret. */
import { z } from 'zod';
import { instant } from '../instant.ts';
import type { Observation, VisitLook } from '../observation.ts';
import type { Part } from '../part.ts';
import type { ProviderPod } from '../provider-pod.ts';
import { told } from '../registry/plain-text.ts';
import { sightings } from '../registry/sweep.ts';
import { DEFAULT_RULES, frozenRules, type ReaperRules } from '../rules.ts';
import { KEY_REFUSED } from '../switch.ts';
import type { JudgeInput } from './judge.ts';

const why = z.object({ why: z.string() });
const figure = z.number().nullable();

/** What is left out has its usual value: null, false, "the same account", the record's own rules. */
const providerFacts = z.discriminatedUnion('is', [
  z.object({
    is: z.literal('present'),
    status: z.enum(['PROVISIONING', 'STARTING', 'RUNNING', 'EXITED', 'ERROR', 'TERMINATED', 'OTHER']),
    statusText: z.string().optional(),
    createdAt: instant.optional(),
    startedAt: instant.optional(),
    locked: z.literal(true).optional(),
    cpu: z.literal(true).optional(),
    gpus: z.number().optional(),
    /** Per GPU: utilisation, memory utilisation. */
    telemetry: z.union([
      why,
      z.object({ uptimeMs: z.number(), gpus: z.array(z.tuple([figure, figure])).max(64) }),
    ]),
  }),
  /** `listed`: a good list agrees with the GET. */
  z.object({ is: z.literal('absent'), listed: z.literal(false).optional() }),
  z.object({ is: z.literal('unseen'), why: z.string() }),
]);

const visitFacts = z.union([
  z.object({
    heartbeat: z.union([z.literal('absent'), z.object({ ageMs: z.number() }), why]),
    /** Samples of [utilisation, memory in MiB] per GPU. */
    gpu: z.union([z.literal('no-gpu'), z.array(z.array(z.tuple([figure, figure])).max(64)).max(16), why]),
    sshSessions: z.union([z.number(), why]),
    switch: z.union([z.enum(['armed', 'not-armed', KEY_REFUSED]), why]),
  }),
  z.object({
    failure: z.enum([
      'not-ready',
      'proxy-only',
      'private-address',
      'no-route',
      'refused-login',
      'wrong-host-key',
      'held-shut',
      'incomplete-answer',
      'timed-out',
      'not-shown',
      'no-key',
    ]),
    why: z.string(),
  }),
]);

const ownerFacts = z.union([
  z.enum(['in-progress', 'missing']),
  z.object({ completedAt: instant, conclusion: z.string().nullable() }),
]);

export const basisFacts = z.object({
  /** The record's rev when it was judged: its limits and rules stand in that version of the file. */
  rev: z.number().int().min(1),
  provider: providerFacts,
  visit: visitFacts,
  owner: ownerFacts.optional(),
  /** With the look itself counted in. */
  sightings: z
    .object({
      idle: sightings,
      unreachable: sightings,
      absent: sightings,
      ownerless: sightings,
      exited: sightings,
    })
    .partial()
    .optional(),
  /** Where the reaper's own limits cut the record's rules, or a reaper's rule is not the default. */
  rules: frozenRules.extend({ orphanGraceMs: z.number() }).partial().optional(),
  routeTrusted: z.literal(false).optional(),
  account: z.enum(['other', 'unknown']).optional(),
  awayTogether: z.number().optional(),
  cautions: z.array(z.enum(['rewound', 'damaged', 'sweep-missing', 'foreign-repository'])).optional(),
  breakerTripped: z.literal(true).optional(),
});
export type BasisFacts = z.infer<typeof basisFacts>;

/** As it lies in the file. Parsed only by who replays it, so that a newer podtrack may say more. */
export type Basis = Readonly<Record<string, unknown>>;

type Provider = BasisFacts['provider'];

function telemetryOf({ telemetry }: ProviderPod): Extract<Provider, { is: 'present' }>['telemetry'] {
  if (telemetry.kind === 'unseen') return { why: told(telemetry.reason) };
  const { uptimeMs, gpus } = telemetry.value;
  return {
    uptimeMs,
    gpus: gpus.map(({ util, memoryUtil }): [number | null, number | null] => [util, memoryUtil]),
  };
}

function providerOf({ provider }: Observation): Provider {
  if (provider.kind === 'unseen') return { is: 'unseen', why: told(provider.reason) };
  if (provider.kind === 'absent')
    return { is: 'absent', ...(provider.listedAway.kind === 'seen' ? {} : { listed: false as const }) };
  const { pod } = provider;
  return {
    is: 'present',
    status: pod.status,
    ...(pod.statusText === pod.status ? {} : { statusText: told(pod.statusText) }),
    ...(pod.createdAt === null ? {} : { createdAt: pod.createdAt }),
    ...(pod.startedAt === null ? {} : { startedAt: pod.startedAt }),
    ...(pod.locked ? { locked: true as const } : {}),
    ...(pod.cpu ? { cpu: true as const } : {}),
    ...(pod.gpu === null ? {} : { gpus: pod.gpu.count }),
    telemetry: telemetryOf(pod),
  };
}

function partOf<T, R>(part: Part<T>, change: (value: T) => R): R | { why: string } {
  return part.kind === 'seen' ? change(part.value) : { why: told(part.reason) };
}

function visitOf(visit: VisitLook): BasisFacts['visit'] {
  if (visit.kind === 'unseen') return { failure: visit.failure, why: told(visit.reason) };
  const { heartbeat, gpu, sshSessions, switch: status } = visit.value;
  return {
    heartbeat: partOf(heartbeat, (of) => (of.state === 'absent' ? ('absent' as const) : { ageMs: of.ageMs })),
    gpu: partOf(gpu, (of) =>
      of.state === 'no-gpu'
        ? ('no-gpu' as const)
        : of.samples.map((sample) =>
            sample.map((one): [number | null, number | null] => [one.util, one.memoryUsedMib]),
          ),
    ),
    sshSessions: partOf(sshSessions, (count) => count),
    switch: partOf(status, (of) =>
      of.armed ? ('armed' as const) : of.reason === KEY_REFUSED ? KEY_REFUSED : ('not-armed' as const),
    ),
  };
}

function ownerOf({ owner }: Observation): BasisFacts['owner'] {
  if (owner.kind === 'unseen') return undefined;
  if (owner.value.state !== 'completed') return owner.value.state;
  const { completedAt, conclusion } = owner.value;
  return { completedAt, conclusion: conclusion === null ? null : told(conclusion) };
}

function sightingsOf({ sightings: of }: JudgeInput): BasisFacts['sightings'] {
  const runs = Object.entries({
    idle: of.idle,
    unreachable: of.unreachable,
    absent: of.absent,
    ownerless: of.ownerless,
    exited: of.exited,
  }).filter(([, run]) => run !== null);
  return runs.length === 0 ? undefined : (Object.fromEntries(runs) as BasisFacts['sightings']);
}

/** The rules that counted, where nobody could tell them from the record. `maxKills` decides nothing about one pod. */
function rulesOf({ record, rules }: JudgeInput): BasisFacts['rules'] {
  const expected: ReaperRules = { ...DEFAULT_RULES, ...record.rules, maxKills: rules.maxKills };
  const other = Object.entries(rules).filter(
    ([name, value]) => expected[name as keyof ReaperRules] !== value,
  );
  return other.length === 0 ? undefined : Object.fromEntries(other);
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** What has a value. */
export const given = <T extends object>(of: T): Given<T> =>
  Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as Given<T>;

export function basisOf(input: JudgeInput, breakerTripped: boolean): Basis {
  const { record, observation, account, awayTogether, cautions } = input;
  const facts: BasisFacts = {
    rev: record.rev,
    provider: providerOf(observation),
    visit: visitOf(observation.visit),
    ...given({
      owner: ownerOf(observation),
      sightings: sightingsOf(input),
      rules: rulesOf(input),
      routeTrusted: input.routeTrusted ? undefined : (false as const),
      account: account === 'same' ? undefined : account,
      awayTogether: awayTogether ?? undefined,
      cautions: cautions.length === 0 ? undefined : cautions.map(({ code }) => code),
      breakerTripped: breakerTripped ? (true as const) : undefined,
    }),
  };
  return z.encode(basisFacts, facts);
}
