/** Workflow commands: `::name key=value::data` at the begin of a line, and `##[name key=value]data` anywhere in it. */

export type Command = {
  readonly name: string;
  readonly properties: ReadonlyMap<string, string>;
  readonly data: string;
};

/** Names that the runner registers; a line with another one is plain text. */
const KNOWN = new Set(
  'add-mask debug error warning notice group endgroup echo stop-commands add-matcher remove-matcher set-output save-state set-env add-path'.split(
    ' ',
  ),
);

const DATA: readonly [string, string][] = [
  ['%0D', '\r'],
  ['%0A', '\n'],
  ['%25', '%'],
];
const PROPERTY: readonly [string, string][] = [
  ['%0D', '\r'],
  ['%0A', '\n'],
  ['%3A', ':'],
  ['%2C', ','],
  ['%25', '%'],
];
const BRACKET: readonly [string, string][] = [
  ['%3B', ';'],
  ['%0D', '\r'],
  ['%0A', '\n'],
  ['%5D', ']'],
  ['%25', '%'],
];

function unescaped(text: string, pairs: readonly [string, string][]): string {
  return pairs.reduce((so, [from, to]) => so.replaceAll(from, to), text);
}

function commandOf(
  head: string,
  data: string,
  form: { separator: string; data: readonly [string, string][]; property: readonly [string, string][] },
): Command | null {
  const blank = head.indexOf(' ');
  const name = (blank < 0 ? head : head.slice(0, blank)).toLowerCase();
  if (!KNOWN.has(name)) return null;
  const properties = (blank < 0 ? '' : head.slice(blank + 1).trim())
    .split(form.separator)
    .map((pair) => /^([^=]+)=(.+)$/s.exec(pair))
    .flatMap((match) =>
      match === null ? [] : [[match[1] ?? '', unescaped(match[2] ?? '', form.property)] as const],
    );
  return { name, properties: new Map(properties), data: unescaped(data, form.data) };
}

/** null = a line of the log like any other. (runner: ActionCommand.TryParseV2, TryParse) */
export function commandIn(line: string): Command | null {
  const colons = /^::(.*?)::(.*)$/s.exec(line.trimStart());
  if (colons !== null) {
    const found = commandOf(colons[1] ?? '', colons[2] ?? '', {
      separator: ',',
      data: DATA,
      property: PROPERTY,
    });
    if (found !== null) return found;
  }
  const brackets = /##\[(.*?)\](.*)$/s.exec(line);
  if (brackets === null) return null;
  return commandOf(brackets[1] ?? '', brackets[2] ?? '', {
    separator: ';',
    data: BRACKET,
    property: BRACKET,
  });
}
