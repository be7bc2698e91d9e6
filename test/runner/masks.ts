/** What the log hides: every secret of the job, each of its lines, and the ways in which it may be encoded. */

export type Masks = {
  add(secret: string): void;
  apply(text: string): string;
};

function base64(bytes: Buffer): string {
  return bytes.toString('base64');
}

/** As the runner encodes a secret before it looks for it. (runner: HostContext, ValueEncoders) */
function encodings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    ...[0, 1, 2].filter((shift) => bytes.length > shift).map((shift) => base64(bytes.subarray(shift))),
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    secret.replaceAll("'", "''"),
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    ...(/^".+"$/s.test(secret) ? [secret.slice(1, -1)] : []),
  ];
}

export function createMasks(): Masks {
  const hidden = new Set<string>();
  const addOne = (text: string): void => {
    for (const each of encodings(text)) if (each !== '') hidden.add(each);
  };
  return {
    add(secret) {
      if (secret.trim() === '') return;
      addOne(secret);
      for (const line of secret.split(/[\r\n]+/)) addOne(line.trim());
    },
    apply(text) {
      const ranges: [number, number][] = [];
      for (const each of hidden)
        for (let at = text.indexOf(each); at >= 0; at = text.indexOf(each, at + 1))
          ranges.push([at, at + each.length]);
      ranges.sort(([left], [right]) => left - right);
      let masked = '';
      let done = 0;
      for (const [from, to] of ranges) {
        if (from > done || (from === 0 && done === 0)) masked += `${text.slice(done, from)}***`;
        done = Math.max(done, to);
      }
      return masked + text.slice(done);
    },
  };
}
