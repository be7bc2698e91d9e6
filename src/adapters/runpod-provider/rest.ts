/** Addresses of REST v2, and the calls on one pod that several verbs need. */
import { ConfigError } from '../../domain/errors.ts';
import { podId } from '../../domain/pod.ts';
import type { Lookup } from '../../domain/provider-pod.ts';
import type { Ask } from './exchange.ts';
import type { Line } from './options.ts';
import { readPod } from './pod-shape.ts';
import { answerError, oddAnswer, saysAbsent } from './refusals.ts';
import { persist } from './retry.ts';
import { type Answer, jsonOf, shapeOf } from './words.ts';

/** An id becomes part of an address, and `/v2/pods/` without one is the whole collection: so it is checked first. */
export function podUrl(line: Line, id: string, rest = ''): URL {
  if (!podId.safeParse(id).success) {
    throw new ConfigError('pod', {
      tried: 'Asking RunPod about a pod',
      cameBack: 'the pod id is empty or holds characters that no pod id has',
      state: 'Nothing was asked and nothing was changed',
      next: 'Give the id as RunPod shows it: letters and digits',
    });
  }
  return new URL(`v2/pods/${id}${rest}`, line.rest);
}

/** The pod in a 200 answer, which must be the one that was asked about. */
export function podIn(
  line: Line,
  ask: Ask,
  answer: Answer,
  id: string,
): Extract<Lookup, { kind: 'present' }>['pod'] {
  const body = jsonOf(answer);
  const read = readPod(body, line.loopback);
  if ('malformed' in read) throw oddAnswer(ask, answer, `${shapeOf(answer)}: ${read.malformed.problem}`);
  if (read.pod.id !== id) throw oddAnswer(ask, answer, 'a pod with another id than the one asked for');
  return read.pod;
}

/** `absent` for a well-formed "no such pod" alone; TERMINATED is present and says so. */
export async function lookUp(line: Line, id: string): Promise<Lookup> {
  const ask: Ask = {
    tried: `Asking RunPod for pod ${id}`,
    method: 'GET',
    url: podUrl(line, id),
    repeatable: true,
    state: `Nothing was concluded about pod ${id}`,
  };
  const { answer } = await persist(line, ask);
  if (answer.status === 200) return { kind: 'present', pod: podIn(line, ask, answer, id) };
  if (saysAbsent(answer)) return { kind: 'absent' };
  throw answerError(line, ask, answer);
}
