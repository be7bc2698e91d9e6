/** The end of a pod: DELETE until it is answered for good, GraphQL only where REST does not know the path. */
import type { TerminateAnswer } from '../../ports.ts';
import type { Ask } from './exchange.ts';
import { graphqlError, queryGraphql } from './graphql.ts';
import type { Line } from './options.ts';
import { aboutPath, answerError, saysAbsent } from './refusals.ts';
import { podUrl } from './rest.ts';
import { persist } from './retry.ts';
import { harmlessBody } from './schemas.ts';
import { type Answer, jsonOf, problemOf } from './words.ts';

function askEnd(line: Line, id: string): Ask {
  return {
    tried: `Terminating pod ${id}`,
    method: 'DELETE',
    url: podUrl(line, id),
    // Ending twice ends once; no answer that follows can bring the pod back.
    repeatable: true,
    state: `Pod ${id} may still run and bill`,
  };
}

/** 204 or an empty or harmless JSON 2xx. A page of HTML with 200 comes from whatever stands between. */
function accepts(answer: Answer): boolean {
  if (answer.status === 204) return true;
  if (answer.status < 200 || answer.status > 299) return false;
  if (answer.text.trim() === '') return true;
  return harmlessBody.safeParse(jsonOf(answer)).success;
}

/** REST v2 says it does not know this path or method: the sign of a retired generation, not of a missing pod. */
function pathUnknown(answer: Answer): boolean {
  if (answer.status === 405) return true;
  const told = answer.status === 404 ? problemOf(answer) : null;
  return told !== null && aboutPath(told.detail);
}

const END = 'mutation($id:String!){podTerminate(input:{podId:$id})}';

/** `{"data":{"podTerminate":null}}` is success; the field missing, or any error, is not. */
async function endByGraphql(line: Line, id: string): Promise<TerminateAnswer> {
  const call = {
    tried: `Terminating pod ${id} through GraphQL, since REST v2 does not know the path`,
    state: `Pod ${id} may still run and bill`,
    query: END,
    variables: { id },
    repeatable: true,
    write: true,
  };
  const reply = await queryGraphql(line, call);
  if (reply.errors.some(({ code }) => code === 'POD_NOT_FOUND')) return 'already-absent';
  if (reply.errors.length === 0 && reply.data !== null && 'podTerminate' in reply.data) return 'accepted';
  throw graphqlError(line, call, reply);
}

/** Throws WorldError: `outcome-unknown` when no try was answered for good, `forbidden`, `conflict` (locked, cluster). */
export async function terminatePod(line: Line, id: string): Promise<TerminateAnswer> {
  const ask = askEnd(line, id);
  const { answer, doubtful } = await persist(line, ask);
  if (accepts(answer)) return 'accepted';
  if (saysAbsent(answer)) return 'already-absent';
  if (pathUnknown(answer)) return endByGraphql(line, id);
  throw answerError(line, ask, answer, doubtful);
}
