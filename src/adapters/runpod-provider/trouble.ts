/** What went wrong below HTTP, told apart by the one question that matters: did the request leave? */
import { z } from 'zod';

export type Trouble = {
  /**
   * `not-sent`: provably never left, may be repeated, even a create. `certificate`, `proxy`: never left and will not
   * by trying again. `no-answer`, `timed-out`: it left and nothing trustworthy came back. `too-large`: not read to the end.
   */
  readonly kind: 'not-sent' | 'certificate' | 'proxy' | 'no-answer' | 'timed-out' | 'too-large';
  /** Code and, where known, each address that was tried. */
  readonly words: string;
  readonly cause: unknown;
};

const NOT_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EAI_NODATA',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const CERTIFICATE =
  /^(?:SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w+|CERT_\w+|ERR_TLS_CERT_\w+|HOSTNAME_MISMATCH|UND_ERR_PRX_TLS)$/;

const TIMED_OUT: ReadonlySet<string> = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

const systemError = z.object({
  code: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  syscall: z.string().optional().catch(undefined),
  address: z.string().optional().catch(undefined),
  port: z.number().optional().catch(undefined),
  hostname: z.string().optional().catch(undefined),
});
type SystemError = z.infer<typeof systemError>;

const read = (error: unknown): SystemError => systemError.safeParse(error).data ?? {};

function wordsOf({ code, name, address, port, hostname }: SystemError): string {
  const place = address === undefined ? hostname : port === undefined ? address : `${address} port ${port}`;
  const what = code ?? name ?? 'unknown error';
  return place === undefined ? what : `${what} at ${place}`;
}

/** Node ends several failed addresses in an error with an empty message and the code of the first one only. */
function partsOf(error: unknown): readonly SystemError[] {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(read);
  return [read(error)];
}

function kindOf(error: SystemError): Trouble['kind'] {
  const code = error.code ?? '';
  const message = error.message ?? '';
  if (CERTIFICATE.test(code)) return 'certificate';
  if (/^Proxy response|Proxy Authentication Required/.test(message)) return 'proxy';
  if (NOT_SENT.has(code)) return 'not-sent';
  // A connect that ran out of time, or a reset before the TLS handshake was done, carried no request.
  if (error.syscall === 'connect' || /before secure TLS connection/.test(message)) return 'not-sent';
  if (TIMED_OUT.has(code) || error.name === 'TimeoutError') return 'timed-out';
  return 'no-answer';
}

/** "Not sent" only if that holds for every address. */
export function troubleOf(error: unknown): Trouble {
  const parts = partsOf(error);
  const kinds = new Set(parts.map(kindOf));
  const kind = (['no-answer', 'timed-out', 'certificate', 'proxy', 'not-sent'] as const).find((one) =>
    kinds.has(one),
  );
  return { kind: kind ?? 'no-answer', words: [...new Set(parts.map(wordsOf))].join(', '), cause: error };
}

/** Proxies answer in words only; the number is all that is worth telling. */
export function proxyWords(trouble: Trouble): string {
  const status = /\((\d{3})\)/.exec(read(trouble.cause).message ?? '')?.[1];
  return status === undefined ? 'the proxy refused' : `the proxy answered ${status}`;
}
