/** Tells the demo: plain sentences at the width of the terminal, or the same as one JSON event per line. */
import pc from 'picocolors';

export type Facts = Readonly<Record<string, string | number | boolean | null>>;

export type Teller = {
  readonly json: boolean;
  readonly out: { write(text: string): unknown };
  readonly colour: boolean;
  /** Columns of the terminal. */
  readonly width: number;
  readonly now: () => number;
};

export interface Narrator {
  /** A new act: what happens in it, and why. */
  act(title: string, why: string): void;
  /** Something that happened; `pod` names whose it is. */
  tell(says: string, facts?: Facts, pod?: string): void;
  /** A promise of the demo, kept or not. */
  check(isKept: boolean, says: string, facts?: Facts): void;
  /** What another program printed, as it is. */
  quote(command: string, lines: readonly string[]): void;
}

/** The whole telling, with its sum and its last words. */
export interface Chronicle extends Narrator {
  /** The exit code goes with them. */
  end(says: string, exitCode: number, facts?: Facts): void;
  readonly kept: number;
  /** The promises that were not kept. */
  readonly broken: readonly string[];
}

const INDENT = '   ';
const POD_COLUMN = 9;

/** Breaks at spaces so that no line is longer than `width`, unless one word is. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

type Telling = Omit<Chronicle, 'kept' | 'broken' | 'check'> & {
  promise(isKept: boolean, says: string, facts: Facts): void;
};

function textTelling({ out, width: columns, colour }: Teller): Telling {
  const width = Math.max(40, Math.min(columns, 100));
  const { bold, dim, green, red, cyan } = pc.createColors(colour);
  let acts = 0;
  /** `lead` stands before the first line and as blanks before the others; it is counted without its colours. */
  const write = (lead: string, text: string, paint: (lead: string) => string = (plain) => plain): void => {
    const [first = '', ...rest] = wrap(text, width - lead.length);
    const lines = [paint(lead) + first, ...rest.map((line) => ' '.repeat(lead.length) + line)];
    out.write(`${lines.join('\n')}\n`);
  };
  return {
    act(title, why) {
      acts += 1;
      out.write(`\n${bold(`${acts}. ${title}`)}\n`);
      write(INDENT, why);
    },
    tell: (says, _facts, pod) =>
      write(INDENT + (pod === undefined ? '' : pod.padEnd(POD_COLUMN)), says, (lead) => cyan(lead)),
    promise: (isKept, says) =>
      write(`${isKept ? 'ok' : '!!'} `, isKept ? says : `NOT SO: ${says}`, isKept ? green : red),
    quote(command, lines) {
      out.write(`\n${dim(`$ ${command}`)}\n${lines.map((line) => `${line.slice(0, width)}\n`).join('')}\n`);
    },
    end: (says, exitCode) => {
      out.write('\n');
      write('', says);
      out.write(`${exitCode === 0 ? green('exit 0') : red(`exit ${exitCode}`)}\n`);
    },
  };
}

function jsonTelling({ out, now }: Teller): Telling {
  let act: string | null = null;
  const write = (event: string, fields: Readonly<Record<string, unknown>>): void => {
    out.write(`${JSON.stringify({ event, at: new Date(now()).toISOString(), act, ...fields })}\n`);
  };
  return {
    act(title, why) {
      act = title;
      write('act', { why });
    },
    tell: (says, facts, pod) => write('step', { ...(pod === undefined ? {} : { pod }), says, ...facts }),
    promise: (isKept, says, facts) => write('check', { kept: isKept, says, ...facts }),
    quote: (command, lines) => write('quote', { command, lines }),
    end: (says, exitCode, facts) => write('end', { says, exitCode, ...facts }),
  };
}

export function chronicle(teller: Teller): Chronicle {
  const telling = teller.json ? jsonTelling(teller) : textTelling(teller);
  const broken: string[] = [];
  let kept = 0;
  return {
    ...telling,
    check(isKept, says, facts = {}) {
      if (isKept) kept += 1;
      else broken.push(says);
      telling.promise(isKept, says, facts);
    },
    get kept() {
      return kept;
    },
    broken,
  };
}
