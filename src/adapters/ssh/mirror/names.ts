/** File names of a pod: any bytes there, a text here, and back without loss; and which names are refused. */

const MAX_PART_BYTES = 255;
const MAX_PATH_BYTES = 4096;
/** A byte that is no UTF-8 stands as this plus the byte: a lone surrogate, which no valid text contains. */
const ESCAPE = 0xdc00;
const ESCAPED = /[\udc80-\udcff]/u;

/** Parts that begin with a letter or digit and hold nothing odd: most names of most pods. */
const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9_.+=-]*(?:\/[A-Za-z0-9_][A-Za-z0-9_.+=-]*)*$/;

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

/** The name that stands for these bytes, or for those from `start` to `end`; different bytes give different names. */
export function nameOf(all: Buffer, start = 0, end = all.length): string {
  const text = all.toString('utf8', start, end);
  if (!text.includes('\ufffd')) return text;
  const bytes = all.subarray(start, end);
  if (Buffer.from(text).equals(bytes)) return text;
  let name = '';
  for (let at = 0; at < bytes.length; ) {
    const part = bytes.subarray(at, at + sequenceLength(bytes[at] ?? 0));
    const piece = part.toString('utf8');
    const valid = Buffer.from(piece).equals(part);
    name += valid ? piece : String.fromCharCode(ESCAPE + (bytes[at] ?? 0));
    at += valid ? part.length : 1;
  }
  return name;
}

export function bytesOf(name: string): Buffer {
  if (!ESCAPED.test(name)) return Buffer.from(name);
  const parts = Array.from(name, (letter) =>
    ESCAPED.test(letter) ? Buffer.from([letter.charCodeAt(0) - ESCAPE]) : Buffer.from(letter),
  );
  return Buffer.concat(parts);
}

/** All of them, one behind the other; nearly always they are text and become bytes at once. */
export function allBytesOf(names: readonly string[]): Buffer {
  const text = names.join('');
  return ESCAPED.test(text) ? Buffer.concat(names.map(bytesOf)) : Buffer.from(text);
}

/** Where a plain `name` lies below `folder`; as bytes when no text can say it. */
export function placeOf(folder: string, name: string): string | Buffer {
  const place = `${folder}/${name}`;
  return ESCAPED.test(name) ? Buffer.concat([Buffer.from(`${folder}/`), bytesOf(name)]) : place;
}

/** Names arrive as `./a/b`, because a leading dash must not look like an option. */
export function withoutDot(name: string): string {
  return name.startsWith('./') ? name.slice(2) : name;
}

/** Whether the name tries to leave the folder that it is given for. */
export function escapes(name: string): boolean {
  return name.startsWith('/') || name.split('/').includes('..');
}

/** Why nothing may be written under this name; null = it is a plain path below the target. */
export function nameFault(name: string): string | null {
  if (name.startsWith('/')) return 'an absolute path';
  if (name.length <= MAX_PART_BYTES && PLAIN.test(name)) return null;
  const parts = name.split('/');
  if (parts.includes('..')) return 'a path that leads out of the target';
  if (parts.some((part) => part === '' || part === '.')) return 'a path with empty parts';
  if (name.includes('\0')) return 'a name with a zero byte';
  const tooLong = parts.some((part) => bytesOf(part).length > MAX_PART_BYTES);
  return tooLong || bytesOf(name).length > MAX_PATH_BYTES ? 'a name too long for this disk' : null;
}

/** Folders above a name, outermost first: `a/b/c` → `a`, `a/b`. */
export function foldersOf(name: string): string[] {
  const parts = name.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
