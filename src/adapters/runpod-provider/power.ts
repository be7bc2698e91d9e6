/** Stop and start: actions that are not repeated blindly; when the outcome is unknown the pod is looked at first. */
import { WorldError } from '../../domain/errors.ts';
import type { Lookup, ProviderPod, ProviderStatus } from '../../domain/provider-pod.ts';
import type { Ask } from './exchange.ts';
import type { Line } from './options.ts';
import { answerError } from './refusals.ts';
import { lookUp, podIn, podUrl } from './rest.ts';
import { backoffMs, persist } from './retry.ts';

type Action = {
  readonly word: 'stop' | 'start';
  readonly tried: string;
  /** Statuses that show it has happened. */
  readonly reached: ReadonlySet<ProviderStatus>;
};

const STOP: Action = { word: 'stop', tried: 'Stopping', reached: new Set(['EXITED', 'TERMINATED']) };
const START: Action = {
  word: 'start',
  tried: 'Starting',
  reached: new Set(['PROVISIONING', 'STARTING', 'RUNNING']),
};

const MOST_TRIES = 3;

function askFor(line: Line, id: string, action: Action): Ask {
  return {
    tried: `${action.tried} pod ${id}`,
    method: 'POST',
    url: podUrl(line, id, '/action'),
    json: { action: action.word },
    repeatable: false,
    state: `Pod ${id} is not known to have changed; it may run and bill`,
  };
}

/** The pod as answered, or the error as a value: what it means depends on a look at the pod. */
async function once(line: Line, id: string, action: Action): Promise<ProviderPod | WorldError> {
  const ask = askFor(line, id, action);
  try {
    const { answer } = await persist(line, ask);
    return answer.status === 200 ? podIn(line, ask, answer, id) : answerError(line, ask, answer);
  } catch (error) {
    if (error instanceof WorldError) return error;
    throw error;
  }
}

/** A stop may find the pod gone, which is as good; a start may not. */
function done(looked: Lookup, action: Action): ProviderPod | 'gone' | null {
  if (looked.kind === 'absent') return action.word === 'stop' ? 'gone' : null;
  return action.reached.has(looked.pod.status) ? looked.pod : null;
}

async function act(line: Line, id: string, action: Action): Promise<ProviderPod | 'gone'> {
  for (let attempt = 1; ; attempt += 1) {
    const answered = await once(line, id, action);
    if (!(answered instanceof WorldError)) return answered;
    const unknown = answered.failure === 'outcome-unknown' || answered.failure === 'timed-out';
    if (!unknown && answered.failure !== 'conflict' && answered.failure !== 'unexpected-answer')
      throw answered;
    await line.clock.sleep(backoffMs(attempt, line.limits, line.random));
    const found = done(await lookUp(line, id), action);
    if (found !== null) return found;
    if (!unknown || attempt === MOST_TRIES) throw answered;
  }
}

export async function stopPod(line: Line, id: string): Promise<void> {
  await act(line, id, STOP);
}

/** The pod as it is after the start; a host without free GPUs is `write-refused` in RunPod's words. */
export async function startPod(line: Line, id: string): Promise<ProviderPod> {
  const pod = await act(line, id, START);
  if (pod !== 'gone') return pod;
  throw new WorldError('not-found', {
    tried: `Starting pod ${id}`,
    cameBack: 'there is no such pod any more',
    state: `Pod ${id} does not run`,
    next: 'Create a new pod',
  });
}
