/** A fresh stamp and pod name for a user's own create call: what makes a pod provably this registry's. */
import { type Owner, ownerIdentity } from '../domain/owner.ts';
import { formatStamp, podName } from '../domain/stamp.ts';
import type { World } from '../ports.ts';

export type Stamped = { readonly stamp: string; readonly podName: string };

/** Fresh at each call: a nonce that is used twice is a copied stamp, and nobody's. */
export function stampFor(
  { clock, chance }: Pick<World, 'clock' | 'chance'>,
  of: { readonly owner: Owner; readonly registryId: string; readonly ttlMs: number },
): Stamped {
  const mintedAt = clock.now();
  const nonce = chance.hex(8);
  const { repositoryId = null, runId = null } = of.owner.key ?? {};
  const ttlAt = mintedAt + of.ttlMs;
  return {
    stamp: formatStamp({ registryId: of.registryId, repositoryId, runId, mintedAt, ttlAt, nonce }),
    podName: podName(chance.sha256(ownerIdentity(of.owner)), nonce),
  };
}
