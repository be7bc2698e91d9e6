/** Every verb in one line; what they do is loaded only when one is asked for, so that help stays cheap. */
import type { Verb } from './call.ts';

export type VerbEntry = { readonly name: string; readonly summary: string };

export const VERBS = [
  { name: 'whoami', summary: 'who this process is, whose account, which registry' },
  { name: 'register', summary: 'enter a running pod into the registry and arm it' },
  { name: 'register-many', summary: 'enter the pods of a whole fan-out in one commit' },
  { name: 'list', summary: 'the pods of the registry beside what the account shows' },
  { name: 'claim', summary: 'take over a pod from its owner, explicitly' },
  { name: 'arm', summary: 'plant the dead-man switch on a pod and prove that it lives' },
  { name: 'pet', summary: 'push the stop of the switch further ahead' },
  { name: 'extend', summary: 'move the owner deadline of a pod further ahead' },
  { name: 'keep', summary: 'keep a pod for a while after its job, at most to its cap' },
  { name: 'probe', summary: 'look at a pod: GPU, heartbeat, switch' },
  { name: 'heartbeat', summary: 'say in the registry that the owner of a pod is there' },
  { name: 'job-heartbeat', summary: 'write the job heartbeat on a pod, for a job that runs here' },
  { name: 'sync', summary: 'pull the artifacts of a pod now' },
  { name: 'teardown', summary: 'pull, verify and end a pod of yours, or all of a run' },
  { name: 'reconcile', summary: 'hold the registry against the account, ending nothing' },
  { name: 'reap', summary: 'one cycle: look, judge, pet, mirror, arm again, end' },
  { name: 'history', summary: 'what happened, line by line, from git' },
  { name: 'events', summary: 'what happened since a moment, one event per operation' },
  { name: 'explain', summary: 'why a pod lives or was ended, and what ends it next' },
  { name: 'replay', summary: 'the verdict of a commit, computed again from what git holds' },
  { name: 'repair', summary: 'restore damaged files from their last valid version' },
  { name: 'export', summary: 'the whole registry as one JSON document' },
  { name: 'import', summary: 'move or restore a registry from such a document' },
  { name: 'compact', summary: 'start the history anew; what was before stays archived' },
  { name: 'acknowledge', summary: 'a person has looked at an alarm that stops kills' },
  { name: 'adopt-key', summary: 'put the RunPod key into a file of its own' },
  { name: 'config', summary: 'every setting with its value and where it came from' },
  { name: 'demo', summary: 'watch it work: the main job end to end, on a world of its own' },
  { name: 'world', summary: 'serve an offline RunPod on this machine' },
] as const satisfies readonly VerbEntry[];

export type VerbName = (typeof VERBS)[number]['name'];

/** All verbs come in one piece: pieces of their own would each carry the same domain. Heavy hands are loaded later. */
export async function loadVerb(name: VerbName): Promise<Verb> {
  const { ACTS } = await import('./acts.ts');
  return ACTS[name];
}
