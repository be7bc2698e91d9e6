/** JSON as it lies in the branch: sorted keys, two spaces, a final newline, and nobody's unknown field lost. */

type Plain = Readonly<Record<string, unknown>>;

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isPlain(value)) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

/** The same value gives the same bytes, whoever writes it. */
export function stableText(value: unknown): string {
  return `${JSON.stringify(sorted(value), null, 2)}\n`;
}

/** One row of a `.jsonl` file. */
export function stableLine(value: unknown): string {
  return `${JSON.stringify(sorted(value))}\n`;
}

/** Deeper than anything of ours; what lies deeper would break whoever walks it. */
const MOST_DEPTH = 64;
const QUOTE = '"';

/** Where the text that begins at `from` with a quote ends. */
function endOfText(text: string, from: number): number {
  for (let at = text.indexOf(QUOTE, from + 1); at >= 0; at = text.indexOf(QUOTE, at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

const NAMES = /["{}[\]]/g;
const COLON = /\s*:/y;

/**
 * What JSON.parse does not mind: too deep, or a name twice in one object, as after a merge by hand, where each reader
 * may believe another one of the two.
 */
function oddity(text: string): string | null {
  const open: (Set<string> | null)[] = [];
  NAMES.lastIndex = 0;
  for (let token = NAMES.exec(text); token !== null; token = NAMES.exec(text)) {
    const [sign] = token;
    if (sign === '{' || sign === '[') {
      if (open.push(sign === '{' ? new Set() : null) > MOST_DEPTH) return `nested deeper than ${MOST_DEPTH}`;
    } else if (sign === '}' || sign === ']') open.pop();
    else {
      const end = endOfText(text, token.index);
      NAMES.lastIndex = end + 1;
      COLON.lastIndex = end + 1;
      const names = open.at(-1);
      if (names === undefined || names === null || !COLON.test(text)) continue;
      const raw = text.slice(token.index + 1, end);
      const name = raw.includes('\\') ? unescaped(raw) : raw;
      if (names.has(name)) return `says ${name.slice(0, 40)} twice`;
      names.add(name);
    }
  }
  return null;
}

function unescaped(raw: string): string {
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    return raw;
  }
}

/** The value, or what is wrong with the text. */
export function parseJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  const problem = oddity(text);
  if (problem !== null) return { problem };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: 'not JSON' };
  }
}

/**
 * `next` with the fields that a newer podtrack wrote into `raw` and this one does not know.
 * `known` is what this podtrack made of `raw`; `replaced` names objects that are exchanged as a whole, so that
 * a stranger's field does not move from an old fence or owner to a new one.
 */
export function carryUnknown(
  raw: unknown,
  known: unknown,
  next: unknown,
  replaced: ReadonlySet<string> = new Set(),
): unknown {
  if (!isPlain(raw) || !isPlain(known) || !isPlain(next)) return next;
  const kept = Object.entries(next).map(([key, value]) => {
    const exchanged = replaced.has(key) && stableLine(value) !== stableLine(known[key]);
    return [key, exchanged ? value : carryUnknown(raw[key], known[key], value)] as const;
  });
  const unknown = Object.entries(raw).filter(
    ([key]) => !Object.hasOwn(known, key) && !Object.hasOwn(next, key),
  );
  return Object.fromEntries([...kept, ...unknown]);
}
