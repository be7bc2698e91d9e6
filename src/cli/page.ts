/** How text reaches a person: width, colours where they are wanted, no secret, and no line that acts. */
import pico from 'picocolors';
import { defused } from '../adapters/plain-line.ts';
import { redactor } from '../adapters/redact.ts';
import type { Env, Mood, Page } from './call.ts';

/** Everything that moves, hides or breaks; a colour is the one sequence that passes. */
const UNWANTED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const COLOUR = /^.\[[0-9;]{0,20}m/su;

export function wantsColour(env: Env, declined: boolean, isTerminal: boolean): boolean {
  if (declined || (env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'] ?? '';
  if (forced !== '') return forced !== '0';
  return isTerminal && env['TERM'] !== 'dumb';
}

export function pageOf(columns: number, isColoured: boolean): Page {
  const colours = pico.createColors(isColoured);
  const painters: Readonly<Record<Mood, (text: string) => string>> = {
    ok: colours.green,
    warn: colours.yellow,
    red: (text) => colours.bold(colours.red(text)),
    quiet: colours.dim,
    strong: colours.bold,
  };
  return {
    width: Math.max(40, Math.min(columns, 120)),
    paint: (mood, text) => painters[mood](text),
  };
}

export function linesText(lines: readonly string[], secrets: Iterable<string>): string {
  const redact = redactor([...secrets]);
  const harmless = lines.map((line) => defused(redact(line).replace(UNWANTED, kept)).trimEnd());
  return `${harmless.join('\n')}\n`;
}

function kept(char: string, at: number, line: string): string {
  return char === '\u001b' && COLOUR.test(line.slice(at, at + 24)) ? char : ' ';
}

/** `##[` would be a command to GitHub's runner even inside of JSON, where an escape says the same. */
export function jsonText(value: unknown, secrets: Iterable<string>): string {
  const redact = redactor([...secrets]);
  return `${redact(JSON.stringify(value, null, 2)).replaceAll('##[', '#\\u0023[')}\n`;
}
