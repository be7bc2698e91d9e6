/** What of a foreign answer may be told: never the whole, never a value that could be a secret. */
import { z } from 'zod';
import type { Redact } from '../redact.ts';
import { type Problem, plainError, problem } from './schemas.ts';

/** One HTTP answer, read to the end; header names in lower case. */
export type Answer = {
  readonly status: number;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
};

const LONGEST_DETAIL = 200;
/** A run this long with letters and digits mixed is rather a token than a word. */
const TOKEN_LIKE = /\b(?=[\w+/=-]*\d)(?=[\w+/=-]*[A-Za-z])[\w+/=-]{24,}/g;
/** Control characters, and invisible or reversing ones. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** One line of foreign text without control characters, known secrets and what looks like a token, cut to size. */
export function harmless(text: string, redact: Redact): string {
  const line = redact(text).replace(CONTROLS, ' ').replace(TOKEN_LIKE, '[…]');
  const short = line.replace(/\s+/g, ' ').trim();
  return short.length > LONGEST_DETAIL ? `${short.slice(0, LONGEST_DETAIL)}…` : short;
}

/** The parsed body, or undefined. JSON.parse's own error quotes the text, so it goes no further than here. */
export function jsonOf(answer: Answer): unknown {
  try {
    return JSON.parse(answer.text);
  } catch {
    return undefined;
  }
}

/** RFC 9457 by content type *and* shape; anything else is no word of the API about a resource. */
export function problemOf(answer: Answer): Problem | null {
  if (!/^application\/problem\+json\b/i.test(answer.contentType)) return null;
  const read = problem.safeParse(jsonOf(answer));
  return read.success && (read.data.status ?? answer.status) === answer.status ? read.data : null;
}

/** Plain words alone: a page's first sentence passes, keys, addresses and numbers with letters do not. */
function firstWords(text: string): string {
  const words = text.replace(/<[^>]*>/g, ' ').split(/\s+/);
  const plain = words.filter((word) => /^(?:[A-Za-z]{1,14}[.,:;!?]?|\d{3})$/.test(word));
  return plain.slice(0, 8).join(' ');
}

function jsonShape(body: unknown): string {
  if (Array.isArray(body)) return `a JSON list of ${body.length}`;
  const fields = z.record(z.string(), z.unknown()).safeParse(body);
  if (!fields.success) return `a JSON ${body === null ? 'null' : typeof body}`;
  const names = Object.keys(fields.data).filter((name) => /^[A-Za-z]{1,20}$/.test(name));
  return names.length === 0 ? 'an empty JSON object' : `a JSON object with ${names.slice(0, 5).join(', ')}`;
}

/** Without digits and with a known first half: a header is foreign text too. */
const MEDIA_TYPE = /^(?:application|image|multipart|text)\/[a-z.+-]{1,30}/i;

/** Content type and shape of an answer that was not understood. */
export function shapeOf(answer: Answer): string {
  const type = MEDIA_TYPE.exec(answer.contentType)?.[0] ?? 'no content type';
  const body = jsonOf(answer);
  if (body !== undefined) return `${jsonShape(body)} (${type})`;
  if (answer.text.trim() === '') return `an empty body (${type})`;
  if (/^\s*[[{]/.test(answer.text)) return `broken JSON of ${answer.text.length} characters (${type})`;
  const title = /<title[^>]*>([^<]{1,120})<\/title>/i.exec(answer.text)?.[1];
  return `not JSON (${type}): "${firstWords(title ?? answer.text)}"`;
}

/** What the API itself says about a failure, or else the shape of what came. */
export function saidOf(answer: Answer, redact: Redact): string {
  const told = problemOf(answer);
  if (told !== null) {
    const first = told.errors?.[0];
    return harmless(`${told.title}: ${told.detail}${first === undefined ? '' : ` (${first})`}`, redact);
  }
  const plain = plainError.safeParse(jsonOf(answer));
  return plain.success ? harmless(plain.data, redact) : shapeOf(answer);
}
