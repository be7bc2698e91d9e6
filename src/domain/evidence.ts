/** What a pod looked like shortly before its end, as texts for people: nothing is ever judged by it. */
import { formatInstant } from './instant.ts';
import type { Part } from './part.ts';
import type { Answered } from './switch.ts';

/** One file beside the artifacts. */
export type EvidenceText = { readonly name: string; readonly text: string };

export type EvidenceParts = {
  readonly podId: string;
  /** Epoch ms. */
  readonly at: number;
  /** Why the pod is being ended, in words. */
  readonly because: string;
  readonly log: Part<readonly string[]>;
  /** What the on-pod script `evidence` answered. */
  readonly look: Part<Answered>;
};

/** Lines of the container's log that are asked for. */
export const LOG_TAIL = 500;
const MOST_CHARACTERS = 512 * 1024;

const FILES = [
  { name: 'processes.txt', words: ['process'] },
  { name: 'switch.txt', words: ['switch', 'record'] },
  { name: 'nvidia-smi.txt', words: ['smi'] },
] as const;

/** One text per kind, and one that says what it is and what could not be seen. */
export function evidenceTexts(parts: EvidenceParts): readonly EvidenceText[] {
  const { log, look } = parts;
  const texts =
    look.kind === 'unseen'
      ? FILES.map(({ name }) => ({ name, seen: look }))
      : FILES.map(({ name, words }) => ({ name, seen: partOf(look.value.stdout, words) }));
  const all = [
    { name: 'container.log', seen: log.kind === 'seen' ? seenText(log.value.join('\n')) : log },
    ...texts,
  ];
  const lines = all.map(({ name, seen }) => `${name}: ${seen.kind === 'seen' ? 'seen' : seen.reason}`);
  const opening = `Pod ${parts.podId} as it was at ${formatInstant(parts.at)}, before it was ended: ${parts.because}`;
  return [
    { name: 'about.txt', text: `${[opening, ...lines].join('\n')}\n` },
    ...all.flatMap(({ name, seen }) => (seen.kind === 'seen' ? [{ name, text: seen.value }] : [])),
  ];
}

/** The newest part of a long text says most about an end. */
function seenText(text: string): Part<string> {
  return text === ''
    ? { kind: 'unseen', reason: 'empty' }
    : { kind: 'seen', value: `${text.slice(-MOST_CHARACTERS)}\n` };
}

function partOf(stdout: string, words: readonly string[]): Part<string> {
  const lines = stdout.replaceAll('\r', '').split('\n');
  const own = lines.flatMap((line) => {
    const at = line.indexOf('| ');
    return at > 0 && words.includes(line.slice(0, at)) ? [line.slice(at + 2)] : [];
  });
  if (own.length > 0) return seenText(own.join('\n'));
  const start = `${words[0] ?? ''}=unseen:`;
  const unseen = lines.find((line) => line.startsWith(start));
  return {
    kind: 'unseen',
    reason: unseen?.slice(start.length).slice(0, 100) ?? 'the pod said nothing of it',
  };
}
