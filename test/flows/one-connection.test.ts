/** One SSH connection per pod and cycle, counted at the pods' own doors, for a fleet larger than the limit of logins. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryHost, memoryRegistry } from '../../src/adapters/memory-registry.ts';
import { nodeChance } from '../../src/adapters/node-chance.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { reap } from '../../src/flows/reap.ts';
import type { Clock } from '../../src/ports.ts';
import { makeOpensshKey } from '../../src/world/pods/openssh-key.ts';
import { serveWorld, type WorldHandle } from '../../src/world/serve.ts';
import { enterFleet, fleetBehaviour, fleetReap, fleetSeed, fleetWorld } from '../fakes/fleet.ts';
import { type SshPodHosts, sshPodHosts } from '../fakes/ssh-pod-hosts.ts';

const FLEET = { healthy: 40, idle: 5, expired: 5 };
const minutes = (count: number): number => count * 60_000;

describe('a fleet of 50 pods over real SSH', () => {
  let folder: string;
  let hosts: SshPodHosts;
  let served: WorldHandle;
  const host = memoryHost();
  const key = makeOpensshKey('reaper');

  /** A reaper of its own, as each cycle of a schedule is; its clock reads `shiftMs` before now. */
  const reaperAt = (shiftMs: number) => {
    const real = systemClock();
    const clock: Clock = { ...real, now: () => real.now() - shiftMs };
    const { restUrl, graphqlUrl, apiKey } = served;
    const registry = memoryRegistry({ clock, chance: nodeChance(), repository: null, host });
    const mirrorRoot = join(folder, 'mirrors');
    return fleetWorld({
      restUrl,
      graphqlUrl,
      apiKey,
      privateKey: key.privateKey,
      mirrorRoot,
      clock,
      registry,
    });
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'podtrack-fleet-'));
    hosts = sshPodHosts({
      now: Date.now,
      roundTripMs: () => 0,
      sampleSpacingMs: () => 0,
      behaves: (podId) => fleetBehaviour(podId, Date.now()),
    });
    served = await serveWorld({ seed: fleetSeed(FLEET, key.publicLine), podHosts: hosts });
    await enterFleet(reaperAt(minutes(30)));
  });

  afterAll(async () => {
    await served.stop();
    await hosts.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('costs one connection per pod in each cycle, whether pods are petted, mirrored or ended', async () => {
    const told: object[] = [];
    for (const shiftMs of [minutes(28), minutes(12), 0]) {
      const before = hosts.connections();
      const { outcomes } = await reap(reaperAt(shiftMs), fleetReap());
      expect(outcomes.filter(({ kind }) => kind !== 'done')).toEqual([]);
      const of = (wanted: string) =>
        outcomes.filter(({ order, reason }) => [order, reason].includes(wanted)).length;
      told.push({
        connections: hosts.connections() - before,
        petted: of('pet'),
        mirrored: of('mirror'),
        ended: [of('idle'), of('owner-deadline')],
      });
    }
    const calm = { connections: 50, petted: 50, mirrored: 50, ended: [0, 0] };
    expect(told).toEqual([calm, calm, { connections: 50, petted: 40, mirrored: 40, ended: [5, 5] }]);
  }, 60_000);
});
