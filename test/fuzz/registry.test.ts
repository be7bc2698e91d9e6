/** Registries with anything in them, read and judged: no wrong kill, no escape, no crash without a name. */
import { posix } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type MemoryHost, memoryHost, memoryRegistry } from '../../src/adapters/memory-registry.ts';
import { nodeChance } from '../../src/adapters/node-chance.ts';
import { ConfigError, Refusal, WorldError } from '../../src/domain/errors.ts';
import { seen } from '../../src/domain/part.ts';
import type { PodRecord } from '../../src/domain/pod.ts';
import { podKey } from '../../src/domain/pod.ts';
import { type Looked, type Plan, plan } from '../../src/domain/policy/plan.ts';
import { reconcile } from '../../src/domain/policy/reconcile.ts';
import { replayVerdict } from '../../src/domain/policy/replay.ts';
import type { ProviderPod } from '../../src/domain/provider-pod.ts';
import { documentOf } from '../../src/domain/registry/document.ts';
import { eventsOf } from '../../src/domain/registry/events.ts';
import { allRecords } from '../../src/domain/registry/state.ts';
import { NO_SIGHTINGS } from '../../src/domain/registry/sweep.ts';
import { explain } from '../../src/domain/report/explain.ts';
import { DEFAULT_RULES } from '../../src/domain/rules.ts';
import { reap } from '../../src/flows/reap.ts';
import type { Snapshot } from '../../src/ports.ts';
import { anObservation, aPod, aRecord, minutes, NOW } from '../domain/build.ts';
import { register, settle } from '../domain/registry/record-maker.ts';
import { cycles, ended, ours, put, reapOptions, stage } from '../flows/stage.ts';
import { type Spoiling, saysOurs, spoil, spoilings } from './hostile-registry.ts';
import { rounds, Tally, tell } from './runs.ts';

const tally = new Tally();
afterAll(() => tell('registries', tally.counts));

const clock = { now: () => NOW, sleep: async () => undefined };
const storeOf = (host: MemoryHost) => memoryRegistry({ clock, chance: nodeChance(), repository: null, host });

/** Three pods of ours and four that are nobody's, all long idle. `A` looks like `a`. */
const FOREIGN = ['foreign1', 'A', 'a-', 'nobody'];
const SHOWN: readonly ProviderPod[] = ['a', 'b', 'c', ...FOREIGN].map((id, index) =>
  aPod({ id, name: id, createdAt: NOW - minutes(120 + 10 * index) }),
);
const shownOf = (id: string): ProviderPod => SHOWN.find((pod) => pod.id === id) ?? aPod({ id });

async function aRegistry(): Promise<MemoryHost> {
  const host = memoryHost();
  const store = storeOf(host);
  const record = (id: string): PodRecord =>
    aRecord({ id, name: id, createdAt: shownOf(id).createdAt, status: 'active' });
  await store.submit([register('a', { record: record('a') })]);
  await store.submit(['b', 'c'].map((id) => register(id, { record: record(id) })));
  await store.submit([settle('a', { note: 'seen' })]);
  const { sweep, version } = await store.read();
  const idle = { ...NO_SIGHTINGS, idle: { count: 3, firstAt: NOW - minutes(20), lastAt: NOW - minutes(5) } };
  const pods = Object.fromEntries(['a', 'b', 'c', ...FOREIGN].map((id) => [`runpod.${id}`, idle]));
  await store.saveSweep({ ...sweep, registryTip: version, pods });
  return host;
}

/** The answer, or the error where it has a name of ours; any other is a crash. */
async function named<T>(work: () => Promise<T> | T): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof WorldError || error instanceof ConfigError || error instanceof Refusal) return null;
    throw error;
  }
}

function planned({ state, sweep, caution }: Snapshot): Plan {
  const reconciled = reconcile(state, SHOWN);
  const shown = new Map(reconciled.ours.map(({ record, pod }) => [podKey(record), pod]));
  const live = allRecords(state).filter(({ status }) => status === 'active' || status === 'terminating');
  const looked = live.map((record): Looked => {
    const pod = shown.get(podKey(record));
    const provider =
      pod === undefined
        ? ({ kind: 'absent', listedAway: seen(true as const) } as const)
        : ({ kind: 'present', pod } as const);
    return { record, observation: anObservation({ provider }) };
  });
  // Doubts of the whole registry would only put kills to rest, and hide a wrong one.
  const cautions = caution.filter(({ code }) => code === 'foreign-repository');
  return plan({
    state,
    reconciled,
    looked,
    strays: [],
    sweep,
    rules: { ...DEFAULT_RULES, maxKills: 99 },
    now: NOW,
    cautions,
    ownNetworkWorks: true,
    account: 'user_1',
  });
}

const killsOf = ({ pods }: Plan): readonly string[] =>
  pods
    .filter(
      ({ orders, observation }) =>
        observation.provider.kind === 'present' && orders.some(({ kind }) => kind === 'teardown'),
    )
    .map(({ record }) => record.id);

const ROOT = '/mirror/root';
const inRoot = (id: string): boolean => posix.join(ROOT, id).startsWith(`${ROOT}/`) && !id.includes('/');
const FILE =
  /^(?:meta\.json|README\.md|\.gitattributes|pods\/[0-9a-f]{2}\/runpod\.[A-Za-z0-9][A-Za-z0-9_-]{0,62}\.json|ledger\/\d{4,6}\/\d{2}\/\d{2}\.jsonl)$/;

/** Everything that reads a registry for people, on one that may say anything. */
function tellAll({ state, sweep }: Snapshot): void {
  for (const record of allRecords(state)) {
    explain(record, sweep.pods[podKey(record)] ?? null, NOW);
    if (record.lastVerdict !== null) replayVerdict(record, record.lastVerdict);
  }
  JSON.stringify(documentOf(state, new Map([['ledger/2026/03/03.jsonl', '{]\n{"a":1}\n']]), NOW));
}

async function attack(host: MemoryHost, spoiled: readonly Spoiling[]): Promise<void> {
  spoil(host, spoiled);
  for (const { kind } of spoiled) tally.add(`× ${kind}`);
  const before = new Map(host.commits.at(-1)?.files);
  const store = storeOf(host);
  const snapshot = await named(() => store.read());
  tally.add(
    snapshot === null ? 'refused with a name' : snapshot.caution.length > 0 ? 'read with a caution' : 'read',
  );
  eventsOf(await store.history({ limit: 99 }).catch(() => []));
  if (snapshot === null) return;
  const of = planned(snapshot);
  for (const id of killsOf(of)) {
    const isOurs = saysOurs(host, shownOf(id));
    tally.add(isOurs ? 'ends of pods of ours' : 'WRONG KILLS');
    expect([id, isOurs]).toEqual([id, true]);
  }
  expect(of.strays).toEqual([]);
  for (const { record } of of.pods) expect([record.id, inRoot(record.id)]).toEqual([record.id, true]);
  tellAll(snapshot);
  await named(() =>
    store.submit([
      settle('a', { note: 'after', actor: { kind: 'reaper', uuid: 'r', label: null, run: null } }),
    ]),
  );
  const after = host.commits.at(-1)?.files ?? new Map<string, string>();
  const written = [...after].filter(([path, text]) => before.get(path) !== text).map(([path]) => path);
  expect(written.filter((path) => !FILE.test(path))).toEqual([]);
}

describe('a registry that says anything', () => {
  it('ends no pod that it does not validly say is ours, and writes nowhere else', {
    timeout: 600_000,
  }, async () => {
    const clean = await aRegistry();
    expect(killsOf(planned(await storeOf({ ...clean }).read()))).toEqual(['a', 'b', 'c']);
    await fc.assert(
      fc.asyncProperty(spoilings, async (spoiled) => await attack({ ...clean }, spoiled)),
      { numRuns: rounds(400, 20_000) },
    );
  });

  it('in a whole cycle reaches no other host and ends no foreign pod', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(spoilings, async (spoiled) => {
        const on = stage();
        for (const id of ['a', 'b']) await ours(on, id);
        for (const id of FOREIGN) put(on, id);
        await cycles(on, 3);
        spoil(on.host, spoiled);
        const shown = new Map([...on.provider.pods].map(([id, pod]) => [id, pod]));
        const reached: string[] = [];
        const pulled: unknown[] = [];
        const { shell, mirror } = on.world;
        const world = {
          ...on.world,
          registry: memoryRegistry({
            clock: on.clock,
            chance: nodeChance(),
            repository: null,
            host: on.host,
          }),
          shell: {
            ...shell,
            open: (target: Parameters<typeof shell.open>[0]) => {
              reached.push(JSON.stringify(target.address));
              return shell.open(target);
            },
          },
          mirror: {
            ...mirror,
            pull: (...call: Parameters<typeof mirror.pull>) => {
              pulled.push(call[1].localPath);
              return mirror.pull(...call);
            },
          },
        };
        on.clock.jump(minutes(30));
        const cycle = await named(() => reap(world, reapOptions()));
        tally.add(cycle === null ? 'cycles refused with a name' : 'cycles');
        for (const id of ended(on)) {
          const pod = shown.get(id);
          expect([id, pod !== undefined && saysOurs(on.host, pod)]).toEqual([id, true]);
        }
        const known = [...shown.values()].map(({ ssh }) =>
          ssh.kind === 'seen' ? JSON.stringify(ssh.value) : '',
        );
        expect(reached.filter((address) => !known.includes(address))).toEqual([]);
        expect(pulled.filter((path) => path !== null)).toEqual([]);
      }),
      { numRuns: rounds(60, 1500) },
    );
  });
});
