/** heartbeat and job-heartbeat: the owner is there, and the job is at work. */
import { heartbeat, jobHeartbeat } from '../../flows/heartbeat.ts';
import type { Answer, Call, Verb } from '../call.ts';
import { examples, ownerFlags, registryFlags, sshFlags } from '../flags.ts';
import { identityOf } from '../settings/identity.ts';
import { podIdOf } from '../settings/pick.ts';
import { wire } from '../wire.ts';

async function beat(call: Call): Promise<Answer> {
  const podId = podIdOf(call);
  const world = await wire(call, { apiKey: 'none', sshKey: 'none' });
  const { owner, acting } = identityOf(call);
  const { committed } = await heartbeat(world, { acting, owner, podId });
  const says = committed ? 'committed' : 'the last one is younger than 5 min; no commit was made';
  return {
    exitCode: 0,
    value: { pod: podId, committed },
    lines: (page) => [`${page.paint('ok', 'heartbeat')}: ${podId}: ${says}`],
  };
}

async function jobBeat(call: Call): Promise<Answer> {
  const podId = podIdOf(call);
  const world = await wire(call, { apiKey: 'needed', sshKey: 'needed' });
  const { owner, acting } = identityOf(call);
  await jobHeartbeat(world, { acting, owner, podId });
  return {
    exitCode: 0,
    value: { pod: podId, written: true },
    lines: (page) => [`${page.paint('ok', 'job heartbeat')}: ${podId}: written by the pod's own clock`],
  };
}

export const heartbeatVerb: Verb = {
  concernsPod: true,
  whenCut: { state: 'The heartbeat may or may not be in the registry', next: 'Run it again' },
  define(command) {
    command.argument('<pod-id>', 'a pod of yours');
    ownerFlags(command);
    registryFlags(command);
    examples(command, 'podtrack heartbeat abc123def456gh   # at most one commit per pod and 5 min');
  },
  act: beat,
};

export const jobHeartbeatVerb: Verb = {
  concernsPod: true,
  whenCut: { state: 'The heartbeat may or may not be on the pod', next: 'Run it again' },
  define(command) {
    command.argument('<pod-id>', 'a pod of yours');
    ownerFlags(command);
    sshFlags(command);
    registryFlags(command);
    examples(
      command,
      'podtrack job-heartbeat abc123def456gh',
      '# on the pod itself, for as long as the job lives:',
      'podtrack-job -- python train.py',
    );
  },
  act: jobBeat,
};
