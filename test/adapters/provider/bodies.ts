/** Bodies of RunPod's answers, in the shapes of its published document and of recorded v1 answers; all values invented. */

type Fields = Readonly<Record<string, unknown>>;

export const STAMP = `1:${'ab'.repeat(16)}:1234:5678:1772452800:1772474400:${'cd'.repeat(8)}`;

/** A running GPU pod as REST v2 shows it. */
export const podV2 = (id: string, over: Fields = {}): Fields => ({
  id,
  name: `ci-train-${id}`,
  image: 'example/train:cu128',
  args: '',
  disk: 40,
  ports: ['8888/http', '22/tcp'],
  env: { PODTRACK_STAMP: STAMP, HF_TOKEN: 'hf_NOTAREALTOKENATALL', WANDB: 'f'.repeat(40) },
  registry: null,
  status: 'RUNNING',
  actions: ['stop', 'restart', 'terminate'],
  mounts: { persistent: { size: 40, path: '/workspace' } },
  gpu: { id: 'NVIDIA H100 80GB HBM3', count: 2 },
  cloud: 'SECURE',
  dataCenterId: 'EU-RO-1',
  cudaVersion: '12.8',
  ssh: {
    proxy: { host: 'ssh.runpod.io', port: 22, username: `${id}-64410001`, command: 'ssh …' },
    direct: { host: '203.0.113.20', port: 22117, username: 'root', command: 'ssh …' },
  },
  template: null,
  cost: 2.69,
  locked: false,
  globalNetworking: { enabled: false },
  runtime: {
    uptime: 1800,
    gpus: [
      { util: 93, memoryUtil: 71 },
      { util: 0, memoryUtil: null },
    ],
    cpu: { util: 22 },
    memory: { util: 31 },
    ports: [
      { private: 22, public: 22117, type: 'tcp', ip: '203.0.113.20' },
      { private: 8888, public: 60755, type: 'http', ip: '100.65.0.9' },
    ],
  },
  createdAt: '2026-03-02T09:00:00Z',
  startedAt: '2026-03-02T09:03:10Z',
  ...over,
});

/** A running GPU pod as the retired REST v1 showed it: price as text, Go's time format. */
export const podV1 = (id: string, over: Fields = {}): Fields => ({
  id,
  name: `ci-train-${id}`,
  desiredStatus: 'RUNNING',
  imageName: 'example/train:cu128',
  gpuCount: 1,
  costPerHr: '2.69',
  volumeMountPath: '/workspace',
  ports: ['22/tcp', '8888/http'],
  portMappings: { '22': 22117 },
  publicIp: '203.0.113.20',
  createdAt: '2026-03-02 09:00:00.726 +0000 UTC',
  lastStartedAt: '2026-03-02T09:00:00.715Z',
  env: { PODTRACK_STAMP: STAMP },
  machine: { dataCenterId: 'EU-RO-1', gpuTypeId: 'NVIDIA H100 80GB HBM3' },
  ...over,
});

export const NOT_FOUND = 'resource not found';
export const UNKNOWN_PATH = 'The requested path was not found.';

/** Details of a 404 that do not say that the pod is gone. */
export const ELSEWHERE: readonly string[] = [
  UNKNOWN_PATH,
  'No such route',
  'Unknown endpoint',
  'URL not found on this server',
  'Page not found',
  'access denied',
  'You do not have permission for this pod',
  'Unauthorized to see this resource',
  'The pod service is temporarily unavailable',
  'Down for maintenance',
  'Account suspended',
  'This resource has moved',
  'Team not found',
  'user not found',
  'x',
];
