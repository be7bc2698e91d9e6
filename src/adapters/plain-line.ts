/** One line of foreign text on a terminal or in a job log: nothing in it moves the cursor, hides text or is a command. */

/** Control, format, separator and lone surrogate characters; colours of ours are added afterwards. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;

export function plainLine(text: string): string {
  return defused(text.replace(UNSEEN, ' '));
}

/** GitHub's runner reads `::name::` at the beginning of a line and `##[name]` anywhere. docs/facts/github-actions.md */
export function defused(line: string): string {
  return line.replaceAll('##[', '# #[').replace(/^(\s*)::/, '$1: :');
}
