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

function isDeep(text: string): boolean {
  let [depth, quoted] = [0, false];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (quoted) {
      if (char === '\\') at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{' || char === '[') {
      depth += 1;
      if (depth > MOST_DEPTH) return true;
    } else if (char === '}' || char === ']') depth -= 1;
  }
  return false;
}

/** The value, or what is wrong with the text. */
export function parseJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  if (isDeep(text)) return { problem: `nested deeper than ${MOST_DEPTH}` };
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
