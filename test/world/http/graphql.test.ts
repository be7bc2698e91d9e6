/** GraphQL as seen in the field: which HTTP status, which errors, which null. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type VirtualClock, virtualClock } from '../../../src/world/clock.ts';
import { serveWorld, type WorldHandle } from '../../../src/world/serve.ts';
import { ask, askGraphql } from '../asking.ts';

const ONE = 'aaaaaaaaaaaa1';
const TWO = 'bbbbbbbbbbbb2';

let clock: VirtualClock;
let world: WorldHandle;

beforeEach(async () => {
  clock = virtualClock(Date.UTC(2026, 8, 1, 12));
  const gpu = { util: 87, memUsedMiB: 12_288, memTotalMiB: 24_576 };
  world = await serveWorld({
    clock,
    seed: {
      balance: 23.4517,
      pods: [
        { id: ONE, name: 'one', gpu, env: { LEASE: 'x' }, ports: ['22/tcp', '8888/http'] },
        { id: TWO, name: 'two', boot: 'no-runtime' },
      ],
    },
  });
});
afterEach(() => world.stop());

const own = (podId: string) => `query { pod(input: { podId: "${podId}" }) { id desiredStatus } }`;
const end = (podId: string) => `mutation { podTerminate(input: { podId: "${podId}" }) }`;
const unauthorized = (field: string) => ({
  errors: [{ message: 'Unauthorized', path: [field], extensions: { code: 'RUNPOD' } }],
  data: { [field]: null },
});

describe('myself', () => {
  it('tells money, and pods with env as lines and ports as one text', async () => {
    const query = `{ myself { clientBalance currentSpendPerHr spendLimit minBalance pods { id name desiredStatus podType
      costPerHr env ports uptimeSeconds machine { gpuDisplayName dataCenterId }
      runtime { uptimeInSeconds ports { ip isIpPublic privatePort type } gpus { gpuUtilPercent memoryUtilPercent } } } } }`;
    const { status, body } = await askGraphql(world, query);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      data: {
        myself: {
          clientBalance: 23.4517,
          spendLimit: 80,
          minBalance: 0,
          pods: [
            {
              id: ONE,
              desiredStatus: 'RUNNING',
              podType: 'RESERVED',
              costPerHr: 0.69,
              env: ['LEASE=x'],
              ports: '22/tcp,8888/http',
              uptimeSeconds: 0,
              machine: { gpuDisplayName: 'RTX 4090', dataCenterId: 'EU-RO-1' },
              runtime: {
                uptimeInSeconds: 480,
                ports: [
                  { ip: '203.0.113.17', isIpPublic: true, privatePort: 22, type: 'tcp' },
                  { ip: '100.65.0.101', isIpPublic: false, privatePort: 8888, type: 'http' },
                ],
                gpus: [{ gpuUtilPercent: 87, memoryUtilPercent: 50 }],
              },
            },
            { id: TWO, runtime: null },
          ],
        },
      },
    });
  });

  it('is null without a key, which is not "no pods"', async () => {
    const { status, body } = await askGraphql(world, '{ myself { id pods { id } } }', { key: null });
    expect([status, body]).toEqual([200, { data: { myself: null } }]);
  });

  it('is 401 with a wrong key', async () => {
    expect((await askGraphql(world, '{ myself { id } }', { key: 'rpa_WRONG' })).status).toBe(401);
  });

  it('takes the key from the query string too', async () => {
    const body = { query: '{ myself { email } }' };
    const answer = await ask(world, 'POST', `/graphql?api_key=${world.apiKey}`, { key: null, body });
    expect(answer.body).toEqual({ data: { myself: { email: 'dev@example.com' } } });
  });
});

describe('the key inside a pod', () => {
  it('sees its own pod, nothing of the account and no other pod', async () => {
    const key = world.podKey(ONE);
    expect((await askGraphql(world, own(ONE), { key })).body).toEqual({
      data: { pod: { id: ONE, desiredStatus: 'RUNNING' } },
    });
    expect((await askGraphql(world, '{ myself { id } }', { key })).body).toEqual(unauthorized('myself'));
    expect((await askGraphql(world, own(TWO), { key })).body).toEqual(unauthorized('pod'));
    expect((await askGraphql(world, end(TWO), { key })).body).toEqual(unauthorized('podTerminate'));
    expect(world.world.pods.size).toBe(2);
  });

  it('ends its own pod: null is success', async () => {
    const key = world.podKey(ONE);
    expect((await askGraphql(world, end('gone'), { key })).text).toContain('POD_NOT_FOUND');
    expect((await askGraphql(world, end(ONE), { key })).body).toEqual({ data: { podTerminate: null } });
    expect((await askGraphql(world, own(ONE))).body).toEqual({ data: { pod: null } });
    expect((await askGraphql(world, own(ONE), { key })).status).toBe(401);
  });

  it('may in some deployments only stop, or only look', async () => {
    const key = world.podKey(ONE);
    const stop = `mutation { podStop(input: { podId: "${ONE}" }) { id desiredStatus } }`;
    world.setSwitches({ podKey: 'read-only' });
    expect((await askGraphql(world, stop, { key })).body).toEqual(unauthorized('podStop'));
    world.setSwitches({ podKey: 'stop-only' });
    expect((await askGraphql(world, end(ONE), { key })).body).toEqual(unauthorized('podTerminate'));
    expect((await askGraphql(world, stop, { key })).body).toEqual({
      data: { podStop: { id: ONE, desiredStatus: 'EXITED' } },
    });
  });
});

describe('terminate', () => {
  it('of a pod that is gone is 200 with POD_NOT_FOUND', async () => {
    expect(await askGraphql(world, end('gone'))).toMatchObject({
      status: 200,
      body: {
        errors: [
          {
            message: 'pod not found to terminate',
            path: ['podTerminate'],
            extensions: { code: 'POD_NOT_FOUND' },
          },
        ],
        data: { podTerminate: null },
      },
    });
  });
});

describe('rent', () => {
  const rent = `mutation($input: PodFindAndDeployOnDemandInput!) {
    podFindAndDeployOnDemand(input: $input) { id imageName env machineId machine { podHostId } } }`;
  const input = {
    name: 'g',
    imageName: 'x/y:1',
    gpuTypeId: 'NVIDIA A40',
    gpuCount: 1,
    containerDiskInGb: 10,
  };

  it('takes terminateAfter, past or future, and never acts on it', async () => {
    const past = '2026-09-01T11:00:00Z';
    const answer = await askGraphql(world, rent, {
      variables: { input: { ...input, terminateAfter: past, stopAfter: past } },
    });
    expect(answer.body).toMatchObject({ data: { podFindAndDeployOnDemand: { imageName: 'x/y:1' } } });
    clock.advance(5 * 3_600_000);
    const pod = [...world.world.pods.values()].find(({ name }) => name === 'g');
    expect(pod?.status).toBe('RUNNING');
  });

  it('refuses a duration where a time belongs, and a field that is none, with 400', async () => {
    for (const extra of [{ terminateAfter: '1h' }, { objectMounts: [] }]) {
      const answer = await askGraphql(world, rent, { variables: { input: { ...input, ...extra } } });
      expect(answer.status).toBe(400);
    }
    expect(world.world.pods.size).toBe(2);
  });

  it('without capacity is 200 with errors and null', async () => {
    world.setFaults([{ name: 'no-capacity' }]);
    expect(await askGraphql(world, rent, { variables: { input } })).toMatchObject({
      status: 200,
      body: {
        errors: [{ path: ['podFindAndDeployOnDemand'], extensions: { code: 'SUPPLY_CONSTRAINT' } }],
        data: { podFindAndDeployOnDemand: null },
      },
    });
  });

  it('falls back to the next GPU of a list', async () => {
    const wanted = { ...input, gpuTypeId: null, gpuTypeIdList: ['NVIDIA Zeus', 'NVIDIA L4'] };
    await askGraphql(world, rent, { variables: { input: wanted } });
    const pod = [...world.world.pods.values()].find(({ name }) => name === 'g');
    expect(pod?.compute).toEqual({ kind: 'gpu', id: 'NVIDIA L4', count: 1 });
  });

  it('by a read-only key is unauthorized', async () => {
    const answer = await askGraphql(world, rent, { key: world.readOnlyKey, variables: { input } });
    expect(answer.body).toEqual(unauthorized('podFindAndDeployOnDemand'));
  });
});

describe('the rest of the language', () => {
  it('aliases and inline values work', async () => {
    const { body } = await askGraphql(world, `{ mine: pod(input: { podId: "${ONE}" }) { what: name } }`);
    expect(body).toEqual({ data: { mine: { what: 'one' } } });
  });

  it.each(['{ myself { id ', '{ myself { shoeSize } }', '{ __schema { types { name } } }'])(
    '%s is 400',
    async (query) => {
      expect((await askGraphql(world, query)).status).toBe(400);
    },
  );

  it('a volume may be made in a data center spelt wrong, and not deleted twice', async () => {
    const make =
      'mutation { createNetworkVolume(input: { name: "v", size: 10, dataCenterId: "eu-ro-1" }) { id } }';
    expect((await askGraphql(world, make)).text).toMatch(/"id":"\w{10}"/);
    const [id] = world.world.volumes.keys();
    const remove = `mutation { deleteNetworkVolume(input: { id: "${id}" }) }`;
    expect((await askGraphql(world, remove)).body).toEqual({ data: { deleteNetworkVolume: null } });
    expect((await askGraphql(world, remove)).text).toContain('Tried to delete nonexistent network volume');
  });

  it('a template is saved, saved again under its id, and deleted by name', async () => {
    const save = (rest: string) =>
      `mutation { saveTemplate(input: { ${rest} imageName: "x", containerDiskInGb: 5, volumeInGb: 0, dockerArgs: "", env: [] }) { id name } }`;
    const first = await askGraphql(world, save('name: "t"'));
    const id = /"id":"(\w+)"/.exec(first.text)?.[1] ?? '';
    expect((await askGraphql(world, save('name: "t"'))).text).toContain('must be unique');
    expect((await askGraphql(world, save(`id: "${id}", name: "t2"`))).text).toContain('"name":"t2"');
    const remove = await askGraphql(world, 'mutation { deleteTemplate(templateName: "t2") }');
    expect(remove.body).toEqual({ data: { deleteTemplate: null } });
  });

  it('stock is told by GPU and data center', async () => {
    const query = `{ gpuTypes(input: { id: "NVIDIA A40" }) { displayName lowestPrice(input: { gpuCount: 1, secureCloud: true }) {
      uninterruptablePrice stockStatus } } dataCenters { id gpuAvailability { gpuTypeId stockStatus available } } }`;
    const { body } = await askGraphql(world, query);
    expect(body).toMatchObject({
      data: {
        gpuTypes: [{ displayName: 'A40', lowestPrice: { uninterruptablePrice: 0.4, stockStatus: 'High' } }],
        dataCenters: expect.arrayContaining([expect.objectContaining({ id: 'EU-RO-1' })]),
      },
    });
  });
});
