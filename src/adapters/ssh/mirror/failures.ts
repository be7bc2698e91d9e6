/** How a pull fails, in sentences that say what state the artifacts and the pod are in. */
import { ConfigError, WorldError, type WorldFailure } from '../../../domain/errors.ts';
import type { PullSpec } from '../../../ports.ts';
import { oneLine } from '../failures.ts';
import type { NoListing } from './listing.ts';
import { Hostile } from './receive.ts';

const NEXT: Partial<Record<WorldFailure, string>> = {
  'timed-out': 'Try again with more time; complete files of this try need not come twice',
  'no-space': 'Free some space, name a local path on a larger disk, or pull a smaller remote path',
  'not-found': 'Check the remote path, or declare that there are no artifacts',
  'unexpected-answer': 'Do not trust this pod; look at what runs there',
};

export type Happened = { readonly cameBack: string; readonly cause?: unknown; readonly next?: string };

/** `kept` = where unfinished files were kept, null when there are none. */
export function pullFailure(
  failure: WorldFailure,
  spec: PullSpec,
  happened: Happened,
  kept: string | null = null,
): WorldError {
  const partial = kept === null ? '' : `; what came so far lies unverified in ${kept}`;
  return new WorldError(
    failure,
    {
      tried: `Pull ${spec.remotePath} from pod ${spec.podId}`,
      cameBack: happened.cameBack,
      state: `Nothing counts as pulled, an earlier copy stays as it was${partial}. The pod may still bill`,
      next: happened.next ?? NEXT[failure] ?? 'Try again',
      cause: happened.cause,
    },
    { retryable: failure === 'timed-out' || failure === 'incomplete-answer', leftAt: kept },
  );
}

/** Why the pod gave no list of its files. */
export function noListing(spec: PullSpec, none: NoListing): WorldError {
  const detail = oneLine(none.detail);
  switch (none.kind) {
    case 'lacking':
      return pullFailure('unexpected-answer', spec, {
        cameBack: `the pod's image lacks ${detail.split(' ').join(', ')}`,
        next: 'Install it in the image; without it no artifact can be copied and verified',
      });
    case 'absent':
      return pullFailure('not-found', spec, { cameBack: `${detail} does not exist on the pod` });
    case 'closed':
      return pullFailure('forbidden', spec, { cameBack: `${detail} may not be entered by this user` });
    case 'garbled':
      return pullFailure('incomplete-answer', spec, { cameBack: `the list of files is damaged: ${detail}` });
  }
}

/** Whatever ended a pull, as an error of ours. */
export function asFailure(error: unknown, spec: PullSpec, kept: string | null): WorldError | ConfigError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (error instanceof ConfigError) return error;
  if (error instanceof WorldError) {
    if (kept === null || error.message.includes(kept)) return error;
    return pullFailure(error.failure, spec, { cameBack: error.told.cameBack, cause: error }, kept);
  }
  if (error instanceof Hostile) {
    const cameBack = `the pod sent what it was not asked for: ${oneLine(error.message)}`;
    return pullFailure('unexpected-answer', spec, { cameBack, cause: error }, kept);
  }
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return pullFailure('no-space', spec, { cameBack: 'the disk here is full', cause: error }, kept);
  }
  if (code !== undefined) {
    const cameBack = `writing here failed: ${oneLine(String(error))}`;
    const next = 'Check the local path and its rights';
    return pullFailure('write-refused', spec, { cameBack, cause: error, next }, kept);
  }
  const cameBack = `the stream could not be read: ${oneLine(String(error))}`;
  return pullFailure('incomplete-answer', spec, { cameBack, cause: error }, kept);
}
