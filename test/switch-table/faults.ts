/** The faults of the switch table: what a pod meets at its deadline, each for its first two tries, and then no more. */
import {
  type Answer,
  html,
  json,
  noContent,
  noSuchPod,
  problem,
  type Table,
  unauthorized,
} from '../on-pod/provider-stand.ts';

export const POD = 'pod1abcdefghij';
/** As many tries as a fault lasts. */
export const LASTS = 2;

export type Fault = {
  readonly name: string;
  /** What the API answers to the try with this number, from 1; left out = as it should. */
  readonly end?: (tries: number) => Answer;
  readonly endGraphql?: (tries: number) => Answer;
  readonly read?: (tries: number) => Answer;
  readonly readGraphql?: (tries: number) => Answer;
  /** What the name of the API leads to meanwhile: nothing, or a place without a way there. */
  readonly leads?: 'nowhere' | 'no-route';
  /** By which try the end is proven at the latest, if that is not the one after the fault. */
  readonly provenBy?: number;
};

const always =
  (answer: Answer): ((tries: number) => Answer) =>
  () =>
    answer;
const refusal = json({ errors: [{ message: 'Unauthorized' }], data: { podTerminate: null } });
const pod = (status: string): Answer => json({ id: POD, name: 'a pod', env: {}, status });
const graphPod = (status: string): Answer => json({ data: { pod: { id: POD, desiredStatus: status } } });
const slow: Answer = { ...problem(429, 'rate limit exceeded'), retryAfter: '2' };

export const FAULTS: readonly Fault[] = [
  { name: 'none' },
  { name: '401', end: always(problem(401, 'invalid token')), endGraphql: always({ status: 401 }) },
  { name: '403', end: always(problem(403, 'read permission only')), endGraphql: always(refusal) },
  {
    name: '403, GraphQL may',
    end: always(problem(403, 'access denied')),
    read: always(problem(403, 'access denied')),
    provenBy: 1,
  },
  {
    name: '404 path',
    end: always(problem(404, 'The requested path was not found.')),
    endGraphql: always(html(404)),
  },
  {
    name: '404 unasked',
    end: always(noSuchPod),
    endGraphql: always(
      json({ errors: [{ message: 'pod not found to terminate' }], data: { podTerminate: null } }),
    ),
  },
  { name: '429', end: always(slow), endGraphql: always(slow) },
  { name: '5xx', end: (tries) => problem(tries === 1 ? 500 : 503, 'x'), endGraphql: always({ status: 502 }) },
  { name: 'HTML', end: (tries) => html(tries === 1 ? 502 : 200), endGraphql: always(html(200)) },
  {
    name: 'null data',
    end: always(json({ errors: [{ message: 'Unauthorized' }], data: null })),
    endGraphql: always(unauthorized),
  },
  { name: 'cut off', end: always({ status: 0 }), endGraphql: always({ status: 0 }) },
  { name: 'no DNS', leads: 'nowhere' },
  { name: 'no route', leads: 'no-route' },
  {
    name: 'no reading',
    read: always(problem(403, 'access denied')),
    readGraphql: always(unauthorized),
  },
  { name: 'EXITED', read: always(pod('EXITED')), readGraphql: always(graphPod('EXITED')) },
];

/** How the API answers: as it should while a pod is armed, with the fault once `due`, and as it should after it. */
export function tableOf(fault: Fault, due: () => boolean): Table {
  let ended = false;
  let ends = 0;
  const faulty = (): boolean => due() && ends <= LASTS && fault.leads === undefined;
  const ending = (): Answer => {
    ended = true;
    return noContent;
  };
  return {
    delete: (_times, { path }) => {
      if (!path.endsWith(POD)) return noSuchPod;
      ends += 1;
      return faulty() && fault.end !== undefined ? fault.end(ends) : ended ? noSuchPod : ending();
    },
    get: () => (faulty() && fault.read?.(ends)) || (ended ? noSuchPod : pod('RUNNING')),
    graphql: (_times, { body }) => {
      if (!body.includes('podTerminate'))
        return (
          (faulty() && fault.readGraphql?.(ends)) ||
          (ended ? json({ data: { pod: null } }) : graphPod('RUNNING'))
        );
      if (!body.includes(POD))
        return json({ errors: [{ message: 'pod not found to terminate' }], data: { podTerminate: null } });
      if (faulty() && fault.endGraphql !== undefined) return fault.endGraphql(ends);
      ended = true;
      return json({ data: { podTerminate: null } });
    },
  };
}
