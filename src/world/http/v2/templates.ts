/** /v2/templates and /v2/catalog/templates: presets for pods. */
import { z } from 'zod';
import { notFound } from '../../model/outcome.ts';
import type { TemplateState, World } from '../../model/state.ts';
import { BLANK_TEMPLATE, changeTemplate, createTemplate, deleteTemplate } from '../../model/templates.ts';
import { checkBody, checkQuery } from '../body-check.ts';
import { type Call, idOf, type Route } from '../call.ts';
import { pageOf } from '../page.ts';
import { json, noContent, type Reply, refusal } from '../reply.ts';
import { type TemplateAnswer, templateAnswer, templatesAnswer } from './answers.ts';
import { createTemplateBody, updateTemplateBody } from './requests.ts';

const catalogQuery = z.object({ source: z.enum(['official', 'verified', 'community']).default('official') });
const CATALOG_MAX = 100;

function answerOf(world: World, template: TemplateState): TemplateAnswer {
  const { persistent } = template;
  const october = world.settings.pagination;
  return {
    id: template.id,
    name: template.name,
    image: template.image,
    args: template.args,
    ...(october && template.cmd !== null ? { cmd: [...template.cmd] } : {}),
    ...(october && template.entrypoint !== null ? { entrypoint: [...template.entrypoint] } : {}),
    disk: template.diskGb,
    mounts: persistent === null ? {} : { persistent: { size: persistent.sizeGb, path: persistent.path } },
    ports: [...template.ports],
    env: { ...template.env },
    registry: template.registryId,
    serverless: template.serverless,
    public: template.public,
    category: template.category,
    startSsh: template.startSsh,
    startJupyter: template.startJupyter,
    allowedCudaVersions: [...template.allowedCudaVersions],
  };
}

function list(call: Call): Reply {
  const own = [...call.world.templates.values()].filter(({ source }) => source === 'own');
  const page = pageOf(call.world, call.request.query, own);
  if ('status' in page) return page;
  return json(200, { templates: page.items.map((one) => answerOf(call.world, one)), ...page.extra });
}

function catalog(call: Call): Reply {
  const asked = checkQuery(catalogQuery, call.request.query);
  if (!asked.ok) return asked.reply;
  const found = [...call.world.templates.values()].filter(({ source }) => source === asked.value.source);
  return json(200, { templates: found.slice(0, CATALOG_MAX).map((one) => answerOf(call.world, one)) });
}

/** The fields that are named differently on the wire. */
function persistentIn(body: z.infer<typeof updateTemplateBody>): TemplateState['persistent'] | undefined {
  const mount = body.mounts?.persistent;
  return mount === undefined ? undefined : { sizeGb: mount.size, path: mount.path };
}

function create(call: Call): Reply {
  const checked = checkBody(createTemplateBody, call.request.body, true);
  if (!checked.ok) return checked.reply;
  const body = checked.value;
  const made = createTemplate(call.world, {
    name: body.name,
    image: body.image,
    args: body.args ?? BLANK_TEMPLATE.args,
    cmd: body.cmd ?? null,
    entrypoint: body.entrypoint ?? null,
    diskGb: body.disk ?? BLANK_TEMPLATE.diskGb,
    persistent: persistentIn(body) ?? null,
    ports: body.ports ?? [],
    env: body.env ?? {},
    registryId: body.registry ?? null,
    serverless: body.serverless ?? false,
    public: body.public ?? false,
    category: body.category ?? 'NVIDIA',
    startSsh: body.startSsh ?? true,
    startJupyter: body.startJupyter ?? true,
    allowedCudaVersions: body.allowedCudaVersions ?? [],
  });
  return made.ok ? json(201, answerOf(call.world, made.value)) : refusal(made);
}

function get(call: Call): Reply {
  const template = call.world.templates.get(idOf(call));
  return template === undefined ? refusal(notFound()) : json(200, answerOf(call.world, template));
}

function patch(call: Call): Reply {
  const checked = checkBody(updateTemplateBody, call.request.body);
  if (!checked.ok) return checked.reply;
  const { disk, registry, mounts: _mounts, ...same } = checked.value;
  const change = { ...same, diskGb: disk, registryId: registry, persistent: persistentIn(checked.value) };
  const changed = changeTemplate(call.world, idOf(call), change);
  return changed.ok ? json(200, answerOf(call.world, changed.value)) : refusal(changed);
}

function remove(call: Call): Reply {
  const gone = deleteTemplate(call.world, idOf(call));
  return gone.ok ? noContent() : refusal(gone);
}

const operation = 'templates';
const all = '/v2/templates';
const one = '/v2/templates/{id}';

export const templateRoutes: readonly Route[] = [
  { method: 'GET', path: all, operation, answer: templatesAnswer, handle: list },
  { method: 'POST', path: all, operation, answer: templateAnswer, handle: create },
  { method: 'GET', path: one, operation, answer: templateAnswer, handle: get },
  { method: 'PATCH', path: one, operation, answer: templateAnswer, handle: patch },
  { method: 'DELETE', path: one, operation, answer: null, handle: remove },
  { method: 'GET', path: '/v2/catalog/templates', operation, answer: templatesAnswer, handle: catalog },
];
