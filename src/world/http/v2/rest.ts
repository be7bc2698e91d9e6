/** REST v2 as a whole: path and method, key, quota, handler, and the check that the answer is a documented one. */
import { type Occasion, takeFault } from '../../model/faults.ts';
import { countRequest, rateHeaders } from '../../model/rate-limit.ts';
import type { World } from '../../model/state.ts';
import { accessOf, restRefusal } from '../access.ts';
import { type Lookout, type Route, routesAt, type WorldRequest } from '../call.ts';
import { after, before, type Ending } from '../interference.ts';
import { problem, type Reply, withHeaders } from '../reply.ts';
import { accountRoutes } from './account.ts';
import { billingRoutes } from './billing.ts';
import { catalogRoutes } from './catalog.ts';
import { podRoutes } from './pods.ts';
import { registryRoutes } from './registries.ts';
import { templateRoutes } from './templates.ts';
import { volumeRoutes } from './volumes.ts';

export const v2Routes: readonly Route[] = [
  ...accountRoutes,
  ...podRoutes,
  ...templateRoutes,
  ...volumeRoutes,
  ...registryRoutes,
  ...catalogRoutes,
  ...billingRoutes,
];

export const UNKNOWN_PATH = 'The requested path was not found.';

/** A request with its place in the table; `reply` = the path or method already answers it. */
export interface Routed {
  readonly occasion: Occasion;
  readonly route: Route | null;
  readonly params: Readonly<Record<string, string>>;
  readonly reply: Reply | null;
}

function unrouted(reply: Reply): Routed {
  return { occasion: { operation: 'unknown', podId: null }, route: null, params: {}, reply };
}

function terminates(body: string): boolean {
  try {
    const parsed: unknown = JSON.parse(body);
    return (
      typeof parsed === 'object' && parsed !== null && 'action' in parsed && parsed.action === 'terminate'
    );
  } catch {
    return false;
  }
}

/** Finds the row for a request. An empty last path part redirects to the collection, as the real router does. */
export function routeV2(request: WorldRequest): Routed {
  const { path, method } = request;
  if (path.endsWith('/') && routesAt(v2Routes, path.slice(0, -1)) !== null) {
    return unrouted({ status: 301, headers: { Location: path.slice(0, -1) }, body: null });
  }
  const found = routesAt(v2Routes, path);
  if (found === null) return unrouted(problem(404, UNKNOWN_PATH));
  const route = found.routes.find((one) => one.method === method);
  if (route === undefined) {
    const allow = found.routes.map((one) => one.method).join(', ');
    const reply = problem(405, 'The requested method is not allowed for this path.');
    return unrouted(withHeaders(reply, { Allow: allow }));
  }
  const podId = path.startsWith('/v2/pods/') ? (found.params['id'] ?? null) : null;
  const isTerminate = route.operation === 'podAction' && terminates(request.body);
  const operation = isTerminate ? 'deletePod' : route.operation;
  return { occasion: { operation, podId }, route, params: found.params, reply: null };
}

/** The answer must fit the row's own schema: a world that drifts says so instead of teaching it. */
function audited(route: Route, reply: Reply): Reply {
  if (reply.status >= 300 || route.answer === null || reply.body === null) return reply;
  const checked = route.answer.safeParse(JSON.parse(reply.body));
  if (checked.success) return reply;
  const where = `${route.method} ${route.path}`;
  const errors = checked.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  return problem(500, `the embedded world broke its own contract at ${where}`, { errors });
}

/** Answers one request to /v2. */
export function answerV2(world: World, request: WorldRequest, routed: Routed, lookout: Lookout): Ending {
  const { occasion, route } = routed;
  const early = before(world, occasion, problem);
  if (early !== null) return early;
  const access = accessOf(world, request, occasion);
  const send = (reply: Reply): Ending => ({ kind: 'send', reply, cut: false });
  const isKnown = access.kind === 'account' || access.kind === 'pod';
  if (route === null) {
    const reply = routed.reply ?? problem(404, UNKNOWN_PATH);
    return send(isKnown ? withHeaders(reply, rateHeaders(world)) : reply);
  }
  const exceeded = isKnown ? countRequest(world) : null;
  if (exceeded !== null) {
    const reply = problem(429, `rate limit exceeded for the ${exceeded.window} window`);
    const headers = { 'Retry-After': String(exceeded.retryAfterS), ...rateHeaders(world) };
    return send(withHeaders(reply, headers));
  }
  const refused = restRefusal(world, access, occasion, route.method !== 'GET');
  if (refused !== null) return send(isKnown ? withHeaders(refused, rateHeaders(world)) : refused);
  if (access.kind === 'barred') return send(problem(403, 'access denied'));
  const reply = route.handle({ world, request, params: routed.params, caller: access, lookout });
  return after(world, occasion, withHeaders(audited(route, reply), rateHeaders(world)), problem);
}

/** Ms an answer is held back, 0 = not. */
export function delayOf(world: World, occasion: Occasion): number {
  return takeFault(world.faults, 'slow', occasion)?.ms ?? 0;
}
