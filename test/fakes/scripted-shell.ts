/** A Shell in memory for flow tests: each pod is a door and a function that answers; every contact is written down. */
import { WorldError, type WorldFailure } from '../../src/domain/errors.ts';
import type { ScriptAnswer, ScriptCall, Shell, ShellSession, ShellTarget } from '../../src/ports.ts';

export type ScriptedPod = {
  hostKey: string;
  /** How the door fails; left out = it opens. */
  door?: 'no-route' | 'refused-login' | 'held-shut';
  /** What a script answers; a word is the way in which it fails. */
  answer: (call: ScriptCall) => ScriptAnswer | WorldFailure | Promise<ScriptAnswer | WorldFailure>;
};

export type ScriptedShell = Shell & {
  /** Pod ids in the order of their opening, refused ones included. */
  readonly opened: string[];
  readonly calls: { readonly podId: string; readonly call: ScriptCall }[];
  readonly openNow: () => number;
  networkWorks: boolean;
};

function failed(failure: WorldFailure, podId: string): WorldError {
  const told = {
    tried: `Reach pod ${podId}`,
    cameBack: failure,
    state: 'Nothing changed',
    next: 'Try again',
  };
  const retryable = failure !== 'refused-login' && failure !== 'wrong-host-key';
  return new WorldError(failure, told, { retryable });
}

function doorOf(pod: ScriptedPod | undefined, target: ShellTarget): WorldFailure | null {
  if (pod === undefined) return 'no-route';
  if (pod.door === 'no-route' || pod.door === 'held-shut') return pod.door;
  if (target.pins !== null && !target.pins.includes(pod.hostKey)) return 'wrong-host-key';
  return pod.door ?? null;
}

/** `pods` may be changed while the shell is in use. */
export function scriptedShell(pods: Map<string, ScriptedPod>): ScriptedShell {
  const opened: string[] = [];
  const calls: { podId: string; call: ScriptCall }[] = [];
  let openNow = 0;

  const sessionOf = (podId: string, hostKey: string): ShellSession => {
    let closed = false;
    return {
      podId,
      hostKey,
      async run(call) {
        const pod = pods.get(podId);
        if (closed || pod === undefined) throw failed('incomplete-answer', podId);
        calls.push({ podId, call });
        const answer = await pod.answer(call);
        if (typeof answer === 'string') throw failed(answer, podId);
        return answer;
      },
      async close() {
        if (!closed) openNow -= 1;
        closed = true;
      },
    };
  };

  return {
    opened,
    calls,
    openNow: () => openNow,
    networkWorks: true,
    async open(target) {
      opened.push(target.podId);
      const pod = pods.get(target.podId);
      const failure = doorOf(pod, target);
      if (failure !== null || pod === undefined) throw failed(failure ?? 'no-route', target.podId);
      openNow += 1;
      return sessionOf(target.podId, pod.hostKey);
    },
    async ownNetworkWorks() {
      return this.networkWorks;
    },
  };
}
