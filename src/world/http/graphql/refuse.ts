/** Refusals in GraphQL's words: HTTP 200 with `errors`, a message and a code. */
import { GraphQLError } from 'graphql';
import { type PodDeed, podKeyMay } from '../../model/keys.ts';
import type { Refused } from '../../model/outcome.ts';
import type { World } from '../../model/state.ts';
import type { Access } from '../access.ts';
import type { Lookout } from '../call.ts';

export interface Context {
  readonly world: World;
  readonly access: Access;
  readonly lookout: Lookout;
}

/** The code RUNPOD on "Unauthorized" was seen live; clients read it as a question of rights. */
export function unauthorized(): GraphQLError {
  return new GraphQLError('Unauthorized', { extensions: { code: 'RUNPOD' } });
}

export function podNotFound(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'POD_NOT_FOUND' } });
}

export function graphqlRefusal(refused: Refused): GraphQLError {
  const code = refused.reason === 'no-capacity' ? 'SUPPLY_CONSTRAINT' : 'INTERNAL_SERVER_ERROR';
  return new GraphQLError(refused.detail, { extensions: { code } });
}

/** Throws unless the caller may change things in the account. */
export function needWriter({ access }: Context): void {
  if (access.kind !== 'account' || !access.writes) throw unauthorized();
}

/** Throws unless the caller may do this to that pod; a pod's own key may, within bounds, and only to its own pod. */
export function needPodRight({ world, access }: Context, podId: string, deed: PodDeed): void {
  if (access.kind === 'account' && (access.writes || deed === 'read')) return;
  const isOwn = access.kind === 'pod' && (access.podId === podId || !world.pods.has(podId));
  if (!isOwn || !podKeyMay(world, deed)) throw unauthorized();
}
