/** Heads of a tar stream that can only be read in one way; whoever meets another leaves it to the library. */

export const BLOCK_BYTES = 512;

export type PlainHead = {
  /** `extra` tells the name of the member behind it; it is none itself. */
  readonly kind: 'file' | 'link' | 'extra';
  /** Of the content that follows. */
  readonly size: number;
  readonly mode: number;
  /** Epoch seconds. */
  readonly modifiedS: number;
  /** Where the name ends in the head; it begins with the head. Null = it is not in the head alone. */
  readonly nameEnd: number | null;
};

const KINDS: Readonly<Record<string, PlainHead['kind']>> = {
  '\0': 'file',
  '0': 'file',
  '1': 'link',
  L: 'extra',
  K: 'extra',
};
const ZEROS = Buffer.alloc(BLOCK_BYTES);
const NAME_BYTES = 100;
/** Longer names than any disk has are the library's to judge. */
const MAX_EXTRA_BYTES = 8192;
const SLASH = 47;
const AT = { mode: 100, size: 124, modified: 136, sum: 148, kind: 156, magic: 257, prefix: 345 } as const;

/** Octal digits up to a NUL or a blank; -1 for anything else. */
function octal(block: Buffer, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at += 1) {
    const digit = (block[at] ?? 0) - 48;
    if (digit < 0 && at > start && (digit === -48 || digit === -16)) return value;
    if (digit < 0 || digit > 7) return -1;
    value = value * 8 + digit;
  }
  return value;
}

function sumOf(block: Buffer): number {
  // The sum's own field counts as blanks.
  let sum = 8 * 32;
  for (let at = 0; at < AT.sum; at += 1) sum += block[at] ?? 0;
  for (let at = AT.kind; at < BLOCK_BYTES; at += 1) sum += block[at] ?? 0;
  return sum;
}

/** Marks an end; xargs starts tar more than once, and another archive may follow. */
export function isZero(block: Buffer): boolean {
  return ZEROS.equals(block);
}

/** Null for whatever is not as GNU's or BusyBox's tar writes a regular file, a hard link or a long name. */
export function plainHead(block: Buffer): PlainHead | null {
  const kind = KINDS[String.fromCharCode(block[AT.kind] ?? 0)];
  const magic = block.toString('latin1', AT.magic, AT.magic + 8);
  const isPosix = magic === 'ustar\x0000';
  if (kind === undefined || (!isPosix && magic !== 'ustar  \0')) return null;
  const mode = octal(block, AT.mode, AT.mode + 8);
  const size = octal(block, AT.size, AT.size + 12);
  const modifiedS = octal(block, AT.modified, AT.modified + 12);
  if (mode < 0 || size < 0 || modifiedS < 0 || octal(block, AT.sum, AT.sum + 8) !== sumOf(block)) return null;
  if ((kind === 'link' && size > 0) || (kind === 'extra' && (size === 0 || size > MAX_EXTRA_BYTES)))
    return null;
  const zero = block.indexOf(0);
  const end = zero < 0 || zero > NAME_BYTES ? NAME_BYTES : zero;
  // A file that ends like a folder is one to the library.
  if (kind === 'file' && end > 0 && block[end - 1] === SLASH) return null;
  const inPrefix = isPosix && block[AT.prefix] !== 0;
  return { kind, size, mode, modifiedS, nameEnd: inPrefix ? null : end };
}
