/** Every way in which a pod does not answer as it should, in words that policy and people can rest on. */
import { WorldError, type WorldFailure } from '../../domain/errors.ts';
import type { ShellTarget } from '../../ports.ts';

export type Cause = { readonly cameBack: string; readonly cause?: unknown };

const STATE = 'The pod was left as it was and may still bill';

/** What each failure means and what to do next. */
const NEXT: Partial<Record<WorldFailure, string>> = {
  'no-route':
    'Ask the provider for the current address (ports change at each restart), check that 22/tcp is exposed, and that this machine may reach that port directly: SSH does not pass an HTTP proxy',
  'refused-login':
    'Check that the public half of this key is in the pod (PUBLIC_KEY is set at creation; the word null or an empty value gives no login)',
  'wrong-host-key':
    'If the pod was not restarted, somebody else may answer at this address: nothing was sent. After a proven restart the new key can be adopted',
  'held-shut':
    'Something listens there but no login was offered (sshd still starting, or too many connections); try again shortly',
  'incomplete-answer': 'Nothing was concluded from the part that came; try again',
  'timed-out': 'Try again; if it happens each time, look at the load and the disk of the pod',
};

const RETRYABLE: readonly WorldFailure[] = ['no-route', 'held-shut', 'incomplete-answer', 'timed-out'];

/** Connecting failed before anything was asked of the pod. */
export function connectFailure(failure: WorldFailure, target: ShellTarget, what: Cause): WorldError {
  const { host, port, username } = target.address;
  return new WorldError(
    failure,
    {
      tried: `Log in to pod ${target.podId} as ${username} at ${host}:${port}`,
      cameBack: `${failure}: ${what.cameBack}`,
      state: STATE,
      next: NEXT[failure] ?? 'Try again',
      cause: what.cause,
    },
    { retryable: RETRYABLE.includes(failure) },
  );
}

/** A connection stood, and what was run over it did not come to its end. */
export function answerFailure(
  failure: WorldFailure,
  podId: string,
  told: Cause & { tried: string },
): WorldError {
  return new WorldError(
    failure,
    {
      tried: `${told.tried} on pod ${podId}`,
      cameBack: told.cameBack,
      state: STATE,
      next: NEXT[failure] ?? 'Try again',
      cause: told.cause,
    },
    { retryable: RETRYABLE.includes(failure) },
  );
}

/** Text of a foreign machine, safe to stand in one line of a log. */
export function oneLine(text: string, limit = 200): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not reach a log
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  return line.length > limit ? `${line.slice(0, limit)}…` : line;
}
