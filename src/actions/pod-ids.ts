/** Which pods a door is for: one in pod-id, or a list in pod-ids. An id that got lost on the way is never passed over. */
import { z } from 'zod';
import type { ConfigError } from '../domain/errors.ts';
import type { Env } from '../domain/owner-from-env.ts';
import { isPodId, lookAlike } from '../domain/pod.ts';
import { parseJson } from '../domain/registry/json.ts';
import { EXPORTED } from './interface.ts';
import { isNoValue, notAnId, podIdOf, wrongInput } from './words.ts';

/** All of them are looked after at once: that many logins are open at the same time. */
const MOST_PODS = 32;

const HOW =
  'Give a list such as ["abc123", "def456"], or the bare ids with blanks, commas or line breaks between';

type Read = (name: 'pod-id' | 'pod-ids') => string;

/** In the order given, each once. `otherwise` = what counts where neither input is given; empty = nothing. Throws ConfigError. */
export function podIdsOf(read: Read, otherwise: string): readonly string[] {
  const [one, many] = [read('pod-id'), read('pod-ids')];
  if (one !== '' && many !== '')
    throw wrongInput('pod-ids', 'pod-id was given as well', 'Give one of the two: pod-ids may hold one id');
  if (many !== '') return listOf(many);
  if (one === '' && otherwise !== '') return listOf(otherwise);
  return [podIdOf(one)];
}

/** What register entered last in this job: one pod or a list. */
export function enteredLast(env: Env): string {
  return (env[EXPORTED.podId] ?? '').trim() || (env[EXPORTED.podIds] ?? '').trim();
}

/** Ids as our own variables hold them. */
export function idsIn(text: string | undefined): readonly string[] {
  return (text ?? '').split(/\s+/).filter(isPodId);
}

function listOf(text: string): readonly string[] {
  if (isNoValue(text)) throw lost(`it is the word ${text.toLowerCase()}`);
  const ids = /^[[{"]/.test(text) ? fromJson(text) : fromWords(text);
  if (ids.length === 0) throw lost('the list is empty');
  for (const id of ids) checkId(id);
  checkDistinct(ids);
  if (ids.length <= MOST_PODS) return ids;
  throw wrongInput(
    'pod-ids',
    `it holds ${ids.length} pods, and one job looks after ${MOST_PODS} at most`,
    'Spread them over the legs of a matrix: workflows-examples/matrix.yml',
  );
}

function fromJson(text: string): readonly string[] {
  const json = parseJson(text);
  const list = 'problem' in json ? null : z.array(z.string()).safeParse(json.value);
  if (list?.success === true) return list.data.map((id) => id.trim());
  throw wrongInput('pod-ids', 'it begins like JSON and is no JSON list of texts', HOW);
}

/** Blanks and line breaks part as commas do; a place between commas with nothing in it is one that was filled once. */
function fromWords(text: string): readonly string[] {
  return text.split(',').flatMap((part) => (part.trim() === '' ? [''] : part.trim().split(/\s+/)));
}

function checkId(id: string): void {
  if (id === '') throw lost('one of its ids is empty');
  if (isNoValue(id)) throw lost(`one of its ids is the word ${id.toLowerCase()}`);
  const problem = notAnId(id);
  if (problem === null) return;
  throw wrongInput('pod-ids', `of one of its ids: ${problem[0]}`, `${problem[1]}. ${HOW}`);
}

function checkDistinct(ids: readonly string[]): void {
  const seen = new Map<string, string>();
  for (const id of ids) {
    const twin = seen.get(lookAlike(id));
    if (twin === undefined) seen.set(lookAlike(id), id);
    else
      throw wrongInput(
        'pod-ids',
        twin === id ? `it names ${id} twice` : `${twin} and ${id} look alike`,
        'Name every pod once; look at the step that makes the list, since another pod may be missing from it',
      );
  }
}

function lost(cameBack: string): ConfigError {
  return wrongInput(
    'pod-ids',
    cameBack,
    'Look at the step that gives it: a pod that is missing here has nobody to end it. An output of another job arrives empty when it contains a masked text: never mask pod ids; podtrack does not',
  );
}
