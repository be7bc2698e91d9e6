/** Who this process is: label and uuid, from flags, environment and what was persisted. */
import { join } from 'node:path';
import { persistedUuid } from '../../adapters/local-owner.ts';
import type { Owner } from '../../domain/owner.ts';
import { ownerFromEnv, runAddress } from '../../domain/owner-from-env.ts';
import { type Acting, actingOwner } from '../../flows/acting.ts';
import type { Call } from '../call.ts';
import { pick } from './pick.ts';
import { homeOf, onActions } from './places.ts';

export type Identity = {
  readonly owner: Owner;
  readonly acting: Acting;
  readonly labelOrigin: string;
  readonly uuidOrigin: string;
};

/** Throws ConfigError for a malformed label or uuid: neither is ever replaced by a default. */
export function identityOf(call: Call): Identity {
  const uuid = pick(call, { variable: 'PODTRACK_OWNER_UUID' });
  const folder = uuidFolder(call);
  const persisted = uuid === null ? persistedUuid(folder, call.chance) : '';
  const label = call.given.text('label') ?? '';
  const owner = ownerFromEnv(call.env, { label, uuid: persisted, matrix: '', checkRunId: '' });
  return {
    owner,
    acting: actingOwner(owner, runAddress(owner)),
    labelOrigin: labelOrigin(call, owner),
    uuidOrigin: uuid?.origin ?? join(folder, 'owner-uuid'),
  };
}

/** Jobs of several runners may share one home; the runner's temporary folder is one job's alone. */
function uuidFolder(call: Call): string {
  const temporary = call.env['RUNNER_TEMP']?.trim();
  return onActions(call.env) && temporary ? join(temporary, 'podtrack-cli') : homeOf(call).value;
}

function labelOrigin(call: Call, owner: Owner): string {
  const given = pick(call, { flag: 'label', variable: 'PODTRACK_LABEL' });
  if (given !== null) return given.origin;
  return owner.label === null ? 'not given' : 'this run';
}

/** Who acts as a person: on the registry itself, not on a pod of his. */
export function personOf(call: Call): Acting {
  const { acting } = identityOf(call);
  return { ...acting, actor: { ...acting.actor, kind: 'person' } };
}
