/** Failed calls as the WorldErrors of the domain: what was tried, what came back, what state things are in, what next. */
import { WorldError, type WorldFailure } from '../../domain/errors.ts';
import type { Ask } from './exchange.ts';
import type { Line } from './options.ts';
import { proxyWords, type Trouble } from './trouble.ts';
import { type Answer, problemOf, saidOf } from './words.ts';

const isWrite = (ask: Ask): boolean => ask.method === 'DELETE' || (ask.method === 'POST' && !ask.repeatable);

const NEXT: Partial<Record<WorldFailure, string>> = {
  unauthorized: 'Check the key: RUNPOD_API_KEY or input api-key may be mistyped, revoked or rotated',
  forbidden: 'Give a key with read and write permission for the RunPod API; this one lacks it',
  'not-found': 'Check the pod id',
  'rate-limited': 'Run again later, or run fewer jobs at once on this account',
  'server-error': 'Nothing to mend here: run again when RunPod answers',
  'outcome-unknown': 'Look at the pod before trying again: it may have happened',
  'write-refused': 'Mend what RunPod names, then try again',
  conflict: 'See whether the pod is locked or belongs to a cluster, and end it there',
};
const NEXT_ODD =
  'Check RUNPOD_API_BASE_URL and what stands between (proxy, firewall); else RunPod changed its answers';

/** The detail that RunPod gives for a path that it does not know. A resource it does not know reads otherwise. */
export const aboutPath = (detail: string): boolean => /\b(?:path|route|endpoint|url|page)\b/i.test(detail);

const ABOUT_POD = /\b(?:pod|resource)\b|^\s*not found\.?\s*$/i;
/** A pod that one may not see, or not now, is no pod that is gone. */
const KEPT_FROM_US =
  /access|permission|denied|forbidden|authori[sz]|unavailable|maintenance|temporar|suspend|disabled|\b(?:has|was) moved\b/i;

/** A 404 that speaks of the pod: problem document, not about the path, nor about who may see it. Nothing else is "absent". */
export function saysAbsent(answer: Answer): boolean {
  const detail = answer.status === 404 ? (problemOf(answer)?.detail ?? '') : '';
  return ABOUT_POD.test(detail) && !aboutPath(detail) && !KEPT_FROM_US.test(detail);
}

function failureOf(ask: Ask, answer: Answer, doubtful: boolean): WorldFailure {
  const { status } = answer;
  if (status === 401) return 'unauthorized';
  // A firewall says 403 too, in HTML: that is no word about the key.
  if (status === 403) return /json/i.test(answer.contentType) ? 'forbidden' : 'unexpected-answer';
  if (saysAbsent(answer)) return 'not-found';
  if (status === 409) return 'conflict';
  if (status === 429) return 'rate-limited';
  if (status >= 500) return isWrite(ask) ? 'outcome-unknown' : 'server-error';
  if (status < 300) return isWrite(ask) ? 'outcome-unknown' : 'unexpected-answer';
  if (doubtful && isWrite(ask)) return 'outcome-unknown';
  return isWrite(ask) && problemOf(answer) !== null ? 'write-refused' : 'unexpected-answer';
}

/** `doubtful`: an earlier try of the same write may have had its effect. */
export function answerError(line: Line, ask: Ask, answer: Answer, doubtful = false): WorldError {
  const failure = failureOf(ask, answer, doubtful);
  const wait = answer.headers['retry-after'];
  const asks = failure === 'rate-limited' && /^\d+$/.test(wait ?? '') ? `, asking for ${wait} s of rest` : '';
  return new WorldError(
    failure,
    {
      tried: ask.tried,
      cameBack: `HTTP ${answer.status}, ${saidOf(answer, line.redact)}${asks}`,
      state: ask.state,
      next: NEXT[failure] ?? NEXT_ODD,
    },
    { status: answer.status, retryable: failure === 'rate-limited' || failure === 'server-error' },
  );
}

/** An answer that came well but says something that cannot be; `problem` is our own words. */
export function oddAnswer(ask: Ask, answer: Answer, problem: string): WorldError {
  return new WorldError(
    'unexpected-answer',
    { tried: ask.tried, cameBack: `HTTP ${answer.status}, ${problem}`, state: ask.state, next: NEXT_ODD },
    { status: answer.status },
  );
}

type Tries = { readonly attempts: number; readonly doubtful: boolean };

function fromTrouble(ask: Ask, trouble: Trouble, doubtful: boolean): WorldFailure {
  if (trouble.kind === 'too-large') return isWrite(ask) ? 'outcome-unknown' : 'unexpected-answer';
  if (doubtful && isWrite(ask)) return 'outcome-unknown';
  if (trouble.kind === 'timed-out') return 'timed-out';
  return trouble.kind === 'no-answer' ? 'outcome-unknown' : 'not-sent';
}

function nextOf(ask: Ask, trouble: Trouble, failure: WorldFailure): string {
  if (trouble.kind === 'certificate') {
    return 'Set NODE_EXTRA_CA_CERTS to a file with the certificate authority of your network';
  }
  if (trouble.kind === 'proxy')
    return 'Check HTTPS_PROXY and NO_PROXY: the proxy does not let this host through';
  if (failure === 'not-sent')
    return `Check the network and the name ${ask.url.host}; it may be tried again safely`;
  return isWrite(ask) ? (NEXT[failure] ?? NEXT_ODD) : 'Run again';
}

export function troubleError(ask: Ask, trouble: Trouble, { attempts, doubtful }: Tries): WorldError {
  const failure = fromTrouble(ask, trouble, doubtful);
  const words = trouble.kind === 'proxy' ? proxyWords(trouble) : trouble.words;
  const what = failure === 'not-sent' ? 'the request never left' : 'no trustworthy answer';
  const tries = attempts === 1 ? '' : `, ${attempts} tries`;
  const lasting = trouble.kind === 'certificate' || trouble.kind === 'proxy' || trouble.kind === 'too-large';
  return new WorldError(
    failure,
    {
      tried: ask.tried,
      cameBack: `${what} (${words}${tries})`,
      state: ask.state,
      next: nextOf(ask, trouble, failure),
      cause: trouble.cause,
    },
    { retryable: !lasting },
  );
}
