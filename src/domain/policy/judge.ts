/** One pod's verdict before the breaker: the account, the policy, and the doubts about the registry. */
import type { Observation } from '../observation.ts';
import type { PodRecord } from '../pod.ts';
import { type Caution, restVerdict } from './caution.ts';
import { decide } from './decide.ts';
import type { DecideInput } from './input.ts';
import { type Verdict, verdict } from './reasons.ts';

/** Whether the key that looked belongs to the account that the record names. */
export type AccountLook = 'same' | 'other' | 'unknown';

export type JudgeInput = DecideInput & {
  readonly account: AccountLook;
  /** How many live records are away, when it is all of several; null = not so, or acknowledged. */
  readonly awayTogether: number | null;
  readonly cautions: readonly Pick<Caution, 'code'>[];
};

export type Judgement = {
  readonly verdict: Verdict;
  /** What the policy said before a caution put it to rest; null = the same. */
  readonly rested: Verdict | null;
};

/** Pure, and all that a verdict rests on but the breaker: `replay` asks the same function again. */
export function judge(input: JudgeInput): Judgement {
  const wanted = doubtOf(input) ?? decide(input);
  const resting = restVerdict(wanted, input.cautions);
  return { verdict: resting, rested: resting === wanted ? null : wanted };
}

export type Doubtful = Pick<JudgeInput, 'account' | 'awayTogether'> & {
  readonly record: Pick<PodRecord, 'fence'>;
  readonly observation: Pick<Observation, 'provider'>;
};

/** Another account, or every one of several live records away at once, concludes nothing of any pod. */
export function doubtOf({ record, observation, account, awayTogether }: Doubtful): Verdict | null {
  if (account === 'other') return verdict('other-account');
  if (observation.provider.kind !== 'absent' || record.fence?.step === 'deleted') return null;
  if (account === 'unknown') return verdict('account-unknown');
  return awayTogether === null ? null : verdict('all-absent', { records: awayTogether });
}

/** `here` = the account of the key that looked; null = it could not be asked. */
export function accountLook(record: Pick<PodRecord, 'account'>, here: string | null): AccountLook {
  if (record.account === null) return 'same';
  if (here === null) return 'unknown';
  return record.account === here ? 'same' : 'other';
}
