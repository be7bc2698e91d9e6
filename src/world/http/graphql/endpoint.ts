/** POST /graphql: a real parser and executor over the small schema, with the HTTP statuses the real endpoint was seen to use. */
import {
  type DocumentNode,
  executeSync,
  type FieldNode,
  GraphQLError,
  getOperationAST,
  getVariableValues,
  Kind,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
  valueFromASTUntyped,
} from 'graphql';
import { z } from 'zod';
import type { Occasion, Operation } from '../../model/faults.ts';
import type { World } from '../../model/state.ts';
import { accessOf } from '../access.ts';
import type { Lookout, WorldRequest } from '../call.ts';
import { after, before, type Ending, type ErrorWords } from '../interference.ts';
import { json, problem, type Reply } from '../reply.ts';
import { mutations } from './mutations.ts';
import { queries } from './queries.ts';
import { worldSchema } from './schema.ts';

const schema = worldSchema();
const rules = [...specifiedRules, NoSchemaIntrospectionCustomRule];
const variables = z.record(z.string(), z.unknown());

const bodySchema = z.object({
  query: z.string(),
  variables: variables.nullish(),
  operationName: z.string().nullish(),
});

/** A request as far as it could be read; `reply` = it could not. */
export interface GraphqlQuestion {
  readonly occasion: Occasion;
  readonly field: string;
  readonly document: DocumentNode | null;
  readonly variables: Record<string, unknown>;
  readonly operationName: string | null;
  readonly reply: Reply | null;
}

const OPERATION_OF: Readonly<Record<string, Operation>> = {
  myself: 'listPods',
  pod: 'getPod',
  podStop: 'podAction',
  podResume: 'podAction',
  podTerminate: 'deletePod',
  podFindAndDeployOnDemand: 'createPod',
  deployCpuPod: 'createPod',
  gpuTypes: 'catalog',
  dataCenters: 'catalog',
  createNetworkVolume: 'networkVolumes',
  updateNetworkVolume: 'networkVolumes',
  deleteNetworkVolume: 'networkVolumes',
  saveTemplate: 'templates',
  deleteTemplate: 'templates',
  updateUserSettings: 'updateSshKeys',
};

function errorList(errors: readonly GraphQLError[]): { message: string }[] {
  return errors.map(({ message, path, extensions }) => ({
    message,
    ...(path === undefined ? {} : { path }),
    ...(Object.keys(extensions).length === 0 ? {} : { extensions }),
  }));
}

function badRequest(errors: readonly GraphQLError[]): Reply {
  return json(400, { errors: errorList(errors) });
}

function podIdIn(field: FieldNode, values: Record<string, unknown>): string | null {
  const argument = field.arguments?.find(({ name }) => name.value === 'input');
  if (argument === undefined) return null;
  const input: unknown = valueFromASTUntyped(argument.value, values);
  if (typeof input !== 'object' || input === null || !('podId' in input)) return null;
  return typeof input.podId === 'string' ? input.podId : null;
}

/** `myself` asks for the list only if `pods` is among its fields; else it is about the account. */
function operationOf(field: FieldNode): Operation {
  const asksPods = field.selectionSet?.selections.some(
    (one) => one.kind === Kind.FIELD && one.name.value === 'pods',
  );
  if (field.name.value === 'myself' && asksPods !== true) return 'account';
  return OPERATION_OF[field.name.value] ?? 'unknown';
}

function unreadable(reply: Reply): GraphqlQuestion {
  const occasion: Occasion = { operation: 'unknown', podId: null };
  return { occasion, field: '', document: null, variables: {}, operationName: null, reply };
}

/** Reads a request without doing anything yet, so that faults can be picked by what it is about. */
export function readGraphql(request: WorldRequest): GraphqlQuestion {
  let body: unknown;
  try {
    body = JSON.parse(request.body);
  } catch {
    return unreadable(badRequest([new GraphQLError('POST body sent invalid JSON.')]));
  }
  const read = bodySchema.safeParse(body);
  if (!read.success) return unreadable(badRequest([new GraphQLError('Must provide query string.')]));
  const values = read.data.variables ?? {};
  const operationName = read.data.operationName ?? null;
  let document: DocumentNode;
  try {
    document = parse(read.data.query);
  } catch (error) {
    return unreadable(badRequest([error instanceof GraphQLError ? error : new GraphQLError(String(error))]));
  }
  const first = getOperationAST(document, operationName)?.selectionSet.selections[0];
  if (first?.kind !== Kind.FIELD) return { ...unreadable(badRequest([])), document, reply: null };
  const occasion = { operation: operationOf(first), podId: podIdIn(first, values) };
  return { occasion, field: first.name.value, document, variables: values, operationName, reply: null };
}

function run(world: World, request: WorldRequest, question: GraphqlQuestion, lookout: Lookout): Reply {
  const { document, variables: values, operationName } = question;
  if (document === null) return question.reply ?? badRequest([]);
  const access = accessOf(world, request, question.occasion);
  if (access.kind === 'stranger') return json(401, { errors: [{ message: 'Unauthorized' }] });
  const invalid = validate(schema, document, rules);
  if (invalid.length > 0) return badRequest(invalid);
  const operation = getOperationAST(document, operationName);
  if (operation == null) return badRequest([new GraphQLError('Must provide operation name.')]);
  const coerced = getVariableValues(schema, operation.variableDefinitions ?? [], values);
  if (coerced.errors !== undefined) return badRequest(coerced.errors);
  const { data, errors } = executeSync({
    schema,
    document,
    rootValue: { ...queries, ...mutations },
    contextValue: { world, access, lookout },
    variableValues: values,
    operationName,
  });
  return json(200, errors === undefined ? { data } : { errors: errorList(errors), data });
}

/** Errors as this endpoint words them: a missing pod is a 200 with a code, the rest plain JSON with the status. */
function wordsFor(question: GraphqlQuestion): ErrorWords {
  return (status, detail) => {
    if (status !== 404) return problem(status, detail);
    const { field } = question;
    const error = {
      message: 'pod not found to terminate',
      path: [field],
      extensions: { code: 'POD_NOT_FOUND' },
    };
    return json(200, { errors: [error], data: { [field]: null } });
  };
}

/** Answers one GraphQL request. */
export function answerGraphql(
  world: World,
  request: WorldRequest,
  question: GraphqlQuestion,
  lookout: Lookout,
): Ending {
  const words = wordsFor(question);
  const early = before(world, question.occasion, words);
  return early ?? after(world, question.occasion, run(world, request, question, lookout), words);
}
