/** How a registry that cannot be used is told: unreadable is never empty. */
import { WorldError } from '../errors.ts';
import { SCHEMA_VERSION } from '../pod.ts';
import { VERSION } from '../version.ts';

const UNTOUCHED = 'Nothing was written and no pod was touched';

export function newerSchema(place: string, path: string, version: number, needs?: string): WorldError {
  return new WorldError('registry-newer-schema', {
    tried: `Reading ${path} of the registry at ${place}`,
    cameBack: `it is of schema ${version}${needs === undefined ? '' : ` and needs podtrack ${needs}`}; this is ${VERSION}, which knows up to schema ${SCHEMA_VERSION}`,
    state: UNTOUCHED,
    next:
      needs === undefined ? `Use a podtrack that knows schema ${version}` : `Use podtrack ${needs} or newer`,
  });
}

/** A branch of that name exists and never held a registry: it is somebody else's. */
export function notARegistry(place: string): WorldError {
  return new WorldError('registry-unreadable', {
    tried: `Reading the registry at ${place}`,
    cameBack: 'the branch holds no valid meta.json, nor did it ever',
    state: UNTOUCHED,
    next: 'Name another branch with registry-branch, or restore the registry that was here',
  });
}

/** The branch was there and is gone. Starting anew would make every pod a stranger's. */
export function branchGone(place: string, lostTip: string): WorldError {
  return new WorldError('registry-rewound', {
    tried: `Reading the registry at ${place}`,
    cameBack: `the branch is gone; its last known tip was ${lostTip}`,
    state: UNTOUCHED,
    next: `Restore the branch at ${lostTip}, or delete the state branch too to start an empty registry on purpose`,
  });
}

export function foreignRegistry(place: string): WorldError {
  return new WorldError('registry-foreign', {
    tried: `Writing to the registry at ${place}`,
    cameBack: 'its meta.json names another repository: the branch was copied',
    state: 'Nothing was written',
    next: 'Remove the copied branches, point registry-repository at the one they came from, or start a registry of its own here: podtrack acknowledge copied --reason …',
  });
}
