/** Requests that real clients were recorded to send, reduced to what a server looks at. */

/** One recorded call: what went over the wire, without keys. */
export interface Recorded {
  readonly call: string;
  readonly method: string;
  readonly path: string;
  readonly userAgent: string;
  readonly body?: unknown;
}

const MCP = 'runpod-mcp-server/4.0.0 (caller=mcp; surface=v2; client=t; client_version=1; transport=stdio)';

/** `@runpod/mcp-server` 4.0.0: REST v2 only. */
export const mcp = {
  createPod: {
    call: 'mcp create-pod',
    method: 'POST',
    path: '/v2/pods',
    userAgent: MCP,
    body: {
      name: 'ci-x',
      image: 'x/y:1',
      gpu: { id: 'NVIDIA A40', count: 1 },
      disk: 20,
      ports: ['22/tcp'],
      env: { PODTRACK_STAMP: 'l@r' },
    },
  },
  createTemplate: {
    call: 'mcp create-template',
    method: 'POST',
    path: '/v2/templates',
    userAgent: MCP,
    body: { name: 't1', image: 'x/y:1' },
  },
  listPods: { call: 'mcp list-pods', method: 'GET', path: '/v2/pods', userAgent: MCP },
  getPod: { call: 'mcp get-pod', method: 'GET', path: '/v2/pods/newv200002', userAgent: MCP },
  stopPod: {
    call: 'mcp pod-stop',
    method: 'POST',
    path: '/v2/pods/newv200002/action',
    userAgent: MCP,
    body: { action: 'stop' },
  },
  deletePod: { call: 'mcp delete-pod', method: 'DELETE', path: '/v2/pods/newv200002', userAgent: MCP },
  listVolumes: {
    call: 'mcp list-network-volumes',
    method: 'GET',
    path: '/v2/network-volumes',
    userAgent: MCP,
  },
  podBilling: {
    call: 'mcp list-pod-billing',
    method: 'GET',
    path: '/v2/billing/pods?podId=a',
    userAgent: MCP,
  },
} as const satisfies Record<string, Recorded>;

const REQUESTS = 'python-requests/2.34.2';

/** dstack 0.22.5: v2 with the later container fields; the key list as a check of the key. */
export const dstack = {
  validate: { call: 'dstack validate', method: 'GET', path: '/v2/account/ssh-keys', userAgent: REQUESTS },
  create: {
    call: 'dstack create',
    method: 'POST',
    path: '/v2/pods',
    userAgent: REQUESTS,
    body: {
      name: 'ci-d',
      cloud: 'SECURE',
      image: 'x/y:1',
      entrypoint: ['bash', '-c'],
      cmd: ['sleep infinity'],
      disk: 20,
      gpu: { id: 'NVIDIA A40', minCudaVersion: '12.8', count: 1 },
      ports: ['22/tcp'],
      env: { A: 'b' },
    },
  },
  get: { call: 'dstack get', method: 'GET', path: '/v2/pods/nope', userAgent: REQUESTS },
  terminate: { call: 'dstack terminate', method: 'DELETE', path: '/v2/pods/nope', userAgent: REQUESTS },
} as const satisfies Record<string, Recorded>;

const SDK = 'RunPod-Python-SDK/1.12.0 (Linux; x86_64) Language/Python 3.11.7';

function python(call: string, query: string): Recorded {
  return { call: `python ${call}`, method: 'POST', path: '/graphql', userAgent: SDK, body: { query } };
}

const SDK_POD = `id containerDiskInGb costPerHr desiredStatus dockerArgs dockerId env gpuCount imageName lastStatusChange
  machineId memoryInGb name podType port ports uptimeSeconds vcpuCount volumeInGb volumeMountPath
  runtime { ports { ip isIpPublic privatePort publicPort type } } machine { gpuDisplayName }`;
const SDK_RENTED = '{ id imageName env machineId machine { podHostId } }';

/** `runpod` 1.12.0 for Python: GraphQL with the values pasted into the text. */
export const pythonSdk = {
  gpuBeforeCreate: python(
    'create_pod, first half',
    `query GpuTypes { gpuTypes(input: {id: "NVIDIA A40"}) { maxGpuCount id displayName manufacturer memoryInGb cudaCores
      secureCloud communityCloud securePrice communityPrice oneMonthPrice threeMonthPrice oneWeekPrice communitySpotPrice
      secureSpotPrice lowestPrice(input: {gpuCount: 1}) { minimumBidPrice uninterruptablePrice } } }`,
  ),
  createPod: python(
    'create_pod, second half',
    `mutation { podFindAndDeployOnDemand( input: { name: "ci-x", imageName: "x/y:1", cloudType: ALL, startSsh: true,
      gpuTypeId: "NVIDIA A40", supportPublicIp: true, gpuCount: 1, volumeInGb: 0, minVcpuCount: 1, minMemoryInGb: 1,
      dataCenterId: null, dockerArgs: "", containerDiskInGb: 10, ports: "22/tcp", volumeMountPath: "/runpod-volume",
      env: [{ key: "PODTRACK_STAMP", value: "l@r" }] } ) ${SDK_RENTED} }`,
  ),
  createCpuPod: python(
    'create_pod of a CPU instance',
    `mutation { deployCpuPod( input: { name: "ci-x", imageName: "x/y:1", cloudType: ALL, startSsh: true,
      instanceId: "cpu3c-2-4", dataCenterId: null, dockerArgs: "", containerDiskInGb: 10,
      volumeMountPath: "/runpod-volume", templateId: "runpod-ubuntu" } ) ${SDK_RENTED} }`,
  ),
  getPods: python('get_pods', `query myPods { myself { pods { ${SDK_POD} } } }`),
  getPod: python('get_pod', `query pod { pod(input: {podId: "newv200002"}) { ${SDK_POD} } }`),
  getAbsentPod: python(
    'get_pod of an absent one',
    `query pod { pod(input: {podId: "gone"}) { ${SDK_POD} } }`,
  ),
  getUser: python(
    'get_user',
    'query myself { myself { id pubKey networkVolumes { id name size dataCenterId } } }',
  ),
  terminate: python('terminate_pod', 'mutation { podTerminate(input: { podId: "newv200002" }) }'),
  terminateAbsent: python(
    'terminate_pod of an absent one',
    'mutation { podTerminate(input: { podId: "gone" }) }',
  ),
};

const CLI = 'runpod-cli/v2.0.0-beta.1 (linux; amd64)';

function rest(call: string, method: string, path: string, body?: unknown): Recorded {
  return { call: `runpodctl ${call}`, method, path, userAgent: CLI, ...(body === undefined ? {} : { body }) };
}

function graphql(call: string, query: string, variables: unknown): Recorded {
  return {
    call: `runpodctl ${call}`,
    method: 'POST',
    path: '/graphql',
    userAgent: CLI,
    body: { query, variables },
  };
}

const CLI_POD = `id containerDiskInGb costPerHr desiredStatus dockerArgs dockerId env gpuCount imageName lastStatusChange
  machineId memoryInGb name podType port ports uptimeSeconds vcpuCount volumeInGb volumeMountPath
  machine { gpuDisplayName location }
  runtime { ports { ip isIpPublic privatePort publicPort PortType: type } }`;

/** `runpodctl` of July 2026: REST v1, and GraphQL with variables and an alias. */
export const runpodctl = {
  listPods: rest('pod list', 'GET', '/v1/pods'),
  listNamed: rest('pod list --all by name', 'GET', '/v1/pods?name=ci-1'),
  getPod: rest('pod get', 'GET', '/v1/pods/newv200002'),
  getAbsent: rest('pod get of an absent one', 'GET', '/v1/pods/nope'),
  stopPod: rest('pod stop', 'POST', '/v1/pods/newv200002/stop'),
  deletePod: rest('pod delete', 'DELETE', '/v1/pods/newv200002'),
  createCpuPod: rest('pod create of a CPU instance', 'POST', '/v1/pods', {
    name: 'ci-c',
    imageName: 'x/y:1',
    computeType: 'CPU',
    containerDiskInGb: 20,
    volumeMountPath: '/workspace',
    ports: ['22/tcp'],
    env: { A: 'b' },
    cloudType: 'SECURE',
  }),
  createTemplate: rest('template create', 'POST', '/v1/templates', {
    name: 't1',
    imageName: 'x/y:1',
    ports: ['22/tcp'],
    env: { A: 'b' },
    containerDiskInGb: 20,
    volumeMountPath: '/workspace',
  }),
  listVolumes: rest('network-volume list', 'GET', '/v1/networkvolumes'),
  podBilling: rest('billing pods', 'GET', '/v1/billing/pods?bucketSize=day&grouping=gpuTypeId'),
  user: graphql(
    'user',
    `query { myself { id email clientBalance currentSpendPerHr spendLimit notifyPodsStale notifyPodsGeneral
      notifyLowBalance } }`,
    null,
  ),
  legacyGetPods: graphql('get pod', `query myPods { myself { pods { ${CLI_POD} } } }`, {}),
  legacyRemove: graphql(
    'remove pod',
    'mutation terminatePod($podId: String!) { podTerminate(input: {podId: $podId}) }',
    { podId: 'newv200002' },
  ),
  gpuList: graphql(
    'gpu list',
    'query { gpuTypes { id displayName memoryInGb secureCloud communityCloud } }',
    null,
  ),
  dataCenters: graphql(
    'gpu list, second half',
    'query { dataCenters { id name location gpuAvailability { gpuTypeId displayName stockStatus } } }',
    null,
  ),
  createGpuPod: graphql(
    'pod create',
    `mutation createPod($input: PodFindAndDeployOnDemandInput!) { podFindAndDeployOnDemand(input: $input) { id name
      imageName desiredStatus costPerHr containerDiskInGb volumeInGb volumeMountPath gpuCount memoryInGb vcpuCount ports
      lastStatusChange env machine { gpuDisplayName location } } }`,
    {
      input: {
        cloudType: 'SECURE',
        containerDiskInGb: 20,
        dataCenterId: 'EU-RO-1',
        env: [{ key: 'PODTRACK_STAMP', value: 'l@r' }],
        gpuCount: 1,
        gpuTypeId: 'NVIDIA A40',
        imageName: 'x/y:1',
        name: 'ci-x',
        ports: '22/tcp',
        startSsh: true,
        volumeMountPath: '/workspace',
        terminateAfter: '2026-12-01T00:00:00Z',
      },
    },
  ),
};
