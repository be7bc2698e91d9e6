/** Terminate, confirm, settle: the last three steps, after everything that could speak against them. */
import { costOf } from '../../domain/cost.ts';
import { SECOND_MS } from '../../domain/duration.ts';
import { WorldError } from '../../domain/errors.ts';
import type { Fence, PodRecord } from '../../domain/pod.ts';
import { REASONS, type Reason } from '../../domain/policy/reasons.ts';
import { absenceConclusive } from '../../domain/provider-pod.ts';
import type { RegistryOp } from '../../domain/registry/ops.ts';
import type { World } from '../../ports.ts';
import { type Acting, opBase } from '../acting.ts';
import { softly } from '../ask.ts';
import { settleBase } from '../watch/settle.ts';

/** How long a teardown waits for the absence that it asked for, before it leaves the rest to a later cycle. */
const CONFIRM_MS = 60 * SECOND_MS;
const FIRST_LOOK_MS = SECOND_MS;
const LONGEST_LOOK_MS = 10 * SECOND_MS;

export type Ending =
  | { readonly kind: 'gone'; readonly proof: string }
  /** It was away before our DELETE: DELETE, GET and a good list all say absent, past the startup grace. */
  | { readonly kind: 'lost'; readonly proof: string }
  /** No end could be concluded; `accepted` = our DELETE was, and the pod is still there or could not be asked. */
  | { readonly kind: 'pending'; readonly accepted: boolean; readonly why: string }
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
      return { kind: 'pending', accepted: answer === 'accepted', why };
    }
    await world.clock.sleep(waitMs);
    waitMs = Math.min(2 * waitMs, LONGEST_LOOK_MS);
  }
}

/** A DELETE that met nothing is no proof of ours: list and account have to agree, and the pod must not be young. */
async function awayBefore(world: World, record: PodRecord, proof: string): Promise<Ending> {
  const doubt = (await listDoubt(world, record)) ?? (await accountDoubt(world, record));
  if (doubt === null)
    return { kind: 'lost', proof: `DELETE found no such pod, ${proof}, and a good list without it` };
  const why = `the DELETE found no such pod and ${proof}, but ${doubt}`;
  return { kind: 'pending', accepted: false, why };
}

async function listDoubt(world: World, record: PodRecord): Promise<string | null> {
  const listing = absenceConclusive(await softly(() => world.provider.list()));
  if (listing.kind === 'unseen') return listing.reason;
  if (listing.value.has(record.id)) return 'the list shows it';
  const startedAt = record.startedAt ?? record.createdAt ?? record.registeredAt;
  return world.clock.now() - startedAt < record.rules.startupGraceMs ? 'it is young' : null;
}

/** Another account knows nothing of this pod. */
async function accountDoubt(world: World, record: PodRecord): Promise<string | null> {
  if (record.account === null) return null;
  const asked = await softly(() => world.provider.account());
  const account = asked.kind === 'seen' ? asked.value : asked;
  if (account.kind === 'unseen') return `the account could not be asked (${account.reason})`;
  return account.value.id === record.account ? null : 'the key belongs to another account than the record';
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
  readonly reason: Reason | Fence['reason'];
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
  return {
    ...settleBase(world, acting, record),
    end: {
      at: now,
      how: facts.how,
      reason: facts.reason,
      verified: facts.verified,
      costMicroUsd: costOf(record, now, null),
      inferred: facts.inferred,
    },
  };
}

const WAITS: ReadonlySet<string> = new Set(
  Object.entries(REASONS).flatMap(([reason, row]) =>
    row.kind === 'end' && !row.beforeVerified ? [reason] : [],
  ),
);

/** What the end rested on: the fence under which it was ordered, or the verdict where nobody of ours ordered it. */
export function endOf(
  record: PodRecord,
  reason: Reason,
): { readonly reason: string; readonly inferred: boolean; readonly verified: boolean | null } {
  const { fence, lastMirror, artifacts } = record;
  const ordered = reason === 'terminated' ? fence : null;
  // A mirror from before the fence says nothing of what the pod held at its end; a DELETE that had to wait for the
  // artifacts was sent after they were verified.
  const mirrored = ordered !== null && lastMirror?.verified === true && lastMirror.at >= ordered.at;
  const saved = mirrored || (ordered !== null && WAITS.has(ordered.reason));
  return {
    reason: ordered?.reason ?? reason,
    inferred: ordered?.inferred ?? false,
    verified: artifacts.none ? null : saved,
  };
}
