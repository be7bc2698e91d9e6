/** A recorded verdict, asked again: from the record as it was judged and the basis that was committed with it. */
import type { Observation, ProviderLook, Visit, VisitLook } from '../observation.ts';
import type { OwnerLiveness } from '../owner.ts';
import { type Part, seen, unseen } from '../part.ts';
import type { PodRecord, VerdictFacts } from '../pod.ts';
import { stableLine } from '../registry/json.ts';
import { told } from '../registry/plain-text.ts';
import { NO_SIGHTINGS } from '../registry/sweep.ts';
import { DEFAULT_RULES } from '../rules.ts';
import { KEY_REFUSED } from '../switch.ts';
import { type BasisFacts, basisFacts, given } from './basis.ts';
import { restByBreaker } from './breaker.ts';
import { type JudgeInput, judge } from './judge.ts';
import type { Evidence, Verdict } from './reasons.ts';

/** A verdict as the record holds it: its texts bounded, and no address in them. */
export function recordedVerdict(of: Verdict, at: number): VerdictFacts {
  const evidence = Object.entries(of.evidence).map(([name, value]) => [
    name,
    typeof value === 'string' ? told(value) : value,
  ]);
  return { at, kind: of.kind, reason: of.reason, evidence: Object.fromEntries(evidence) as Evidence };
}

export type Replayed =
  /** `same`: kind, reason and every piece of evidence, bit for bit. */
  | { readonly kind: 'asked'; readonly same: boolean; readonly recomputed: VerdictFacts }
  | { readonly kind: 'no-basis'; readonly why: string };

/** The basis as this podtrack reads it, or why it cannot. */
export function readBasis({ basis, reason }: VerdictFacts): BasisFacts | string {
  if (basis === undefined) return `nothing was recorded that ${reason} could be computed from`;
  const read = basisFacts.safeParse(basis);
  return read.success ? read.data : 'its basis is not of a form that this podtrack knows';
}

/** `record` is the version that was judged: the one of the basis's rev. */
export function replayVerdict(record: PodRecord, facts: VerdictFacts): Replayed {
  const basis = readBasis(facts);
  if (typeof basis === 'string') return { kind: 'no-basis', why: basis };
  const { verdict } = judge(inputOf(record, basis, facts.at));
  const after = restByBreaker(verdict, basis.breakerTripped === true);
  const recomputed = recordedVerdict(after, facts.at);
  return { kind: 'asked', same: bare(recomputed) === bare(facts), recomputed };
}

const bare = ({ kind, reason, evidence }: VerdictFacts): string => stableLine({ kind, reason, evidence });

function inputOf(record: PodRecord, basis: BasisFacts, now: number): JudgeInput {
  return {
    record,
    observation: observationOf(record, basis, now),
    sightings: { ...NO_SIGHTINGS, ...given(basis.sightings ?? {}) },
    rules: { ...DEFAULT_RULES, ...record.rules, ...given(basis.rules ?? {}) },
    now,
    routeTrusted: basis.routeTrusted ?? true,
    account: basis.account ?? 'same',
    awayTogether: basis.awayTogether ?? null,
    cautions: (basis.cautions ?? []).map((code) => ({ code })),
  };
}

function observationOf(record: PodRecord, { provider, visit, owner }: BasisFacts, at: number): Observation {
  return { at, provider: providerLook(record, provider), visit: visitLook(visit), owner: ownerPart(owner) };
}

/** What the policy does not read of a pod has no value here. */
function providerLook(record: PodRecord, of: BasisFacts['provider']): ProviderLook {
  if (of.is === 'unseen') return { kind: 'unseen', reason: of.why };
  if (of.is === 'absent')
    return { kind: 'absent', listedAway: of.listed === false ? unseen('not told') : seen(true as const) };
  const { telemetry } = of;
  return {
    kind: 'present',
    pod: {
      id: record.id,
      name: record.name,
      status: of.status,
      statusText: of.statusText ?? of.status,
      createdAt: of.createdAt ?? null,
      startedAt: of.startedAt ?? null,
      stamp: null,
      locked: of.locked ?? false,
      costPerHourMicroUsd: null,
      gpu: of.gpus === undefined ? null : { type: '', count: of.gpus },
      cpu: of.cpu ?? false,
      dataCenter: null,
      volumeId: null,
      volumePath: null,
      telemetry:
        'why' in telemetry
          ? unseen(telemetry.why)
          : seen({
              uptimeMs: telemetry.uptimeMs,
              gpus: telemetry.gpus.map(([util, memoryUtil]) => ({ util, memoryUtil })),
              cpuUtil: null,
            }),
      ssh: unseen('not told'),
      proxied: false,
    },
  };
}

type Why = { readonly why: string };

function partOf<F, T>(fact: F, change: (fact: Exclude<F, Why>) => T): Part<T> {
  const isWhy = (of: unknown): of is Why => typeof of === 'object' && of !== null && 'why' in of;
  return isWhy(fact) ? unseen(fact.why) : seen(change(fact as Exclude<F, Why>));
}

function visitLook(of: BasisFacts['visit']): VisitLook {
  if ('failure' in of) return { kind: 'unseen', failure: of.failure, reason: of.why };
  const value: Visit = {
    podNow: unseen('not told'),
    uptimeMs: unseen('not told'),
    heartbeat: partOf(of.heartbeat, (fact) =>
      fact === 'absent' ? { state: 'absent' } : { state: 'beating', ageMs: fact.ageMs, disagreement: false },
    ),
    gpu: partOf(of.gpu, (fact) =>
      fact === 'no-gpu'
        ? { state: 'no-gpu' }
        : {
            state: 'figures',
            samples: fact.map((sample) =>
              sample.map(([util, memoryUsedMib], index) => ({
                index: String(index),
                util,
                memoryUsedMib,
                memoryTotalMib: null,
              })),
            ),
          },
    ),
    load1: unseen('not told'),
    sshSessions: partOf(of.sshSessions, (count) => count),
    switch: partOf(of.switch, (fact) => ({
      armed: fact === 'armed',
      reason: fact === 'key-refused' ? KEY_REFUSED : null,
      watchdog: 'dead',
      supervisor: 'dead',
      deadlines: unseen('not told'),
      mark: unseen('not told'),
      fired: null,
      credential: 'absent',
      key: unseen('not told'),
      keySource: null,
      httpTool: null,
      ca: null,
      jobTool: null,
    })),
    hostKey: '',
  };
  return { kind: 'seen', value };
}

function ownerPart(of: BasisFacts['owner']): Part<OwnerLiveness> {
  if (of === undefined) return unseen('not told');
  return seen(typeof of === 'string' ? { state: of } : { state: 'completed', ...of });
}
