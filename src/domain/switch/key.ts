/** What a key on the pod was measured to be able to do, by calls that cannot harm. */

import { type Part, seen, unseen } from '../part.ts';
import { type Answered, authorities, type Lines, linesOf } from '../switch.ts';

export type Ability = 'yes' | 'no' | 'unknown';

export type KeyCheck = {
  readonly mayRead: Ability;
  readonly mayTerminate: Ability;
  /** Over which API it may end pods; null = none was proven. */
  readonly route: 'rest' | 'graphql' | null;
  readonly httpTool: string;
  /** The file of authorities on the pod that trusts the provider where the tool's own does not; null = its own. */
  readonly ca: string | null;
  /** False when no request was answered at all: name, connection or certificate, not the key. */
  readonly reached: boolean;
  /** Each answer as the pod named it, for people and the record. */
  readonly answers: string;
};

const QUESTIONS = ['read_rest', 'end_rest', 'read_graphql', 'end_graphql'] as const;
const REFUSED = new Set(['401', '403', 'unauthorized']);

/** Reads what `switch check` prints; unseen when no usable key was found or the answer is not whole. */
export function readKeyCheck(answered: Answered): Part<KeyCheck> {
  const lines = linesOf(answered.stdout);
  const refused = lines.get('refused');
  if (refused !== undefined) return unseen(`the pod refused the check: ${refused}`);
  const httpTool = lines.get('http_tool');
  if (httpTool === undefined) return unseen('the pod gave no answer to the check');
  if (lines.get('key') !== 'usable') return unseen('no usable key was found on the pod');
  if (QUESTIONS.some((name) => !lines.has(name))) return unseen('the answer to the check is not whole');
  return seen(judge(lines, httpTool));
}

function judge(lines: Lines, httpTool: string): KeyCheck {
  const endRest = ability(lines.get('end_rest'), 'absent');
  const endGraphql = ability(lines.get('end_graphql'), 'not-found');
  const said = QUESTIONS.map((name) => lines.get(name) ?? '');
  return {
    mayRead: either(ability(lines.get('read_rest'), 'ok'), ability(lines.get('read_graphql'), 'ok')),
    mayTerminate: either(endRest, endGraphql),
    route: endRest === 'yes' ? 'rest' : endGraphql === 'yes' ? 'graphql' : null,
    httpTool,
    ca: authorities(lines.get('ca')),
    reached: said.some((answer) => !/^(?:no-|timed-out|tls-failed)/.test(answer)),
    answers: QUESTIONS.map((name) => `${name}=${lines.get(name)}`).join(' '),
  };
}

/** An answer that only an allowed key gets; "there is no such pod" is one, where a pod that cannot exist was to end. */
function ability(answer: string | undefined, allowed: string): Ability {
  if (answer === allowed) return 'yes';
  return answer !== undefined && REFUSED.has(answer) ? 'no' : 'unknown';
}

function either(one: Ability, other: Ability): Ability {
  if (one === 'yes' || other === 'yes') return 'yes';
  return one === 'no' && other === 'no' ? 'no' : 'unknown';
}
