/** RunPod's GraphQL: still the only place of balance and spend; it answers 200 to most errors. */
import { WorldError, type WorldFailure } from '../../domain/errors.ts';
import type { Ask } from './exchange.ts';
import type { Line } from './options.ts';
import { answerError } from './refusals.ts';
import { persist } from './retry.ts';
import { graphqlBody } from './schemas.ts';
import { harmless, jsonOf } from './words.ts';

type GraphqlCall = {
  readonly tried: string;
  readonly state: string;
  readonly query: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly repeatable: boolean;
  readonly write: boolean;
};

export type GraphqlReply = {
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly errors: readonly { readonly message: string; readonly code: string | null }[];
};

function askOf(line: Line, call: GraphqlCall): Ask {
  return {
    tried: call.tried,
    method: 'POST',
    url: line.graphql,
    json: { query: call.query, ...(call.variables === undefined ? {} : { variables: call.variables }) },
    repeatable: call.repeatable,
    state: call.state,
  };
}

/** 200 and 400 carry a GraphQL body; everything else, and every other body, is a WorldError. */
export async function queryGraphql(line: Line, call: GraphqlCall): Promise<GraphqlReply> {
  const ask = askOf(line, call);
  const { answer } = await persist(line, ask);
  const read = answer.status === 200 || answer.status === 400 ? graphqlBody.safeParse(jsonOf(answer)) : null;
  if (read === null || !read.success || (answer.status === 400 && (read.data.errors ?? []).length === 0)) {
    throw answerError(line, ask, answer);
  }
  const errors = (read.data.errors ?? []).map(({ message, extensions }) => ({
    message: harmless(message, line.redact),
    code: extensions?.code ?? null,
  }));
  return { status: answer.status, data: read.data.data ?? null, errors };
}

/** Whether one of the errors says that the key may not: `Unauthorized` comes with HTTP 200. */
export function saysUnauthorized(reply: GraphqlReply): boolean {
  return reply.errors.some(({ message }) => /^(?:unauthorized|forbidden|access denied)\b/i.test(message));
}

/** A reply that carries errors, or lacks what was asked for. */
export function graphqlError(line: Line, call: GraphqlCall, reply: GraphqlReply): WorldError {
  const forbidden = saysUnauthorized(reply);
  const failure: WorldFailure = forbidden
    ? 'forbidden'
    : call.write
      ? 'outcome-unknown'
      : 'unexpected-answer';
  const first = reply.errors[0]?.message;
  return new WorldError(
    failure,
    {
      tried: call.tried,
      cameBack: `HTTP ${reply.status}, ${first === undefined ? 'without the field asked for' : `error: ${first}`}`,
      state: call.state,
      next: forbidden
        ? `Give a key with read and write permission for GraphQL at ${line.graphql.host}`
        : 'Look at the pod before trying again',
    },
    { status: reply.status },
  );
}
