/** Who calls, and what a key of that kind may do. */
import type { ApiKey, World } from './state.ts';

/** `stranger` = a key that is wrong or revoked; `anonymous` = none was sent. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'stranger' }
  | { readonly kind: 'account'; readonly writes: boolean }
  | { readonly kind: 'pod'; readonly podId: string };

export function callerOf(world: World, key: string | null): Caller {
  if (key === null) return { kind: 'anonymous' };
  const known: ApiKey | undefined = world.keys.find((one) => one.key === key);
  if (known === undefined || known.revoked) return { kind: 'stranger' };
  if (known.podId !== null) return { kind: 'pod', podId: known.podId };
  return { kind: 'account', writes: known.scope === 'full' };
}

export type PodDeed = 'read' | 'stop' | 'terminate' | 'other';

/** What the key inside a pod may do over GraphQL: look at its own pod, and as far as the settings go, end it. */
export function podKeyMay(world: World, deed: PodDeed): boolean {
  const { podKey } = world.settings;
  if (deed === 'read') return true;
  if (deed === 'stop') return podKey === 'stop-only';
  return deed === 'terminate' && podKey === 'terminate';
}
