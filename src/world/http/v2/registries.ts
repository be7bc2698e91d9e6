/** /v2/registries: logins for private images; their secrets never come back. */
import { notFound } from '../../model/outcome.ts';
import { createRegistry, deleteRegistry } from '../../model/registries.ts';
import type { RegistryState } from '../../model/state.ts';
import { checkBody } from '../body-check.ts';
import { type Call, idOf, type Route } from '../call.ts';
import { pageOf } from '../page.ts';
import { json, noContent, type Reply, refusal } from '../reply.ts';
import { registriesAnswer, registryAnswer } from './answers.ts';
import { createRegistryBody } from './requests.ts';

const answerOf = ({ id, name }: RegistryState) => ({ id, name });

function list(call: Call): Reply {
  const page = pageOf(call.world, call.request.query, [...call.world.registries.values()]);
  if ('status' in page) return page;
  return json(200, { registries: page.items.map(answerOf), ...page.extra });
}

function create(call: Call): Reply {
  const body = checkBody(createRegistryBody, call.request.body);
  if (!body.ok) return body.reply;
  const made = createRegistry(call.world, body.value.name);
  return made.ok ? json(201, answerOf(made.value)) : refusal(made);
}

function get(call: Call): Reply {
  const registry = call.world.registries.get(idOf(call));
  return registry === undefined ? refusal(notFound()) : json(200, answerOf(registry));
}

function remove(call: Call): Reply {
  const gone = deleteRegistry(call.world, idOf(call));
  return gone.ok ? noContent() : refusal(gone);
}

const operation = 'registries';
const all = '/v2/registries';
const one = '/v2/registries/{id}';

export const registryRoutes: readonly Route[] = [
  { method: 'GET', path: all, operation, answer: registriesAnswer, handle: list },
  { method: 'POST', path: all, operation, answer: registryAnswer, handle: create },
  { method: 'GET', path: one, operation, answer: registryAnswer, handle: get },
  { method: 'DELETE', path: one, operation, answer: null, handle: remove },
];
