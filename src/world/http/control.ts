/** /__world: the handles behind the scenery, for tests and curious hands; needs no key and listens on this machine only. */
import { z } from 'zod';
import { disturbPod } from '../model/act-on-pod.ts';
import { activate, faultSchema } from '../model/faults.ts';
import { purseOf } from '../model/ledger.ts';
import { microPerHour } from '../model/rates.ts';
import type { World } from '../model/state.ts';
import { applySwitches, type SwitchesInput, switchesSchema } from '../switches.ts';
import { checkBody } from './body-check.ts';
import type { WorldRequest } from './call.ts';
import { json, problem, type Reply } from './reply.ts';
import type { RequestLog } from './request-log.ts';

const faultsBody = z.union([
  z.array(faultSchema),
  z.strictObject({
    faults: z.array(faultSchema).optional(),
    switches: switchesSchema.optional(),
    balance: z.number().optional(),
  }),
]);

const disturbBody = z.strictObject({ podId: z.string(), how: z.enum(['vanish', 'exit', 'restart']) });
const clockBody = z.strictObject({ advanceMs: z.int().min(0) });

/** What the control paths may reach besides the model. */
export interface Controls {
  readonly log: RequestLog;
  /** null when the clock runs by itself. */
  readonly advanceClock: ((ms: number) => void) | null;
}

function faultsNow(world: World): Reply {
  const faults = world.faults.flatMap(({ fault, left }) =>
    left === 0 ? [] : [{ ...fault, ...(left === null ? {} : { count: left }) }],
  );
  const { rateLimit, pagination, pageCap, v1, podKey, podKeyOnRest } = world.settings;
  return json(200, { faults, switches: { rateLimit, pagination, pageCap, v1, podKey, podKeyOnRest } });
}

function setFaults(world: World, body: string): Reply {
  const checked = checkBody(faultsBody, body);
  if (!checked.ok) return checked.reply;
  const wanted = Array.isArray(checked.value) ? { faults: checked.value } : checked.value;
  if (wanted.faults !== undefined) world.faults = activate(wanted.faults);
  if ('switches' in wanted && wanted.switches !== undefined) {
    const switches: SwitchesInput = wanted.switches;
    applySwitches(world.settings, switches);
  }
  if ('balance' in wanted && wanted.balance !== undefined) {
    Object.assign(world.account.purse, purseOf(microPerHour(wanted.balance)));
  }
  return faultsNow(world);
}

function disturb(world: World, body: string): Reply {
  const checked = checkBody(disturbBody, body);
  if (!checked.ok) return checked.reply;
  const { podId, how } = checked.value;
  return disturbPod(world, podId, how) ? json(200, { podId, how }) : problem(404, 'no such pod');
}

function clock(world: World, body: string, controls: Controls): Reply {
  if (controls.advanceClock === null) return problem(409, 'this world runs on the real clock');
  const checked = checkBody(clockBody, body);
  if (!checked.ok) return checked.reply;
  controls.advanceClock(checked.value.advanceMs);
  return json(200, { now: new Date(world.now).toISOString() });
}

export function answerControl(world: World, request: WorldRequest, controls: Controls): Reply {
  switch (`${request.method} ${request.path}`) {
    case 'GET /__world/faults':
      return faultsNow(world);
    case 'POST /__world/faults':
      return setFaults(world, request.body);
    case 'GET /__world/requests':
      return json(200, { requests: controls.log.all() });
    case 'POST /__world/disturb':
      return disturb(world, request.body);
    case 'POST /__world/clock':
      return clock(world, request.body, controls);
    case 'GET /__world':
      return json(200, { now: new Date(world.now).toISOString(), pods: world.pods.size });
    default:
      return problem(404, 'The world has GET/POST faults, GET requests, POST disturb and POST clock here.');
  }
}
