/** Who may do what: keys, their scopes, and the switches that take rights away. */
import type { IncomingHttpHeaders } from 'node:http';
import { type Occasion, takeFault } from '../model/faults.ts';
import { type Caller, callerOf } from '../model/keys.ts';
import type { World } from '../model/state.ts';
import type { WorldRequest } from './call.ts';
import { problem, type Reply } from './reply.ts';

/** `barred` = the key is right, and not allowed here. */
export type Access = Caller | { readonly kind: 'barred' };

function bearerIn(headers: IncomingHttpHeaders): string | null {
  return /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** The caller of a request; GraphQL alone also takes the key from the query string. */
export function accessOf(world: World, request: WorldRequest, occasion: Occasion): Access {
  const inQuery = request.path === '/graphql' ? request.query.get('api_key') : null;
  const caller = callerOf(world, bearerIn(request.headers) ?? inQuery);
  if (caller.kind === 'anonymous' || caller.kind === 'stranger') return caller;
  if (takeFault(world.faults, 'unauthorized', occasion) !== null) return { kind: 'stranger' };
  if (takeFault(world.faults, 'forbidden', occasion) !== null) return { kind: 'barred' };
  const isAccount = caller.kind === 'account';
  if (isAccount && takeFault(world.faults, 'read-only-key', occasion) !== null) {
    return { ...caller, writes: false };
  }
  return caller;
}

/** Operations of REST v2 that a pod's own key may try on its own pod where the settings allow it at all. */
const OWN_POD = new Set<Occasion['operation']>(['getPod', 'deletePod']);

/** null = let in; else the 401 or 403 of REST v2. */
export function restRefusal(world: World, access: Access, occasion: Occasion, writes: boolean): Reply | null {
  switch (access.kind) {
    case 'anonymous':
      return problem(401, 'missing bearer token');
    case 'stranger':
      return problem(401, 'invalid token');
    case 'barred':
      return problem(403, 'access denied');
    case 'account':
      return writes && !access.writes ? problem(403, 'access denied') : null;
    case 'pod': {
      const isOwn = OWN_POD.has(occasion.operation) && occasion.podId === access.podId;
      return world.settings.podKeyOnRest && isOwn ? null : problem(403, 'access denied');
    }
    default:
      return access satisfies never;
  }
}
