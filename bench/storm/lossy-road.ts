/** A road to a server on which answers get lost: the server has done its work, and the asker never hears of it. */
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Road = {
  readonly origin: string;
  readonly counts: { asked: number; lost: number };
  close(): Promise<void>;
};

/** A small generator with a seed, so that a run can be told again (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Forwards everything to `to`; a share of the answers is cut off. */
export async function lossyRoad(to: URL, share: number, random: () => number): Promise<Road> {
  const counts = { asked: 0, lost: 0 };
  const server = createServer((incoming, outgoing) => {
    counts.asked += 1;
    const { method, url: path, headers } = incoming;
    const options = { host: to.hostname, port: to.port, method, path, headers };
    const onward = send(options, (answer) => {
      if (random() < share) {
        counts.lost += 1;
        answer.resume();
        answer.once('end', () => outgoing.destroy());
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.once('error', () => outgoing.destroy());
    // Who asked may be dead by now; what he asked for is done all the same, as on a real road.
    incoming.once('error', () => onward.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
