/** Serves one world of many pods, apart from whoever is measured against it. */

import { serveWorld } from '../src/world/serve.ts';
import { fleetBehaviour, fleetSeed } from '../test/fakes/fleet.ts';
import { sshPodHosts } from '../test/fakes/ssh-pod-hosts.ts';
import { answer, heard } from './child-side.ts';
import {
  NO_DISTANCE,
  type WorldAsk,
  type WorldCounts,
  type WorldPlace,
  type WorldStart,
} from './messages.ts';

const { fleet, publicLine } = await heard<WorldStart>();
let distance = NO_DISTANCE;
const hosts = sshPodHosts({
  now: Date.now,
  roundTripMs: () => distance.sshRoundTripMs,
  sampleSpacingMs: () => distance.sampleSpacingMs,
  behaves: (podId) => fleetBehaviour(podId, Date.now()),
});
const world = await serveWorld({ seed: fleetSeed(fleet, publicLine), podHosts: hosts });

async function react(asked: WorldAsk): Promise<void> {
  switch (asked.ask) {
    case 'distance': {
      distance = asked.distance;
      const { apiMs } = distance;
      world.setFaults(apiMs === 0 ? [] : [{ name: 'slow', ms: apiMs }]);
      return await answer({});
    }
    case 'counts': {
      const counts: WorldCounts = { connections: hosts.connections(), requests: world.requests().length };
      return await answer(counts);
    }
    case 'stop': {
      await world.stop();
      await hosts.close();
      await answer({});
      process.exit(0);
    }
  }
}

process.on('message', (asked: WorldAsk) => {
  react(asked).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
const place: WorldPlace = { restUrl: world.restUrl, graphqlUrl: world.graphqlUrl, apiKey: world.apiKey };
await answer(place);
