/** Checks a body against a strict schema and words what is wrong the way the provider's validator does. */
import type { z } from 'zod';
import { problem, type Reply } from './reply.ts';

type Issue = z.core.$ZodIssue;

const quote = (words: readonly PropertyKey[]) => words.map((word) => `'${String(word)}'`).join(', ');

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}.${String(part)}`),
    '$',
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value = body;
  for (const part of path) {
    if (Array.isArray(value) && typeof part === 'number') value = value[part];
    else if (isObject(value)) value = value[String(part)];
    else return undefined;
  }
  return value;
}

function isMissing(body: unknown, path: readonly PropertyKey[]): boolean {
  if (path.length === 0) return false;
  return valueAt(body, path) === undefined;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

function measure(issue: { readonly origin: string }): string {
  if (issue.origin === 'string') return 'Length';
  return issue.origin === 'array' ? 'Items' : 'imum';
}

function wrongValue(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      // Every number that a request may hold is a whole one.
      return `got ${kindOf(value)}, want ${issue.expected === 'number' ? 'integer' : issue.expected}`;
    case 'invalid_value':
      return `value must be one of ${quote(issue.values.map(String))}`;
    case 'too_small':
      return `min${measure(issue)}: got ${sizeOf(value)}, want ${issue.minimum}`;
    case 'too_big':
      return `max${measure(issue)}: got ${sizeOf(value)}, want ${issue.maximum}`;
    case 'invalid_format':
      return `'${String(value)}' does not match pattern '${issue.pattern ?? issue.format}'`;
    default:
      return issue.message;
  }
}

function sizeOf(value: unknown): string {
  return typeof value === 'string' || Array.isArray(value) ? String(value.length) : String(value);
}

/**
 * The lines of `errors[]`. `quirky`: the real validator, once a required field is missing, also reports every field that was
 * sent as unexpected; only the "missing" line can be trusted.
 */
export function errorLines(issues: readonly Issue[], body: unknown, quirky: boolean): string[] {
  const missing: string[] = [];
  const rest: string[] = [];
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') {
      rest.push(`${pathText(issue.path)}: additional properties ${quote(issue.keys)} not allowed`);
    } else if (isMissing(body, issue.path)) {
      const name = issue.path.at(-1) ?? '';
      missing.push(`${pathText(issue.path.slice(0, -1))}: missing property ${quote([name])}`);
    } else {
      rest.push(`${pathText(issue.path)}: ${wrongValue(issue, valueAt(body, issue.path))}`);
    }
  }
  const isRootShort = missing.some((line) => line.startsWith('$:'));
  if (!quirky || !isRootShort || !isObject(body) || Object.keys(body).length === 0) {
    return [...missing, ...rest];
  }
  const others = rest.filter((line) => !line.startsWith('$: additional'));
  return [...missing, `$: additional properties ${quote(Object.keys(body))} not allowed`, ...others];
}

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reply: Reply };

/** Parses a request body; anything but JSON is 400, anything outside the schema 422. */
export function checkBody<T>(schema: z.ZodType<T>, text: string, quirky = false): Checked<T> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { ok: false, reply: problem(400, 'request could not be processed') };
  }
  const parsed = schema.safeParse(body);
  if (parsed.success) return { ok: true, value: parsed.data };
  const errors = errorLines(parsed.error.issues, body, quirky);
  return { ok: false, reply: problem(422, 'Request validation failed.', { errors }) };
}

/** Parses query parameters; unknown ones are ignored, impossible values are 422. */
export function checkQuery<T>(schema: z.ZodType<T>, query: URLSearchParams): Checked<T> {
  const values = Object.fromEntries(query);
  const parsed = schema.safeParse(values);
  if (parsed.success) return { ok: true, value: parsed.data };
  const errors = errorLines(parsed.error.issues, values, false);
  return { ok: false, reply: problem(422, 'Request validation failed.', { errors }) };
}
