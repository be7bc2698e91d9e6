/** Puts distance in front of a port, in a process of its own so that nobody measured pays for it. */
import { createServer } from 'node:net';
import { joinFarAway } from '../test/fakes/far-away.ts';
import type { RelayStart } from './messages.ts';

process.once('message', ({ port, roundTripMs }: RelayStart) => {
  const server = createServer({ noDelay: true }, (socket) => joinFarAway(socket, port, roundTripMs));
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.({ port: address === null || typeof address === 'string' ? 0 : address.port });
  });
  process.once('message', () => process.exit(0));
});
