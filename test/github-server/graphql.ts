/** POST /graphql: parsed, validated and run by the graphql package, refused in GitHub's words. */
import { type GraphQLError, graphql, Kind, parse } from 'graphql';
import { z } from 'zod';
import { type Asked, repositoryNode, TookTooLong } from './graph-reads.ts';
import { type CommitInput, createCommitOnBranch, type RefsInput, updateRefs } from './graph-writes.ts';
import { type GraphError, GraphRefusal, graphTimeout, type Reply } from './refusals.ts';
import type { Repository } from './repository.ts';
import { schemaOf } from './schema.ts';

const body = z.object({ query: z.string(), variables: z.record(z.string(), z.unknown()).optional() });

/** `query`, or the name of the first mutation in it. */
export function operationOf(text: string): string {
  try {
    const { query } = body.parse(JSON.parse(text));
    for (const definition of parse(query).definitions) {
      if (definition.kind !== Kind.OPERATION_DEFINITION || definition.operation !== 'mutation') continue;
      const [first] = definition.selectionSet.selections;
      return first?.kind === Kind.FIELD ? first.name.value : 'mutation';
    }
  } catch {
    // Told by the answer itself.
  }
  return 'query';
}

function toldAs(error: GraphQLError): GraphError {
  const locations = (error.locations ?? []).map(({ line, column }) => ({ line, column }));
  const unknown = /^Cannot query field "(\w+)" on type "(\w+)"/.exec(error.message);
  if (unknown !== null) {
    const [, fieldName = '', typeName = ''] = unknown;
    return {
      path: [typeName.toLowerCase(), fieldName],
      extensions: { code: 'undefinedField', typeName, fieldName },
      locations,
      message: `Field '${fieldName}' doesn't exist on type '${typeName}'`,
    };
  }
  const refused = error.originalError instanceof GraphRefusal ? { type: error.originalError.type } : {};
  return { ...refused, path: [...(error.path ?? [])], locations, message: error.message };
}

function forbidden(): GraphRefusal {
  return new GraphRefusal('FORBIDDEN', 'Resource not accessible by integration');
}

/** `found` = by `owner/name`; null where there is no repository of that name any more. */
export async function answerGraphql(
  text: string,
  of: { found(name: string): Repository | null; any: Repository; mayWrite: boolean },
): Promise<Reply> {
  const asked: Asked = { repository: of.any, blobs: 0 };
  const { query, variables } = body.parse(JSON.parse(text));
  const written = (name: string | undefined): void => {
    if (of.found(name ?? '') === null)
      throw new GraphRefusal('NOT_FOUND', `Could not resolve to a Repository with the name '${name}'.`);
    if (!of.mayWrite) throw forbidden();
  };
  const { graphql: bucket } = of.any.switches;
  const result = await graphql({
    schema: schemaOf(of.any.switches.commitMutations),
    source: query,
    variableValues: variables ?? {},
    rootValue: {
      repository: ({ owner, name }: { owner: string; name: string }) => {
        if (of.found(`${owner}/${name}`) !== null) return repositoryNode(asked);
        throw new GraphRefusal(
          'NOT_FOUND',
          `Could not resolve to a Repository with the name '${owner}/${name}'.`,
        );
      },
      rateLimit: {
        limit: bucket.limit,
        cost: 1,
        remaining: bucket.limit - bucket.used,
        used: bucket.used,
        resetAt: new Date(bucket.resetAt).toISOString(),
      },
      createCommitOnBranch: ({ input }: { input: CommitInput }) => {
        written(input.branch.repositoryNameWithOwner);
        return createCommitOnBranch(asked, input);
      },
      updateRefs: ({ input }: { input: RefsInput }) => {
        written(of.any.name);
        return updateRefs(asked, input);
      },
    },
  });
  if (result.errors?.some(({ originalError }) => originalError instanceof TookTooLong) === true)
    return graphTimeout();
  const errors = result.errors?.map(toldAs);
  return { status: 200, body: errors === undefined ? { data: result.data } : { data: result.data, errors } };
}
