/** Lets more bytes of one stream be under way than ssh2 does by itself, whose 2 MiB a round trip are slow on a long line. */

/** Also what one stream may hold in memory when its reader is slow. */
const WINDOW_BYTES = 8 * 1024 * 1024;
/** ssh2 begins with this, and tops it up only when half of it is used. */
const BY_ITSELF_BYTES = 2 * 1024 * 1024;
const STEP_BYTES = 256 * 1024;

type Inside = {
  readonly incoming: { window: number };
  readonly outgoing: { readonly id: number };
  readonly _client: { readonly _protocol: { channelWindowAdjust(channel: number, bytes: number): void } };
};

/** ssh2 has no option for it; what is not as we know it is left alone. */
function insideOf(channel: object): Inside | null {
  const { incoming, outgoing, _client: client } = channel as Partial<Inside>;
  const known =
    typeof incoming?.window === 'number' &&
    typeof outgoing?.id === 'number' &&
    typeof client?._protocol?.channelWindowAdjust === 'function';
  return known ? { incoming, outgoing, _client: client } : null;
}

/**
 * Opens the window at once and gives back by itself what was read. The bytes on their way and those in memory stay
 * within the window together, so ssh2 never finds it low and never tops it up besides.
 */
export function widen(channel: { readonly destroyed: boolean }): (readBytes: number) => void {
  const inside = insideOf(channel);
  if (inside === null) return () => undefined;
  const grant = (bytes: number): void => {
    if (channel.destroyed) return;
    inside.incoming.window += bytes;
    inside._client._protocol.channelWindowAdjust(inside.outgoing.id, bytes);
  };
  grant(WINDOW_BYTES - BY_ITSELF_BYTES);
  let owed = 0;
  return (readBytes) => {
    owed += readBytes;
    if (owed < STEP_BYTES) return;
    grant(owed);
    owed = 0;
  };
}
