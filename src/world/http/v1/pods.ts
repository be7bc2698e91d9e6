/** /v1/pods: bare arrays, errors as `{error, status}`, user errors often as 500. */
import { z } from 'zod';
import { actOnPod, terminatePod } from '../../model/act-on-pod.ts';
import { createPod } from '../../model/create-pod.ts';
import { NO_CAPACITY, type Outcome, type Refused, refused } from '../../model/outcome.ts';
import type { Mount, PodState } from '../../model/pod-state.ts';
import type { PodWish, WishedCompute } from '../../model/pod-wish.ts';
import { listedPods, seenPod } from '../../model/sight.ts';
import { type Call, idOf, type Route } from '../call.ts';
import { desiredStatus } from '../graphql/pod-view.ts';
import { json, noContent, type Reply } from '../reply.ts';
import { v1PodView } from './pod-view.ts';

/** An error as v1 wrote it. */
export function v1Error(status: number, error: string): Reply {
  return json(status, { error, status });
}

/** How v1 words a refusal: no capacity was a 500. */
export function v1Refusal(refusal: Refused, verb: string): Reply {
  switch (refusal.reason) {
    case 'not-found':
      return v1Error(404, `pod not found to ${verb}`);
    case 'no-capacity':
      return v1Error(500, `${verb} pod: There are no instances currently available`);
    default:
      return v1Error(500, `${verb} pod: ${refusal.detail}`);
  }
}

const createBody = z.object({
  name: z.string().default('my pod'),
  imageName: z.string().optional(),
  computeType: z.enum(['GPU', 'CPU']).default('GPU'),
  cloudType: z.enum(['SECURE', 'COMMUNITY']).default('SECURE'),
  gpuTypeIds: z.array(z.string()).default([]),
  gpuCount: z.int().min(1).default(1),
  cpuFlavorIds: z.array(z.string()).default(['cpu3c']),
  vcpuCount: z.int().min(2).default(2),
  dataCenterIds: z.array(z.string()).default([]),
  containerDiskInGb: z.int().min(1).default(50),
  volumeInGb: z.int().min(0).default(20),
  volumeMountPath: z.string().default('/workspace'),
  networkVolumeId: z.string().optional(),
  ports: z.array(z.string()).default(['8888/http', '22/tcp']),
  env: z.record(z.string(), z.string()).default({}),
  templateId: z.string().optional(),
});
type CreateBody = z.infer<typeof createBody>;

function mountsIn(body: CreateBody): Mount[] {
  const path = body.volumeMountPath;
  if (body.networkVolumeId !== undefined) return [{ kind: 'network', volumeId: body.networkVolumeId, path }];
  if (body.volumeInGb === 0 || body.computeType === 'CPU') return [];
  return [{ kind: 'persistent', sizeGb: body.volumeInGb, path }];
}

function computesIn(body: CreateBody): WishedCompute[] {
  if (body.computeType === 'CPU') {
    return body.cpuFlavorIds.map((id) => ({ kind: 'cpu', id, vcpuCount: body.vcpuCount }));
  }
  const any = { minCuda: null, allowedCuda: null, minRamPerGpu: 0, minVcpuPerGpu: 0 } as const;
  return body.gpuTypeIds.map((id) => ({ kind: 'gpu', id, count: body.gpuCount, ...any }));
}

function wishesIn(body: CreateBody): PodWish[] {
  return computesIn(body).map((compute) => ({
    name: body.name,
    image: body.imageName,
    compute,
    clouds: [body.cloudType],
    dataCenterIds: body.dataCenterIds,
    diskGb: body.containerDiskInGb,
    mounts: mountsIn(body),
    ports: body.ports,
    env: body.env,
    globalNetworking: false,
    templateId: body.templateId,
  }));
}

function list(call: Call): Reply {
  const { query } = call.request;
  const wanted = (name: string, value: string) => !query.has(name) || query.get(name) === value;
  const pods = listedPods(call.world).filter(
    (pod) =>
      wanted('id', pod.id) &&
      wanted('name', pod.name) &&
      wanted('imageName', pod.image) &&
      wanted('desiredStatus', desiredStatus(pod)),
  );
  return json(
    200,
    pods.map((pod) => v1PodView(call.world, pod)),
  );
}

function get(call: Call): Reply {
  const pod = seenPod(call.world, idOf(call));
  return pod === null ? v1Error(404, 'pod not found') : json(200, v1PodView(call.world, pod));
}

function create(call: Call): Reply {
  const body = createBody.safeParse(parsed(call.request.body));
  if (!body.success) return v1Error(400, 'create pod: validation failed');
  let made: Outcome<PodState> = refused('no-capacity', NO_CAPACITY);
  for (const wish of wishesIn(body.data)) {
    made = createPod(call.world, wish);
    if (made.ok || made.reason !== 'no-capacity') break;
  }
  return made.ok ? json(201, v1PodView(call.world, made.value)) : v1Refusal(made, 'create');
}

/** undefined for anything that is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function remove(call: Call): Reply {
  const gone = terminatePod(call.world, idOf(call));
  return gone.ok ? noContent() : v1Refusal(gone, 'terminate');
}

function act(action: 'start' | 'stop' | 'restart'): Route {
  return {
    method: 'POST',
    path: `/v1/pods/{id}/${action}`,
    operation: 'podAction',
    answer: null,
    handle(call) {
      const acted = actOnPod(call.world, idOf(call), action);
      return acted.ok ? json(200, v1PodView(call.world, acted.value)) : v1Refusal(acted, action);
    },
  };
}

export const v1PodRoutes: readonly Route[] = [
  { method: 'GET', path: '/v1/pods', operation: 'listPods', answer: null, handle: list },
  { method: 'POST', path: '/v1/pods', operation: 'createPod', answer: null, handle: create },
  { method: 'GET', path: '/v1/pods/{id}', operation: 'getPod', answer: null, handle: get },
  { method: 'DELETE', path: '/v1/pods/{id}', operation: 'deletePod', answer: null, handle: remove },
  act('start'),
  act('stop'),
  act('restart'),
];
