/** Puts distance between two sockets: every byte arrives half a round trip late, in order, in both directions. */
import { connect, type Socket } from 'node:net';

function carry(from: Socket, to: Socket, lateMs: number): void {
  // Node fires timers of one length in the order in which they were set, so nothing overtakes.
  const later = (act: () => void): void => {
    setTimeout(act, lateMs);
  };
  from.on('data', (chunk) => later(() => to.write(chunk)));
  from.on('end', () => later(() => to.end()));
  from.on('close', () => later(() => to.destroy()));
  from.on('error', () => from.destroy());
}

/** Joins `near` to a port of this machine as if that port were far away. */
export function joinFarAway(near: Socket, port: number, roundTripMs: number): void {
  const far = connect({ host: '127.0.0.1', port, noDelay: true });
  carry(near, far, roundTripMs / 2);
  carry(far, near, roundTripMs / 2);
}
