/** /v2/pods: list, create, get, change, delete, and the actions. */
import { actOnPod, changePod, terminatePod } from '../../model/act-on-pod.ts';
import { createPod } from '../../model/create-pod.ts';
import { notFound, refused } from '../../model/outcome.ts';
import type { PodState } from '../../model/pod-state.ts';
import { listedPods, seenPod } from '../../model/sight.ts';
import type { TemplateState } from '../../model/state.ts';
import { checkBody } from '../body-check.ts';
import { type Call, idOf, type Route } from '../call.ts';
import { pageOf } from '../page.ts';
import { json, noContent, type Reply, refusal } from '../reply.ts';
import { podAnswer, podsAnswer } from './answers.ts';
import { podLogs } from './logs.ts';
import { podAnswerOf } from './pod-answer.ts';
import { podChangeIn, podWishIn } from './pod-bodies.ts';
import { createPodBody, podActionBody, updatePodBody } from './requests.ts';

function tellPod(call: Call, status: number, pod: PodState): Reply {
  return json(status, podAnswerOf(call.world, pod, call.lookout));
}

function list(call: Call): Reply {
  const page = pageOf(call.world, call.request.query, listedPods(call.world));
  if ('status' in page) return page;
  const pods = page.items.map((pod) => podAnswerOf(call.world, pod, call.lookout));
  return json(200, { pods, ...page.extra });
}

function create(call: Call): Reply {
  const body = checkBody(createPodBody, call.request.body, true);
  if (!body.ok) return body.reply;
  const wish = podWishIn(body.value);
  if (!wish.ok) return refusal(wish);
  const made = createPod(call.world, wish.value);
  return made.ok ? tellPod(call, 201, made.value) : refusal(made);
}

function get(call: Call): Reply {
  const pod = seenPod(call.world, idOf(call));
  return pod === null ? refusal(notFound()) : tellPod(call, 200, pod);
}

function patch(call: Call): Reply {
  const body = checkBody(updatePodBody, call.request.body);
  if (!body.ok) return body.reply;
  const { templateId } = body.value;
  let template: TemplateState | null = null;
  if (templateId !== undefined) {
    template = call.world.templates.get(templateId) ?? null;
    if (template === null) return refusal(notFound());
    if (template.serverless)
      return refusal(refused('unprocessable', 'templateId must not reference a serverless template'));
  }
  const change = podChangeIn(body.value, template);
  if (!change.ok) return refusal(change);
  const changed = changePod(call.world, idOf(call), change.value);
  return changed.ok ? tellPod(call, 200, changed.value) : refusal(changed);
}

function remove(call: Call): Reply {
  const gone = terminatePod(call.world, idOf(call));
  return gone.ok ? noContent() : refusal(gone);
}

function act(call: Call): Reply {
  const body = checkBody(podActionBody, call.request.body);
  if (!body.ok) return body.reply;
  const acted = actOnPod(call.world, idOf(call), body.value.action);
  if (!acted.ok) return refusal(acted);
  return body.value.action === 'terminate' ? noContent() : tellPod(call, 200, acted.value);
}

export const podRoutes: readonly Route[] = [
  { method: 'GET', path: '/v2/pods', operation: 'listPods', answer: podsAnswer, handle: list },
  { method: 'POST', path: '/v2/pods', operation: 'createPod', answer: podAnswer, handle: create },
  { method: 'GET', path: '/v2/pods/{id}', operation: 'getPod', answer: podAnswer, handle: get },
  { method: 'PATCH', path: '/v2/pods/{id}', operation: 'updatePod', answer: podAnswer, handle: patch },
  { method: 'DELETE', path: '/v2/pods/{id}', operation: 'deletePod', answer: null, handle: remove },
  { method: 'POST', path: '/v2/pods/{id}/action', operation: 'podAction', answer: podAnswer, handle: act },
  { method: 'GET', path: '/v2/pods/{id}/logs', operation: 'podLogs', answer: null, handle: podLogs },
];
