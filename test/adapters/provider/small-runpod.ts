/** The smallest account that speaks RunPod's published words: two pods, three keys, list, look, end, stop, start, log, money. */
import { podV2 } from './bodies.ts';
import { EXITED, LOG, RUNNING, STAMPED } from './contract.ts';
import { type Heard, json, problem, type Reply } from './scripted-server.ts';

export const KEYS = {
  full: 'rpa_FULLFULLFULLFULLFULL',
  readOnly: 'rpa_READREADREADREADREAD',
  refused: 'rpa_GONEGONEGONEGONEGONE',
} as const;

const stopped = { status: 'EXITED', cost: 0, runtime: null, ssh: { proxy: null, direct: null } };

type Pods = Map<string, Readonly<Record<string, unknown>>>;

function onPod(pods: Pods, heard: Heard, id: string, tail: string): Reply {
  const pod = pods.get(id);
  if (pod === undefined) return problem(404, 'resource not found');
  if (heard.method === 'DELETE') {
    pods.delete(id);
    return { status: 204 };
  }
  if (tail === '/logs') {
    const count = Number(new URL(heard.path, 'http://x').searchParams.get('tail') ?? 100);
    const events = LOG.slice(-count).map(
      (line) => `data: ${JSON.stringify({ source: 'container', line })}\n\n`,
    );
    return { stream: events.join('') };
  }
  if (tail === '/action') {
    const stop = heard.body.includes('"stop"');
    pods.set(id, { ...podV2(id, stop ? stopped : { status: 'STARTING', runtime: null }), env: pod['env'] });
  }
  return json(200, pods.get(id));
}

function account(key: string | undefined): Reply {
  if (key === `Bearer ${KEYS.refused}`) return json(401, { message: 'invalid key' });
  const myself = { id: 'user_Made_Up', clientBalance: 25, currentSpendPerHr: 2.69 };
  return json(200, { data: { myself } });
}

export function smallRunpod(): (heard: Heard) => Reply {
  const pods: Pods = new Map([
    [RUNNING, podV2(RUNNING, { env: { PODTRACK_STAMP: STAMPED } })],
    [EXITED, podV2(EXITED, { ...stopped, env: {} })],
  ]);
  return (heard) => {
    const key = heard.headers.authorization;
    const [, id, tail = ''] = /^\/v2\/pods\/([^/?]+)(\/[a-z]+)?/.exec(heard.path) ?? [];
    if (heard.path === '/graphql') return account(key);
    if (key === `Bearer ${KEYS.refused}`) return problem(401, 'invalid token');
    if (heard.method !== 'GET' && key !== `Bearer ${KEYS.full}`) return problem(403, 'access denied');
    return id === undefined ? json(200, { pods: [...pods.values()] }) : onPod(pods, heard, id, tail);
  };
}
