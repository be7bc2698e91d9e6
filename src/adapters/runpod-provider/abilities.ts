/** What a key may do, asked in ways that cannot harm: a short list, and the end of a pod that does not exist. */
import { WorldError } from '../../domain/errors.ts';
import type { KeyAbilities } from '../../ports.ts';
import type { Ask } from './exchange.ts';
import { pageIn } from './list-pods.ts';
import type { Line } from './options.ts';
import { answerError, saysAbsent } from './refusals.ts';
import { lookUp, podUrl } from './rest.ts';
import { persist } from './retry.ts';

/** Of the form of a real id (14 lower-case letters and digits), telling in an audit log, and never handed out by chance. */
export const PROBE_ID = 'podtrackprobe0';

const refused = (error: unknown): error is WorldError =>
  error instanceof WorldError && (error.failure === 'unauthorized' || error.failure === 'forbidden');

async function mayRead(line: Line): Promise<boolean> {
  const url = new URL('v2/pods', line.rest);
  url.searchParams.set('limit', '1');
  const ask: Ask = {
    tried: 'Checking whether the key may read pods',
    method: 'GET',
    url,
    repeatable: true,
    state: 'Nothing was changed',
  };
  const { answer } = await persist(line, ask);
  if (answer.status !== 200 && refused(answerError(line, ask, answer))) return false;
  pageIn(line, ask, answer);
  return true;
}

/**
 * DELETE of an id that a GET has just shown absent. "No such pod" = the key got past the permission check; 401 or 403
 * = it did not; anything else says nothing. See docs/facts/runpod.md for what this rests on.
 */
async function mayTerminate(line: Line): Promise<KeyAbilities['terminate']> {
  if ((await lookUp(line, PROBE_ID)).kind === 'present') return 'unknown';
  const ask: Ask = {
    tried: 'Checking whether the key may terminate pods (on an id that does not exist)',
    method: 'DELETE',
    url: podUrl(line, PROBE_ID),
    repeatable: true,
    state: 'Nothing was changed',
  };
  const { answer } = await persist(line, ask);
  if (saysAbsent(answer)) return 'yes';
  return refused(answerError(line, ask, answer)) ? 'no' : 'unknown';
}

/** Throws WorldError only where RunPod cannot be asked at all; a refused key is an answer. */
export async function keyAbilities(line: Line): Promise<KeyAbilities> {
  if (!(await mayRead(line))) return { read: 'no', terminate: 'no' };
  try {
    return { read: 'yes', terminate: await mayTerminate(line) };
  } catch (error) {
    if (refused(error)) return { read: 'yes', terminate: 'no' };
    if (error instanceof WorldError) return { read: 'yes', terminate: 'unknown' };
    throw error;
  }
}
