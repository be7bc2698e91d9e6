/** /v2/network-volumes: storage that outlives pods. */
import { notFound } from '../../model/outcome.ts';
import type { VolumeState } from '../../model/state.ts';
import { changeVolume, createVolume, deleteVolume } from '../../model/storage.ts';
import { checkBody } from '../body-check.ts';
import { type Call, idOf, type Route } from '../call.ts';
import { pageOf } from '../page.ts';
import { json, noContent, type Reply, refusal } from '../reply.ts';
import { volumeAnswer, volumesAnswer } from './answers.ts';
import { createVolumeBody, updateVolumeBody } from './requests.ts';

function answerOf(volume: VolumeState) {
  const { id, name, sizeGb: size, dataCenterId: dataCenter, type } = volume;
  return { id, name, size, dataCenter, type };
}

function list(call: Call): Reply {
  const page = pageOf(call.world, call.request.query, [...call.world.volumes.values()]);
  if ('status' in page) return page;
  return json(200, { networkVolumes: page.items.map(answerOf), ...page.extra });
}

function create(call: Call): Reply {
  const body = checkBody(createVolumeBody, call.request.body);
  if (!body.ok) return body.reply;
  const { name, size: sizeGb, dataCenter: dataCenterId, type = 'STANDARD' } = body.value;
  const made = createVolume(call.world, { name, sizeGb, dataCenterId, type, checked: true });
  return made.ok ? json(201, answerOf(made.value)) : refusal(made);
}

function get(call: Call): Reply {
  const volume = call.world.volumes.get(idOf(call));
  return volume === undefined ? refusal(notFound()) : json(200, answerOf(volume));
}

function patch(call: Call): Reply {
  const body = checkBody(updateVolumeBody, call.request.body);
  if (!body.ok) return body.reply;
  const changed = changeVolume(call.world, idOf(call), { name: body.value.name, sizeGb: body.value.size });
  return changed.ok ? json(200, answerOf(changed.value)) : refusal(changed);
}

function remove(call: Call): Reply {
  const gone = deleteVolume(call.world, idOf(call));
  return gone.ok ? noContent() : refusal(gone);
}

const operation = 'networkVolumes';
const all = '/v2/network-volumes';
const one = '/v2/network-volumes/{id}';

export const volumeRoutes: readonly Route[] = [
  { method: 'GET', path: all, operation, answer: volumesAnswer, handle: list },
  { method: 'POST', path: all, operation, answer: volumeAnswer, handle: create },
  { method: 'GET', path: one, operation, answer: volumeAnswer, handle: get },
  { method: 'PATCH', path: one, operation, answer: volumeAnswer, handle: patch },
  { method: 'DELETE', path: one, operation, answer: null, handle: remove },
];
