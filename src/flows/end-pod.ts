/** Terminate, confirm, settle: the last three steps, after everything that could speak against them. */
import { accrued } from '../domain/budget.ts';
import { SECOND_MS } from '../domain/duration.ts';
import { WorldError } from '../domain/errors.ts';
import type { PodRecord } from '../domain/pod.ts';
import type { Reason } from '../domain/policy/reasons.ts';
import { absenceConclusive } from '../domain/provider-pod.ts';
import type { RegistryOp } from '../domain/registry/ops.ts';
import type { World } from '../ports.ts';
import { type Acting, opBase } from './acting.ts';
import { softly } from './ask.ts';
import { settleBase } from './settle.ts';

/** How long a teardown waits for the absence that it asked for, before it leaves the rest to a later cycle. */
const CONFIRM_MS = 60 * SECOND_MS;
const FIRST_LOOK_MS = SECOND_MS;
const LONGEST_LOOK_MS = 10 * SECOND_MS;

export type Ending =
  | { readonly kind: 'gone'; readonly proof: string }
  /** It was away before our DELETE: DELETE, GET and a good list all say absent, past the startup grace. */
  | { readonly kind: 'lost'; readonly proof: string }
  /** DELETE was accepted, and the pod is still there or could not be asked. */
  | { readonly kind: 'pending'; readonly why: string }
  /** DELETE was not accepted. */
  | { readonly kind: 'failed'; readonly why: string; readonly error: WorldError };

/** Our DELETE answered 2xx, then a GET with 404 or TERMINATED. A 404 to the DELETE alone proves nothing. */
export async function terminateAndConfirm(world: World, record: PodRecord): Promise<Ending> {
  const podId = record.id;
  const answer = await softlyWorld(() => world.provider.terminate(podId));
  if (answer instanceof WorldError) {
    return { kind: 'failed', why: `${answer.failure}: ${answer.told.cameBack}`, error: answer };
  }
  const until = world.clock.now() + CONFIRM_MS;
  let waitMs = FIRST_LOOK_MS;
  for (;;) {
    const look = await softly(() => world.provider.get(podId));
    const proof = look.kind === 'seen' ? proofOf(look.value) : null;
    if (proof !== null && answer === 'accepted')
      return { kind: 'gone', proof: `DELETE accepted, then ${proof}` };
    if (proof !== null) return await awayBefore(world, record, proof);
    if (world.clock.now() >= until) {
      const why = look.kind === 'seen' ? 'it is still shown' : `it could not be asked again: ${look.reason}`;
      return { kind: 'pending', why };
    }
    await world.clock.sleep(waitMs);
    waitMs = Math.min(2 * waitMs, LONGEST_LOOK_MS);
  }
}

/** A DELETE that met nothing is no proof of ours: the list has to agree, and the pod must not be young. */
async function awayBefore(world: World, record: PodRecord, proof: string): Promise<Ending> {
  const listing = absenceConclusive(await softly(() => world.provider.list()));
  const startedAt = record.startedAt ?? record.createdAt ?? record.registeredAt;
  const young = world.clock.now() - startedAt < record.rules.startupGraceMs;
  if (listing.kind === 'seen' && !listing.value.has(record.id) && !young) {
    return { kind: 'lost', proof: `DELETE found no such pod, ${proof}, and a good list without it` };
  }
  const doubt = listing.kind === 'unseen' ? listing.reason : young ? 'it is young' : 'the list shows it';
  return { kind: 'pending', why: `the DELETE found no such pod and ${proof}, but ${doubt}` };
}

function proofOf(look: Awaited<ReturnType<World['provider']['get']>>): string | null {
  if (look.kind === 'absent') return 'GET 404';
  return look.pod.status === 'TERMINATED' ? 'GET TERMINATED' : null;
}

async function softlyWorld<T>(question: () => Promise<T>): Promise<T | WorldError> {
  return await question().catch((error: unknown) => {
    if (error instanceof WorldError) return error;
    throw error;
  });
}

export type EndFacts = {
  readonly reason: Reason;
  readonly inferred: boolean;
  /** null = no artifacts were wanted. */
  readonly verified: boolean | null;
  readonly proof: string;
  readonly how: 'terminated' | 'lost';
};

/** Two commits, so that a death between them is finished by whoever reads the first. */
export async function settleEnd(
  world: World,
  acting: Acting,
  record: PodRecord,
  facts: EndFacts,
): Promise<void> {
  const fenceRev = record.fence?.rev ?? record.rev;
  const confirm = { ...opBase(world, acting, 'confirm'), op: 'confirm' as const, pod: record.id, fenceRev };
  await world.registry.submit([{ ...confirm, proof: facts.proof }]);
  await world.registry.submit([settleOp(world, acting, record, facts)]);
}

export function settleOp(
  world: World,
  acting: Acting,
  record: PodRecord,
  facts: Omit<EndFacts, 'proof'>,
): RegistryOp {
  const now = world.clock.now();
  const since = record.createdAt ?? record.registeredAt;
  return {
    ...settleBase(world, acting, record),
    end: {
      at: now,
      how: facts.how,
      reason: facts.reason,
      verified: facts.verified,
      costMicroUsd: accrued(record.costPerHourMicroUsd, since, now),
      inferred: facts.inferred,
    },
  };
}
