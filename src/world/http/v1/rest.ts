/** REST v1: announced dead and answered with a JSON 404, or with the switch on, served as far as recorded clients use it. */
import { z } from 'zod';
import { BUCKETS, billingRows, snapped } from '../../model/billing-records.ts';
import { parseInstant, rfc3339 } from '../../model/instant.ts';
import type { TemplateState, World } from '../../model/state.ts';
import { BLANK_TEMPLATE, createTemplate } from '../../model/templates.ts';
import { accessOf } from '../access.ts';
import { type Call, type Lookout, type Route, routesAt, type WorldRequest } from '../call.ts';
import { after, before, type Ending } from '../interference.ts';
import { json, type Reply } from '../reply.ts';
import type { Routed } from '../v2/rest.ts';
import { parsed, v1Error, v1PodRoutes, v1Refusal } from './pods.ts';

function templateView(template: TemplateState) {
  return {
    id: template.id,
    name: template.name,
    imageName: template.image,
    category: template.category,
    containerDiskInGb: template.diskGb,
    volumeInGb: template.persistent?.sizeGb ?? 0,
    volumeMountPath: template.persistent?.path ?? '/workspace',
    dockerEntrypoint: template.entrypoint ?? [],
    dockerStartCmd: template.cmd ?? [],
    env: template.env,
    ports: template.ports,
    isPublic: template.public,
    isRunpod: template.source === 'official',
    isServerless: template.serverless,
    readme: '',
    earned: 0,
    runtimeInMin: 0,
  };
}

const templateBody = z.object({
  name: z.string().min(1),
  imageName: z.string(),
  containerDiskInGb: z.int().min(1).default(50),
  volumeInGb: z.int().min(0).default(20),
  volumeMountPath: z.string().default('/workspace'),
  ports: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
});

function createV1Template(call: Call): Reply {
  const body = templateBody.safeParse(parsed(call.request.body));
  if (!body.success) return v1Error(400, 'create template: validation failed');
  const { name, imageName, containerDiskInGb, volumeInGb, volumeMountPath, ports, env } = body.data;
  const persistent = volumeInGb > 0 ? { sizeGb: volumeInGb, path: volumeMountPath } : null;
  const wish = {
    ...BLANK_TEMPLATE,
    name,
    image: imageName,
    diskGb: containerDiskInGb,
    persistent,
    ports,
    env,
  };
  const made = createTemplate(call.world, wish);
  return made.ok ? json(200, templateView(made.value)) : v1Refusal(made, 'create');
}

function listTemplates(call: Call): Reply {
  const own = [...call.world.templates.values()].filter(({ source }) => source === 'own');
  return json(200, own.map(templateView));
}

function listVolumes(call: Call): Reply {
  const volumes = [...call.world.volumes.values()];
  return json(
    200,
    volumes.map(({ id, name, sizeGb, dataCenterId }) => ({ id, name, size: sizeGb, dataCenterId })),
  );
}

const billingQuery = z.object({
  bucketSize: z.enum(BUCKETS).default('day'),
  grouping: z.enum(['podId', 'gpuTypeId']).default('gpuTypeId'),
  podId: z.string().optional(),
  startTime: z.string().optional(),
  endTime: z.string().optional(),
});

function billing(call: Call): Reply {
  const asked = billingQuery.safeParse(Object.fromEntries(call.request.query));
  if (!asked.success) return v1Error(400, 'billing: validation failed');
  const { bucketSize, grouping, podId, startTime, endTime } = asked.data;
  const { now } = call.world;
  const endAt = parseInstant(endTime ?? '') ?? now;
  const startAt = parseInstant(startTime ?? '') ?? now - 30 * 86_400_000;
  const rows = billingRows(call.world, 'pod', snapped({ startAt, endAt, bucketSize }), podId ?? null);
  return json(
    200,
    rows.map((row) => ({
      amount: Object.values(row.usd).reduce((sum, part) => sum + part, 0),
      time: rfc3339(row.startAt),
      timeBilledMs: row.billedMs,
      diskSpaceBilledGb: row.gb,
      ...(grouping === 'podId' ? { podId: row.id } : { gpuTypeId: row.product }),
    })),
  );
}

const v1Routes: readonly Route[] = [
  ...v1PodRoutes,
  { method: 'GET', path: '/v1/templates', operation: 'templates', answer: null, handle: listTemplates },
  { method: 'POST', path: '/v1/templates', operation: 'templates', answer: null, handle: createV1Template },
  {
    method: 'GET',
    path: '/v1/networkvolumes',
    operation: 'networkVolumes',
    answer: null,
    handle: listVolumes,
  },
  { method: 'GET', path: '/v1/billing/pods', operation: 'billing', answer: null, handle: billing },
];

/** Finds the row for a v1 request; nothing is found while the switch is off. */
export function routeV1(world: World, request: WorldRequest): Routed {
  const found = world.settings.v1 ? routesAt(v1Routes, request.path) : null;
  const route = found?.routes.find((one) => one.method === request.method) ?? null;
  const params = found?.params ?? {};
  const podId = request.path.startsWith('/v1/pods/') ? (params['id'] ?? null) : null;
  const occasion = { operation: route?.operation ?? 'unknown', podId } as const;
  return { occasion, route, params, reply: route === null ? v1Error(404, 'not found') : null };
}

export function answerV1(world: World, request: WorldRequest, routed: Routed, lookout: Lookout): Ending {
  const { occasion, route } = routed;
  const early = before(world, occasion, v1Error);
  if (early !== null) return early;
  const send = (reply: Reply): Ending => ({ kind: 'send', reply, cut: false });
  if (route === null) return send(routed.reply ?? v1Error(404, 'not found'));
  const access = accessOf(world, request, occasion);
  if (access.kind === 'anonymous' || access.kind === 'stranger') return send(v1Error(401, 'Unauthorized'));
  const mayNot = access.kind !== 'account' || (route.method !== 'GET' && !access.writes);
  if (mayNot) return send(v1Error(403, 'Forbidden'));
  const reply = route.handle({ world, request, params: routed.params, caller: access, lookout });
  return after(world, occasion, reply, v1Error);
}
