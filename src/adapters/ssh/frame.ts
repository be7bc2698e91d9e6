/** The frame around every answer of a pod: what stands outside it (banners, motd, rc noise) is never taken for an answer. */

/**
 * Run by whatever login shell the user has, so it is one line without single quotes. It takes exactly the script
 * from stdin and leaves the rest of stdin to the script: each `dd` asks for what is missing and no more, and may get
 * less (byte by byte would cost the pod two calls into its kernel per character). Both streams are framed: the end
 * of the answer is seen at once, even when a process left behind keeps the channel open.
 */
const BOOTSTRAP = [
  'IFS= read -r t && IFS= read -r n || exit 97',
  `s=; while [ "\${#s}" -lt "$n" ]`,
  `do c=$(dd bs="$((n-\${#s}))" count=1 2>/dev/null; echo x); c="\${c%x}"`,
  '[ -n "$c" ] || exit 97; s="$s$c"; done',
  'printf "\\n%s begin\\n" "$t"; printf "\\n%s begin\\n" "$t" >&2',
  '(eval "$s"); r=$?',
  'printf "\\n%s end %s\\n" "$t" "$r"; printf "\\n%s end %s\\n" "$t" "$r" >&2',
].join('; ');

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The command to execute; arguments are visible on the pod and never secret. */
export function bootstrapCommand(args: readonly string[]): string {
  return ['sh', '-c', quoted(BOOTSTRAP), 'podtrack', ...args.map(quoted)].join(' ');
}

/**
 * What goes over stdin: the token, the script's length, the script, then the script's own input. Scripts are ASCII:
 * shells count the letters of the rest in bytes or in characters as they please.
 */
export function request(token: string, script: string, stdin: Uint8Array | string): Buffer {
  const text = Buffer.from(script, 'utf8');
  if (text.length !== script.length) throw new Error('on-pod scripts are ASCII only');
  return Buffer.concat([Buffer.from(`${token}\n${text.length}\n`), text, Buffer.from(stdin)]);
}

/** Takes a stream apart, chunk by chunk. */
export type FrameReader = {
  /** The payload that this chunk completes; may be empty. */
  push(chunk: Buffer): Buffer;
  /** The exit code once the frame is closed, else null. */
  exitCode(): number | null;
  begun(): boolean;
  /** The first bytes outside the frame, for error texts. */
  noise(): string;
};

/** How many of the last bytes may be the beginning of `mark`, which begins with a newline. */
function heldBack(bytes: Buffer, mark: Buffer): number {
  const from = Math.max(0, bytes.length - mark.length + 1);
  for (let at = bytes.indexOf(10, from); at >= 0; at = bytes.indexOf(10, at + 1)) {
    if (bytes.compare(mark, 0, bytes.length - at, at) === 0) return bytes.length - at;
  }
  return 0;
}

const EMPTY = Buffer.alloc(0);
const NOISE_LIMIT = 400;
const MAX_EXIT_DIGITS = 3;

export function frameReader(token: string): FrameReader {
  const begin = Buffer.from(`\n${token} begin\n`);
  const end = Buffer.from(`\n${token} end `);
  let state: 'before' | 'inside' | 'ending' | 'after' = 'before';
  // A frame line may be the very first thing on the stream.
  let held: Buffer = Buffer.alloc(0);
  let noise = '';
  let code: number | null = null;

  const findBegin = (): void => {
    const at = held.indexOf(begin);
    const outside = at < 0 ? held.subarray(0, Math.max(0, held.length - begin.length)) : held.subarray(0, at);
    if (noise.length < NOISE_LIMIT) noise += outside.toString('latin1').slice(0, NOISE_LIMIT);
    held = at < 0 ? held.subarray(outside.length) : held.subarray(at + begin.length);
    if (at >= 0) state = 'inside';
  };

  const findEnd = (): Buffer => {
    const at = held.indexOf(end);
    // Nearly always nothing is held back, and the next chunk needs no copy.
    const payload = held.subarray(0, at < 0 ? held.length - heldBack(held, end) : at);
    held = at < 0 ? held.subarray(payload.length) : held.subarray(at + end.length);
    if (at >= 0) state = 'ending';
    return payload;
  };

  const readCode = (): void => {
    const line = held.indexOf(10);
    if (line < 0 && held.length <= MAX_EXIT_DIGITS) return;
    const text = held.subarray(0, Math.max(0, line)).toString('latin1');
    if (/^\d{1,3}$/.test(text)) code = Number(text);
    state = 'after';
  };

  return {
    push(chunk) {
      if (state === 'after') return EMPTY;
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      if (state === 'before') findBegin();
      const payload = state === 'inside' ? findEnd() : EMPTY;
      if (state === 'ending') readCode();
      return payload;
    },
    exitCode: () => code,
    begun: () => state !== 'before',
    noise: () => noise + (state === 'before' ? held.toString('latin1').slice(0, NOISE_LIMIT) : ''),
  };
}
