/** The owner's word to end a pod that the provider does not show, or of which it says nothing. */
import { WorldError } from '../../domain/errors.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { PodRecord } from '../../domain/pod.ts';
import type { Lookup } from '../../domain/provider-pod.ts';
import type { RegistryOp } from '../../domain/registry/ops.ts';
import type { World } from '../../ports.ts';
import type { EndOwnInput } from './end-own.ts';
import { type EndFacts, endOf, settleEnd, settleOp, terminateAndConfirm } from './end-pod.ts';
import { renewFence, takeFence } from './fence.ts';

export function endOutcome(record: PodRecord, kind: Outcome['kind'], reason: string, says: string): Outcome {
  return { pod: record.id, order: 'teardown', kind, reason, says, detail: {} };
}

/** Nothing is sent to what was not looked at; the wish stands in the record, and the next cycle goes on with it. */
export async function endUnseen(world: World, input: EndOwnInput, why: string): Promise<Outcome> {
  const { record, acting, reason } = input;
  const fenced = await takeFence(world, acting, record, { reason, inferred: false, verdict: null });
  if (fenced.kind === 'refused')
    return endOutcome(record, 'handed-over', `fence-${fenced.because}`, `not ended: ${fenced.detail}`);
  await renewFence(world, acting, fenced.record, { step: 'fenced', lapse: true });
  const says = `it may still bill: the provider could not be asked about it (${why}); its end stays wanted`;
  return endOutcome(record, 'failed', 'provider-unseen', says);
}

/** Nothing can be pulled from a pod that is away; what was proven before counts, else DELETE, GET and a good list. */
export async function endAway(world: World, input: EndOwnInput, look: Lookup): Promise<Outcome> {
  const { record } = input;
  if (record.fence?.step === 'deleted') {
    const facts = { ...endOf(record, 'terminated'), how: 'terminated' as const };
    return await settled(world, input, { ...facts, proof: 'DELETE accepted before, now away' });
  }
  if (look.kind === 'present') {
    const facts = { ...endOf(record, 'provider-terminated'), how: 'lost' as const };
    return await settled(world, input, { ...facts, proof: 'the provider shows it TERMINATED' });
  }
  return await proveAbsent(world, input);
}

async function settled(world: World, { acting, record }: EndOwnInput, facts: EndFacts): Promise<Outcome> {
  const told = await softSettle(world, record, [settleOp(world, acting, record, facts)]);
  return told ?? goneAlready(record, facts);
}

async function softSettle(
  world: World,
  record: PodRecord,
  ops: readonly RegistryOp[],
): Promise<Outcome | null> {
  const [result] = (await world.registry.submit(ops)).results;
  if (result?.kind !== 'refused') return null;
  return endOutcome(record, 'handed-over', result.because, `it is away; not settled: ${result.detail}`);
}

async function proveAbsent(world: World, input: EndOwnInput): Promise<Outcome> {
  const { record, acting, reason } = input;
  const fenced = await takeFence(world, acting, record, { reason, inferred: false, verdict: null });
  if (fenced.kind === 'refused')
    return endOutcome(record, 'handed-over', `fence-${fenced.because}`, `not ended: ${fenced.detail}`);
  const held = fenced.record;
  const ending = await terminateAndConfirm(world, held);
  if (ending.kind === 'failed' || ending.kind === 'pending') {
    const accepted = ending.kind === 'pending' && ending.accepted;
    await renewFence(world, acting, held, { step: accepted ? 'deleted' : 'fenced', lapse: true });
    const says = `the provider shows no such pod, but ${ending.why}; a later cycle settles it`;
    return endOutcome(held, 'pending', 'not-confirmed', says);
  }
  const verified = held.artifacts.none ? null : false;
  const how = ending.kind === 'gone' ? ('terminated' as const) : ('lost' as const);
  const facts = { reason, inferred: false, verified, proof: ending.proof, how };
  try {
    await settleEnd(world, acting, held, facts);
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    world.log.say('warning', `${held.id}: it is gone, but the registry could not be told: ${error.message}`);
  }
  return goneAlready(held, facts);
}

function goneAlready(record: PodRecord, { proof, how, verified, reason }: EndFacts): Outcome {
  const files = verified === false ? `; ${saysCopy(record)}` : '';
  const says = `it was gone already (${proof})${files}`;
  return { ...endOutcome(record, 'done', reason, says), detail: { why: reason, how, verified } };
}

function saysCopy({ lastMirror }: PodRecord): string {
  if (lastMirror?.verified !== true) return 'its artifacts were never verified';
  return `its artifacts were mirrored before (${lastMirror.files} files), and not looked at again before its end`;
}
