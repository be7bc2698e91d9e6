/** Turns text made by strangers into text that cannot act: one line, no mentions, no markdown. */

/** Control, format, separator and lone surrogate characters: they break lines, hide or reorder text. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;
const PLAIN = /[^A-Za-z0-9 ._/-]/gu;

/** At most `length` UTF-16 units, marked by an ellipsis when something was cut; never half a character. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const kept = text.slice(0, Math.max(0, length - 1));
  return `${/[\uD800-\uDBFF]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}

/** One line that forges neither a trailer nor a mention: for commit messages and summaries in words. */
export function oneLine(text: string): string {
  return text.replace(UNSEEN, ' ').replaceAll('@', '(at)').replace(/\s+/gu, ' ').trim();
}

const ADDRESSES =
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b|\b[a-z0-9-]+(?:\.[a-z0-9-]+)+:\d{1,5}\b|(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*)?::(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*)?/gi;

/** What a foreign machine said, fit for a registry that may be public: one line, bounded, and no address in it. */
export function told(text: string): string {
  return cut(oneLine(text).replace(ADDRESSES, '(address)'), 300);
}

/** A table cell: everything that markdown, HTML or a mention could be made of stands as a character reference. */
export function markdownCell(text: string, length = 80): string {
  const line = cut(text.replace(UNSEEN, ' ').replace(/\s+/gu, ' ').trim(), length);
  // The invisible space after "@" stays even where the page decodes the reference and looks for mentions.
  return line.replace(PLAIN, (char) => `&#${char.codePointAt(0) ?? 0xfffd};${char === '@' ? '&#8203;' : ''}`);
}
