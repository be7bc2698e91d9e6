/** Named deviations seen in the field: their shapes, and how one is picked and used up. */
import { z } from 'zod';
import { BOOTS } from './pod-state.ts';

/** What a request is about, in the operation names of the published document (GraphQL and v1 calls map onto them). */
export const OPERATIONS = [
  'listPods',
  'createPod',
  'getPod',
  'updatePod',
  'deletePod',
  'podAction',
  'podLogs',
  'getSshKeys',
  'updateSshKeys',
  'templates',
  'networkVolumes',
  'registries',
  'catalog',
  'billing',
  'account',
  'unknown',
] as const;
export type Operation = (typeof OPERATIONS)[number];

const scope = {
  /** Only requests about this pod. */
  podId: z.string().min(1).optional(),
  /** How often it happens; without it, until the faults are set anew. */
  count: z.int().min(1).optional(),
  /** Only these operations; without it, all that make sense. */
  on: z.array(z.enum(OPERATIONS)).min(1).optional(),
};
const ms = z.int().min(0);
const plain = <Name extends string>(name: Name) => z.strictObject({ name: z.literal(name), ...scope });

export const faultSchema = z.discriminatedUnion('name', [
  // What the list does not say.
  z.strictObject({ name: z.literal('list-lag'), ms, getToo: z.boolean().default(false), ...scope }),
  plain('partial-list'),
  plain('empty-list'),
  z.strictObject({ name: z.literal('malformed-item'), field: z.string().default('status'), ...scope }),
  // What a write does and what it says.
  plain('lost-reply'),
  plain('created-but-500'),
  plain('delete-500'),
  plain('delete-500-but-deleted'),
  plain('delete-404-but-alive'),
  z.strictObject({ name: z.literal('delete-never-answers'), deleted: z.boolean().default(false), ...scope }),
  z.strictObject({
    name: z.literal('delete-lags'),
    ms: ms.optional(),
    polls: z.int().min(1).optional(),
    ...scope,
  }),
  z.strictObject({ name: z.literal('terminated-lingers'), ms: ms.optional(), ...scope }),
  z.strictObject({ name: z.literal('stale-runtime'), ms, ...scope }),
  // What stands between.
  z.strictObject({ name: z.literal('html'), status: z.int().min(200).max(599).default(502), ...scope }),
  z.strictObject({
    name: z.literal('truncated-body'),
    cut: z.enum(['json', 'socket']).default('json'),
    ...scope,
  }),
  z.strictObject({ name: z.literal('429'), retryAfter: z.int().min(0).default(12), ...scope }),
  z.strictObject({ name: z.literal('slow'), ms, ...scope }),
  plain('reset'),
  z.strictObject({
    name: z.literal('error'),
    status: z.int().min(400).max(599).default(500),
    detail: z.string().default('Something went wrong. Please try again later or contact support.'),
    after: z.boolean().default(false),
    ...scope,
  }),
  // What the account may and can.
  plain('unauthorized'),
  plain('forbidden'),
  plain('read-only-key'),
  plain('no-capacity'),
  plain('zero-balance'),
  plain('host-full'),
  plain('zero-gpu-start'),
  z.strictObject({ name: z.literal('boot'), how: z.enum(BOOTS), ...scope }),
  z.strictObject({ name: z.literal('billing-lag'), ms, ...scope }),
]);

export type Fault = z.infer<typeof faultSchema>;
export type FaultInput = z.input<typeof faultSchema>;
export type FaultName = Fault['name'];
export type FaultNamed<Name extends FaultName> = Extract<Fault, { name: Name }>;

/** A fault and how often it may still happen (null = for ever). */
export interface ActiveFault {
  readonly fault: Fault;
  left: number | null;
}

/** What is known about the occasion; `podId` null = not about one pod. */
export interface Occasion {
  readonly operation: Operation;
  readonly podId: string | null;
}

export function activate(faults: readonly Fault[]): ActiveFault[] {
  return faults.map((fault) => ({ fault, left: fault.count ?? null }));
}

function applies(fault: Fault, occasion: Occasion): boolean {
  if (fault.podId !== undefined && fault.podId !== occasion.podId) return false;
  return fault.on === undefined || fault.on.includes(occasion.operation);
}

function isNamed<Name extends FaultName>(fault: Fault, name: Name): fault is FaultNamed<Name> {
  return fault.name === name;
}

/** The first live fault of that name which fits the occasion, not used up by asking. */
export function peekFault<Name extends FaultName>(
  active: readonly ActiveFault[],
  name: Name,
  occasion: Occasion,
): FaultNamed<Name> | null {
  for (const { fault, left } of active) {
    if (left !== 0 && isNamed(fault, name) && applies(fault, occasion)) return fault;
  }
  return null;
}

/** The same, counted as having happened once. */
export function takeFault<Name extends FaultName>(
  active: readonly ActiveFault[],
  name: Name,
  occasion: Occasion,
): FaultNamed<Name> | null {
  for (const entry of active) {
    const { fault, left } = entry;
    if (left === 0 || !isNamed(fault, name) || !applies(fault, occasion)) continue;
    if (left !== null) entry.left = left - 1;
    return fault;
  }
  return null;
}
