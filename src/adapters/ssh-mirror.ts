/** Mirror over SSH: looks, fetches what changed as one tar stream, compares all by size and SHA-256, promotes the whole. */

import type { Manifest, Pulled } from '../domain/artifacts.ts';
import { WorldError } from '../domain/errors.ts';
import type { Clock, Log, Mirror, PullSpec, ShellSession } from '../ports.ts';
import { bounded } from './ssh/bounded.ts';
import { listPod, type Visit } from './ssh/mirror/ask-pod.ts';
import { writeEvidence } from './ssh/mirror/evidence-folder.ts';
import { asFailure, pullFailure } from './ssh/mirror/failures.ts';
import { pullTree } from './ssh/mirror/pull-tree.ts';
import { freeBytesAt } from './ssh/mirror/space.ts';

export type SshMirrorOptions = {
  /** Copies lie in `<root>/<pod id>` unless a pull names its own folder. */
  readonly root: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Longest silence within a stream. */
  readonly silenceMs?: number;
  /** Bytes that stay free on this machine. */
  readonly reserveBytes?: number;
  /** How often changed files are fetched before they count as moving. */
  readonly rounds?: number;
  /** Free bytes where a folder is; the disk is asked unless a test answers. */
  readonly freeBytes?: (folder: string) => number;
};

/** Runs one visit within its budget and waits until nothing of it touches the disk any more. */
async function within<T>(visit: Visit, work: () => Promise<T>): Promise<T> {
  const { clock, spec, stop, untilAt } = visit;
  const overdue = (): Error => {
    const failure = pullFailure('timed-out', spec, {
      cameBack: `it was not done within ${spec.budgetMs / 1000} s`,
    });
    stop.abort(failure);
    return failure;
  };
  const working = work();
  return bounded({ clock, untilAt, overdue }, () => working).catch(async (early: unknown) => {
    // The work itself knows what it left behind; its word is the better one.
    return working.catch((late: unknown) => {
      throw asFailure(late ?? early, spec, null);
    });
  });
}

const NOWHERE = { remotePath: '/podtrack-no-such-path', choice: null, localPath: null, budgetMs: 30_000 };

/** See docs/facts/ssh.md for what the pod's side rests on. */
export function sshMirror(options: SshMirrorOptions): Mirror {
  const { root, log, clock } = options;
  const settings = {
    root,
    log,
    silenceMs: options.silenceMs ?? 60_000,
    reserveBytes: options.reserveBytes ?? 1024 ** 3,
    rounds: options.rounds ?? 3,
    freeBytes: options.freeBytes ?? freeBytesAt,
  };
  const visitOf = (session: ShellSession, spec: PullSpec): Visit => ({
    session,
    spec,
    clock,
    untilAt: clock.now() + spec.budgetMs,
    stop: new AbortController(),
  });

  return {
    pull(session, spec): Promise<Pulled> {
      const visit = visitOf(session, spec);
      return within(visit, () => pullTree(visit, settings));
    },
    manifest(session, spec): Promise<Manifest> {
      const visit = visitOf(session, spec);
      return within(visit, async () => (await listPod(visit)).manifest);
    },
    async ready(session) {
      // The look tells what the image lacks before it tells that there is no such path.
      const visit = visitOf(session, { ...NOWHERE, podId: session.podId });
      await within(visit, () => listPod(visit)).catch((error: unknown) => {
        if (!(error instanceof WorldError) || error.failure !== 'not-found') throw error;
      });
    },
    evidence: async (podId, texts) => writeEvidence(root, podId, texts),
  };
}
