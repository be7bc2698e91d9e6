/** Who the account is and what it has and spends; every way of not knowing has a reason of its own. */
import { WorldError } from '../../domain/errors.ts';
import { type Part, seen, unseen } from '../../domain/part.ts';
import type { Money } from '../../ports.ts';
import { type GraphqlReply, queryGraphql, saysUnauthorized } from './graphql.ts';
import type { Line } from './options.ts';
import { myself } from './schemas.ts';

type Account = { readonly id: string } & Money;

const CALL = {
  tried: 'Asking RunPod for the account',
  state: 'Nothing was concluded about balance or spend',
  query: 'query{myself{id clientBalance currentSpendPerHr}}',
  repeatable: true,
  write: false,
} as const;

/** Errors first: with them whatever stands beside them in `data` proves nothing. */
function accountIn(reply: GraphqlReply): Part<Account> {
  if (saysUnauthorized(reply)) {
    return unseen('key-may-not-see-account: RunPod says Unauthorized, as for a pod-scoped or restricted key');
  }
  const first = reply.errors[0];
  if (first !== undefined) return unseen(`account-error: ${first.message}`);
  if (reply.data === null || !('myself' in reply.data)) return unseen('account-not-in-answer');
  if (reply.data['myself'] === null) return unseen('anonymous: RunPod names no account for this key');
  const read = myself.safeParse(reply.data['myself']);
  if (!read.success) return unseen('account-of-another-shape');
  return seen({
    id: read.data.id,
    balanceMicroUsd: read.data.clientBalance,
    spendPerHourMicroUsd: read.data.currentSpendPerHr,
  });
}

/** Fails soft: a RunPod that does not tell its balance is no reason to leave pods alone. */
export async function readAccount(line: Line): Promise<Part<Account>> {
  try {
    return accountIn(await queryGraphql(line, CALL));
  } catch (error) {
    if (error instanceof WorldError) return unseen(`${error.failure}: ${error.told.cameBack}`);
    throw error;
  }
}
