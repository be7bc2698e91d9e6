/** Asks the world everything once, in both editions, and holds each answer against the document's schema for that path and status. */
import { compilerOf, resolved, step, unnamedFields } from './document.mjs';

/** @typedef {import('./document.mjs').Document} Document */
/** @typedef {import('./document.mjs').Report} Report */
/** @typedef {{ serveWorld: Function, virtualClock: Function, v2Routes: { method: string, path: string }[] }} Parts */
/** @typedef {[method: string, path: string, body?: unknown]} Question */

/** Families of the real API that the world does not play. */
const OUT_OF_SCOPE =
  /^\/v2\/(clusters|serverless|registries\/delegations|billing(\/(serverless|endpoints|clusters))?$)/;

const POD = 'aaaaaaaaaaaa1';
const CPU_POD = 'bbbbbbbbbbbb2';
const STOPPED = 'cccccccccccc3';
const rental = {
  name: 'n',
  image: 'x/y:1',
  gpu: { id: 'NVIDIA A40', count: 1 },
  disk: 20,
  startJupyter: true,
};
const seed = {
  sshKeys: ['ssh-ed25519 AAAA me'],
  volumes: [{ id: 'nvaaaaaaa1', name: 'v', size: 100, dataCenter: 'EU-RO-1' }],
  pods: [
    {
      id: POD,
      name: 'gpu',
      mounts: { persistent: { size: 20, path: '/w' } },
      ports: ['22/tcp', '8888/http'],
      globalNetworking: { enabled: true },
    },
    {
      id: CPU_POD,
      name: 'cpu',
      cpu: { id: 'cpu3c', vcpuCount: 2 },
      mounts: { network: [{ volumeId: 'nvaaaaaaa1', path: '/w' }] },
    },
    { id: STOPPED, name: 'stopped', status: 'EXITED' },
    { name: 'pulling', boot: 'no-runtime' },
    { name: 'hollow', boot: 'empty-runtime' },
    { name: 'closed', boot: 'private-ports' },
  ],
};

/** @type {Question[]} */
const QUESTIONS = [
  ['GET', '/v2/account/ssh-keys'],
  ['PUT', '/v2/account/ssh-keys', { keys: ['ssh-rsa AAAA you'] }],
  ['PUT', '/v2/account/ssh-keys', { keys: ['nonsense'] }],
  ['GET', '/v2/pods'],
  ['POST', '/v2/pods', rental],
  ['POST', '/v2/pods', { ...rental, gpu: undefined, cpu: { id: 'cpu3c', vcpuCount: 2 }, cmd: ['a'] }],
  ['POST', '/v2/pods', { ...rental, gpu: { id: 'none', count: 1 } }],
  ['POST', '/v2/pods', { ...rental, templateId: 'none' }],
  ['POST', '/v2/pods', { name: 1 }],
  ['GET', `/v2/pods/${POD}`],
  ['GET', `/v2/pods/${CPU_POD}`],
  ['GET', `/v2/pods/${STOPPED}`],
  ['GET', '/v2/pods/nobody'],
  ['PATCH', `/v2/pods/${POD}`, { name: 'renamed', locked: false }],
  ['PATCH', `/v2/pods/${POD}`, { mounts: { network: [] } }],
  ['PATCH', `/v2/pods/${POD}`, { stranger: 1 }],
  ['PATCH', '/v2/pods/nobody', {}],
  ['POST', `/v2/pods/${STOPPED}/action`, { action: 'start' }],
  ['POST', `/v2/pods/${STOPPED}/action`, { action: 'start' }],
  ['POST', `/v2/pods/${POD}/action`, { action: 'reset' }],
  ['POST', `/v2/pods/${POD}/action`, { action: 'restart' }],
  ['POST', `/v2/pods/${POD}/action`, { action: 'stop' }],
  ['POST', `/v2/pods/${POD}/action`, { action: 'terminate' }],
  ['DELETE', `/v2/pods/${POD}`],
  ['DELETE', `/v2/pods/${CPU_POD}`],
  ['GET', '/v2/pods/nobody/logs'],
  ['GET', '/v2/templates'],
  ['POST', '/v2/templates', { name: 't', image: 'x' }],
  ['POST', '/v2/templates', { name: 't', image: 'x' }],
  ['POST', '/v2/templates', {}],
  ['GET', '/v2/templates'],
  ['GET', '/v2/templates/runpod-ubuntu'],
  ['PATCH', '/v2/templates/runpod-ubuntu', {}],
  ['DELETE', '/v2/templates/runpod-ubuntu'],
  ['GET', '/v2/network-volumes'],
  ['POST', '/v2/network-volumes', { name: 'v', size: 10, dataCenter: 'EU-RO-1' }],
  ['POST', '/v2/network-volumes', { name: 'v', size: 10, dataCenter: 'XX' }],
  ['GET', '/v2/network-volumes/nvaaaaaaa1'],
  ['PATCH', '/v2/network-volumes/nvaaaaaaa1', { size: 200 }],
  ['PATCH', '/v2/network-volumes/nvaaaaaaa1', { size: 20 }],
  ['DELETE', '/v2/network-volumes/nvaaaaaaa1'],
  ['DELETE', '/v2/network-volumes/nvaaaaaaa1'],
  ['GET', '/v2/registries'],
  ['POST', '/v2/registries', { name: 'r', username: 'u', password: 'p' }],
  ['POST', '/v2/registries', { name: 'r', username: 'u', password: 'p' }],
  ['GET', '/v2/registries'],
  ['GET', '/v2/registries/none'],
  ['DELETE', '/v2/registries/none'],
  ['GET', '/v2/catalog/gpus'],
  ['GET', '/v2/catalog/gpus?include=AVAILABILITY&product=POD&count=2'],
  ['GET', '/v2/catalog/gpus?include=AVAILABILITY&product=POD&countryCodes=ZZ'],
  ['GET', '/v2/catalog/gpus?count=2'],
  ['GET', '/v2/catalog/gpus/NVIDIA%20A40?include=AVAILABILITY&product=POD,CLUSTER'],
  ['GET', '/v2/catalog/cpus'],
  ['GET', '/v2/catalog/cpus/cpu3c?include=AVAILABILITY&product=POD'],
  ['GET', '/v2/catalog/datacenters?include=GPU_AVAILABILITY,CPU_AVAILABILITY'],
  ['GET', '/v2/catalog/datacenters/EU-RO-1'],
  ['GET', '/v2/catalog/templates'],
  ['GET', '/v2/billing/pods?bucketSize=hour&lastN=3'],
  ['GET', `/v2/billing/pods?podId=${POD}`],
  ['GET', '/v2/billing/network-volumes'],
];

/**
 * @param {Document} document
 * @param {string} asked a path with real ids
 * @returns {string | undefined} the document's own path for it
 */
function pathOf(document, asked) {
  const bare = asked.split('?')[0] ?? asked;
  const fits = (/** @type {string} */ path) =>
    new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(bare);
  const known = Object.keys(document.paths);
  return known.find((path) => path === bare) ?? known.find(fits);
}

/**
 * @param {Document} document
 * @param {Question} question
 * @param {{ status: number, type: string, body: unknown }} answer
 * @param {ReturnType<typeof compilerOf>} compile
 * @returns {string[]} what is wrong
 */
function judge(document, [method, asked], { status, type, body }, compile) {
  const path = pathOf(document, asked);
  const responses = document.paths[path ?? '']?.[method.toLowerCase()]?.responses;
  const where = `${method} ${asked} answered ${status}`;
  if (path === undefined || responses === undefined) return [`${where}: no such path in the document`];
  const key = responses[status] === undefined ? 'default' : String(status);
  const content = resolved(document, responses[key]).content;
  if (content === undefined) return body === undefined ? [] : [`${where} with a body where there is none`];
  const schema = content[type]?.schema;
  if (schema === undefined) return [`${where} as ${type}, which is not documented`];
  const base =
    responses[key].$ref?.slice(1) ?? `/paths/${step(path)}/${method.toLowerCase()}/responses/${key}`;
  const validate = compile(`${base}/content/${step(type)}/schema`);
  const invalid = validate(body)
    ? []
    : (validate.errors ?? []).map((e) => `${where}: ${e.instancePath} ${e.message}`);
  const unnamed = unnamedFields(document, schema, body, '$').map(
    (field) => `${where}: unknown field ${field}`,
  );
  return [...invalid, ...unnamed];
}

/**
 * @param {any} world
 * @param {Question} question
 */
async function ask(world, [method, path, body]) {
  const response = await fetch(`${world.restUrl}${path}`, {
    method,
    headers: { Authorization: `Bearer ${world.apiKey}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, type, body: text === '' ? undefined : JSON.parse(text) };
}

/**
 * @param {Document} document
 * @param {Parts} parts
 * @param {boolean} pagination
 */
async function askAll(document, { serveWorld, virtualClock }, pagination) {
  const compile = compilerOf(document);
  const clock = virtualClock(Date.UTC(2026, 8, 1, 12));
  const world = await serveWorld({ clock, seed: { ...seed, switches: { pagination, rateLimit: null } } });
  const drift = [];
  try {
    for (const question of QUESTIONS) {
      clock.advance(600_000);
      drift.push(...judge(document, question, await ask(world, question), compile));
    }
  } finally {
    await world.stop();
  }
  return drift;
}

/**
 * @param {Document} document
 * @param {Parts} parts
 * @returns {Promise<Report>}
 */
export async function answerDrift(document, parts) {
  const drift = [...(await askAll(document, parts, false)), ...(await askAll(document, parts, true))];
  const played = new Set(parts.v2Routes.map(({ method, path }) => `${method} ${path}`));
  const methods = ['get', 'post', 'put', 'patch', 'delete'];
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    methods
      .filter((method) => operations[method] !== undefined)
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
  const unplayed = documented.filter((one) => !played.has(one));
  const forgotten = unplayed.filter((one) => !OUT_OF_SCOPE.test(one.split(' ')[1] ?? ''));
  const invented = [...played].filter((one) => !documented.includes(one));
  return {
    compared: [
      `${QUESTIONS.length} questions asked in each of two editions, every answer held against its schema`,
      `${played.size} operations played, ${unplayed.length} of the document left out on purpose`,
    ],
    drift: [
      ...drift,
      ...forgotten.map((one) => `${one} is documented and not played`),
      ...invented.map((one) => `${one} is played and not documented`),
    ],
  };
}
