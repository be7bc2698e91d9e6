/** What the credential ladder may use when a door arms a pod, and where the switch will call. */
import type { Env } from '../domain/owner-from-env.ts';
import type { ArmKeys } from '../flows/arm.ts';
import type { SwitchTokens } from './credentials.ts';
import { switchAddresses } from './wire.ts';
import { yesOrNo } from './words.ts';

export type KeysWish = {
  readonly tokens: SwitchTokens;
  readonly apiKey: string;
  /** The input allow-full-key as it was written. */
  readonly allowFull: string;
};

/** The account's own key goes onto a pod only where somebody said so in as many words. */
export function armKeys(env: Env, { tokens, apiKey, allowFull }: KeysWish): ArmKeys {
  const full = yesOrNo(allowFull, 'allow-full-key', false) ? apiKey : null;
  return { ...tokens, full, ...switchAddresses(env), tickS: null };
}
