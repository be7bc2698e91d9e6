/** Looks for secrets, as they are and as they may be written otherwise, in whatever a run has left or shown. */

/** Something that others may see; `bytes` as latin1 or UTF-8 text. */
export type Exhibit = { readonly where: string; readonly text: string };

export type Secret = {
  readonly name: string;
  readonly bytes: Buffer;
  /** Where it belongs. */
  readonly allowed?: RegExp;
};

export type Leak = { readonly secret: string; readonly how: string; readonly where: string };

type Needle = readonly [how: string, text: string];

/** Shorter ones would be found by chance. */
const LEAST_BYTES = 12;

/** The middle of its base64, which stands whole in a longer text at that shift. */
function base64At(bytes: Buffer, shift: number): string {
  const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
  const spoiledAhead = shift === 0 ? 0 : 4;
  const spoiledBehind = (shift + bytes.length) % 3 === 0 ? 0 : 4;
  return encoded.slice(spoiledAhead, encoded.length - spoiledBehind);
}

function needlesOf(bytes: Buffer): readonly Needle[] {
  const text = bytes.toString('latin1');
  const base64 = [0, 1, 2].map((shift) => base64At(bytes, shift));
  const urlSafe = base64.map((each) => each.replaceAll('+', '-').replaceAll('/', '_'));
  const encoded = encodeURIComponent(bytes.toString('utf8'));
  const all: Needle[] = [
    ['plain', text],
    ['reversed', Array.from(text).reverse().join('')],
    ...[...base64, ...urlSafe].map((each): Needle => ['base64', each]),
    ...base64.map((each): Needle => ['url-encoded base64', encodeURIComponent(each)]),
    ['url-encoded', encoded],
    ['hex', bytes.toString('hex')],
  ];
  return all.filter(([, needle], at) => all.findIndex(([, other]) => other === needle) === at);
}

export function secretOf(name: string, value: string, allowed?: RegExp): Secret {
  const bytes = Buffer.from(value);
  if (bytes.length < LEAST_BYTES) throw new Error(`${name} is too short to be looked for`);
  return { name, bytes, ...(allowed === undefined ? {} : { allowed }) };
}

/** What alone is secret in an unencrypted ed25519 key of OpenSSH: its seed. The rest is in the public half too. */
export function seedOf(name: string, privateKey: string): Secret {
  const body = Buffer.from(privateKey.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  const at = body.lastIndexOf(Buffer.from([0, 0, 0, 64]));
  if (at < 0) throw new Error(`${name} is no ed25519 key of OpenSSH`);
  return { name, bytes: body.subarray(at + 4, at + 4 + 32) };
}

/** A key may be broken into lines, in a file or within JSON. */
function joined(text: string): string {
  return text.replace(/\\r|\\n|%0D|%0A|[\r\n]/gi, '');
}

/** One finding for each secret, way of writing and place. */
export function scan(exhibits: readonly Exhibit[], secrets: readonly Secret[]): Leak[] {
  const sought = secrets.map((secret) => ({ ...secret, needles: needlesOf(secret.bytes) }));
  const found = exhibits.flatMap(({ where, text }) => {
    const texts = [text, joined(text)];
    return sought
      .filter(({ allowed }) => allowed?.test(where) !== true)
      .flatMap(({ name, needles }) =>
        needles
          .filter(([, needle]) => texts.some((each) => each.includes(needle)))
          .map(([how]): [string, Leak] => [`${name} ${how} ${where}`, { secret: name, how, where }]),
      );
  });
  return [...new Map(found).values()];
}
