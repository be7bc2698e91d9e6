/** Reads the words of inputs: yes and no, numbers, durations; each wrong one names its input and the mend. */
import { parseDuration } from '../domain/duration.ts';
import { ConfigError } from '../domain/errors.ts';
import { isPodId } from '../domain/pod.ts';

/** What a broken expression or a masked output leaves in place of a value. */
const NO_VALUE = /^(null|undefined|none|nan)$/i;

export function isNoValue(text: string): boolean {
  return NO_VALUE.test(text);
}

export function wrongInput(input: string, cameBack: string, next: string): ConfigError {
  return new ConfigError(input, {
    tried: `Reading the input ${input}`,
    cameBack,
    state: 'Nothing was changed',
    next,
  });
}

/** Empty = `otherwise`. */
export function yesOrNo(text: string, input: string, otherwise: boolean): boolean {
  const word = text.toLowerCase();
  if (word === '') return otherwise;
  if (['true', 'yes', '1'].includes(word)) return true;
  if (['false', 'no', '0'].includes(word)) return false;
  throw wrongInput(input, `"${text.slice(0, 40)}" is neither true nor false`, 'Give true or false');
}

export function durationOr(text: string, input: string, otherwiseMs: number): number {
  return text === '' ? otherwiseMs : parseDuration(text, input);
}

export function numberOrNull(text: string, input: string): number | null {
  if (text === '') return null;
  if (/^\d{1,9}(\.\d{1,6})?$/.test(text)) return Number(text);
  throw wrongInput(input, `"${text.slice(0, 40)}" is not a number`, 'Give a plain number, or leave it out');
}

export function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}

/** What people give in place of an id: what it is, and the mend. The text itself is not repeated: it may be a secret. */
const NO_IDS: readonly (readonly [looks: RegExp, cameBack: string, next: string])[] = [
  [/^\*+$|\*{3}/, 'it is masked', 'Never mask pod ids; podtrack does not'],
  [
    /\$\{\{|\}\}/,
    'it is an expression that nobody has evaluated',
    'Write the expression under with: of this step, in one pair of double braces and without a backslash',
  ],
  [/^rpa_/i, 'it is a RunPod key', 'Give the id of the pod here, and the key as api-key'],
  [
    /^[a-z][a-z0-9+.-]*:\/\/|\.runpod\.(net|io|ai)\b/i,
    'it is an address',
    'Give the id alone, as RunPod’s list of pods shows it',
  ],
  [
    /^["'`“”‘’]|["'`“”‘’]$/,
    'it stands in quotes',
    'Give the id without them: YAML and jq -r take theirs off',
  ],
];

/**
 * A job output that contains a masked text reaches the next job empty, and an expression without a value may
 * come as the word null: both are told with their likely cause. docs/facts/github-actions.md
 */
export function podIdOf(text: string): string {
  if (text === '' || NO_VALUE.test(text)) {
    throw wrongInput(
      'pod-id',
      text === '' ? 'it is empty, and so is pod-ids' : `it is the word ${text.toLowerCase()}`,
      'Look at the step that gives it. An output of another job arrives empty when it contains a masked text: never mask pod ids; podtrack does not',
    );
  }
  const problem = notAnId(text);
  if (problem === null) return text;
  throw wrongInput('pod-id', problem[0], problem[1]);
}

/** null = it may be an id; otherwise what it is instead, and the mend. What it may be of a secret is not said again. */
export function notAnId(text: string): readonly [cameBack: string, next: string] | null {
  if (/^(?!rpa_)/i.test(text) && isPodId(text)) return null;
  const known = NO_IDS.find(([looks]) => looks.test(text));
  if (known !== undefined) return [known[1], known[2]];
  return [
    `"${text.slice(0, 70)}" is not one pod id`,
    'Give the id of one pod as RunPod shows it; several go into pod-ids',
  ];
}

/** A secret that is absent, or null when there is none; the words that stand for no value count as none. */
export function secretOrNull(text: string): string | null {
  return text === '' || NO_VALUE.test(text) ? null : text;
}
