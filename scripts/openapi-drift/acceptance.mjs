/** Compares which request bodies the document and the world take: good bodies, and each of them spoilt in every place. */
import { compilerOf } from './document.mjs';

/** @typedef {import('./document.mjs').Document} Document */
/** @typedef {import('./document.mjs').Report} Report */

const container = {
  image: 'x/y:1',
  args: 'a b',
  cmd: ['a'],
  entrypoint: ['b'],
  disk: 20,
  env: { A: 'b' },
  ports: ['22/tcp'],
  registry: 'reg1',
};
const mounts = { persistent: { size: 20, path: '/w' }, network: [{ volumeId: 'v', path: '/n' }] };
const gpu = {
  id: 'NVIDIA A40',
  count: 1,
  allowedCudaVersions: ['12.8'],
  minCudaVersion: '12.8',
  minRamPerGpu: 8,
  minVcpuCountPerGpu: 2,
};
const template = {
  ...container,
  name: 't',
  allowedCudaVersions: ['12.8'],
  category: 'NVIDIA',
  mounts: { persistent: mounts.persistent },
  public: false,
  serverless: false,
  startJupyter: true,
  startSsh: true,
};
const pod = {
  ...container,
  name: 'n',
  cloud: 'SECURE',
  cpu: { id: 'cpu3c', vcpuCount: 2 },
  dataCenterIds: ['EU-RO-1'],
  globalNetworking: false,
  gpu,
  mounts,
  startJupyter: false,
  startSsh: true,
};

/** Which schema of the document each of the world's bodies answers to, and full good bodies to start from. */
const SUBJECTS = {
  createPodBody: { schema: 'CreatePodRequest', good: [pod, { name: 'n', templateId: 't' }] },
  updatePodBody: {
    schema: 'UpdatePodRequest',
    good: [{ ...container, name: 'n', mounts, locked: true, globalNetworking: false, templateId: 't' }, {}],
  },
  podActionBody: { schema: 'PodActionRequest', good: [{ action: 'stop' }] },
  sshKeysBody: { schema: 'UpdateSshKeysRequest', good: [{ keys: ['ssh-ed25519 AAAA me'] }, { keys: [] }] },
  createTemplateBody: { schema: 'CreateTemplateRequest', good: [template] },
  updateTemplateBody: { schema: 'UpdateTemplateRequest', good: [template, {}] },
  createVolumeBody: {
    schema: 'CreateNetworkVolumeRequest',
    good: [{ name: 'v', size: 10, dataCenter: 'EU-RO-1', type: 'STANDARD' }],
  },
  updateVolumeBody: { schema: 'UpdateNetworkVolumeRequest', good: [{ name: 'v', size: 10 }] },
  createRegistryBody: {
    schema: 'CreateRegistryRequest',
    good: [{ name: 'r', username: 'u', password: 'p' }],
  },
};

const SPOILS = [
  null,
  '',
  'x',
  'RESTART',
  '12',
  '12.8',
  'ssh-rsa A\nB',
  0,
  1,
  3,
  9,
  10,
  4096,
  4097,
  -1,
  1.5,
  true,
  [],
  [1],
  ['x'],
  {},
  { stranger: 1 },
];

/**
 * @param {any} body
 * @returns {Generator<any>} the body with one place left out, replaced, or given one field more
 */
function* spoilt(body) {
  if (typeof body !== 'object' || body === null) return;
  const entries = Array.isArray(body) ? [...body.entries()] : Object.entries(body);
  const copy = () => (Array.isArray(body) ? [...body] : { ...body });
  if (!Array.isArray(body)) {
    yield { ...body, stranger: 1 };
    for (const [name] of entries) {
      const { [name]: _gone, ...rest } = body;
      yield rest;
    }
  } else yield [...body, ...body];
  for (const [at, value] of entries) {
    for (const other of SPOILS) yield Object.assign(copy(), { [at]: other });
    for (const inner of spoilt(value)) yield Object.assign(copy(), { [at]: inner });
  }
}

/**
 * @param {Document} document
 * @param {Record<string, { safeParse(value: unknown): { success: boolean } }>} bodies the world's own schemas by name
 * @returns {Report}
 */
export function acceptanceDrift(document, bodies) {
  const compile = compilerOf(document);
  /** @type {Report} */
  const report = { compared: [], drift: [] };
  for (const [name, { schema, good }] of Object.entries(SUBJECTS)) {
    const says = compile(`/components/schemas/${schema}`);
    const cases = good.flatMap((body) => [body, ...spoilt(body)]);
    let taken = 0;
    for (const body of cases) {
      const wanted = says(body);
      const found = bodies[name]?.safeParse(body).success === true;
      if (wanted) taken += 1;
      if (wanted === found) continue;
      report.drift.push(
        `${schema}: the document ${wanted ? 'takes' : 'refuses'} and the world ${found ? 'takes' : 'refuses'} ${JSON.stringify(body)}`,
      );
    }
    report.compared.push(`${schema}: ${cases.length} bodies, ${taken} of them good, asked of both`);
  }
  return report;
}
