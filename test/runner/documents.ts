/** Workflow and action files, parsed and checked by GitHub's own parser, with the tokens that are evaluated later. */
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { parseAction } from '@actions/workflow-parser/actions/index';
import { convertToIfCondition } from '@actions/workflow-parser/model/converter/if-condition';
import type { TemplateContext } from '@actions/workflow-parser/templates/template-context';
import {
  MappingToken,
  SequenceToken,
  type TemplateToken,
} from '@actions/workflow-parser/templates/tokens/index';
import { type Plain, plainOf, plainText } from './expressions.ts';

/** A file that GitHub would refuse before anything runs. */
export class RefusedDocument extends Error {}

export type Condition = { readonly text: string; readonly allowed: readonly string[] };

export type StepDocument = {
  /** What `steps.<id>` calls it; generated ones begin with `__` and leave no trace in the context. */
  readonly id: string;
  readonly name: TemplateToken | undefined;
  readonly condition: Condition;
  readonly uses: string | null;
  readonly run: TemplateToken | undefined;
  readonly with: TemplateToken | undefined;
  readonly env: TemplateToken | undefined;
  readonly shell: TemplateToken | undefined;
  readonly workingDirectory: TemplateToken | undefined;
  readonly continueOnError: TemplateToken | undefined;
  readonly timeoutMinutes: TemplateToken | undefined;
};

export type JobDocument = {
  readonly key: string;
  readonly name: TemplateToken | undefined;
  readonly needs: readonly string[];
  readonly condition: Condition;
  readonly steps: readonly StepDocument[];
  readonly env: TemplateToken | undefined;
  readonly outputs: TemplateToken | undefined;
  readonly strategy: TemplateToken | undefined;
  readonly defaults: TemplateToken | undefined;
  readonly continueOnError: TemplateToken | undefined;
  readonly timeoutMinutes: TemplateToken | undefined;
  readonly permissions: Plain | undefined;
};

export type WorkflowDocument = {
  readonly name: string;
  readonly env: TemplateToken | undefined;
  readonly defaults: TemplateToken | undefined;
  readonly permissions: Plain | undefined;
  /** Inputs of workflow_dispatch with their defaults and kinds. */
  readonly inputs: ReadonlyMap<string, { readonly kind: string; readonly fallback: Plain }>;
  readonly events: readonly string[];
  readonly jobs: readonly JobDocument[];
};

export type ActionDocument = {
  readonly inputs: ReadonlyMap<string, TemplateToken | undefined>;
  readonly outputs: ReadonlyMap<string, TemplateToken | undefined>;
  readonly runs:
    | { readonly using: 'composite'; readonly steps: readonly StepDocument[] }
    | {
        readonly using: string;
        readonly main: string;
        readonly post: string | null;
        readonly postCondition: Condition;
      };
};

/** What a post or a default may look at. (runner: action_yaml.json; post-if is evaluated as it stands) */
const POST_CONTEXTS = [
  'runner',
  'github',
  'job',
  'strategy',
  'matrix',
  'env',
  'inputs',
  'always(0,0)',
  'success(0,0)',
  'failure(0,0)',
  'cancelled(0,0)',
];
const NOT_MODELLED = [
  'background',
  'wait',
  'wait-all',
  'cancel',
  'parallel',
  'container',
  'services',
  'snapshot',
];

function find(token: TemplateToken | undefined, key: string): TemplateToken | undefined {
  return token instanceof MappingToken ? token.find(key) : undefined;
}

function textAt(token: TemplateToken | undefined, key: string): string | null {
  const found = find(token, key);
  return found === undefined ? null : plainText(plainOf(found));
}

function check(context: TemplateContext, file: string): void {
  const errors = context.errors.getErrors();
  if (errors.length > 0)
    throw new RefusedDocument(`${file} is not valid:\n${errors.map(({ message }) => message).join('\n')}`);
}

function conditionOf(context: TemplateContext, token: TemplateToken | undefined): Condition {
  const converted = token === undefined ? undefined : convertToIfCondition(context, token);
  if (token === undefined || converted === undefined) return { text: 'success()', allowed: POST_CONTEXTS };
  return { text: converted.expression, allowed: token.definitionInfo?.allowedContext ?? [] };
}

function stepsOf(context: TemplateContext, token: TemplateToken | undefined): StepDocument[] {
  if (!(token instanceof SequenceToken)) return [];
  return [...token].map((step, at) => {
    for (const key of NOT_MODELLED)
      if (find(step, key) !== undefined)
        throw new RefusedDocument(`this runner does not model steps with ${key}`);
    return {
      id: textAt(step, 'id') ?? `__${at}`,
      name: find(step, 'name'),
      condition: conditionOf(context, find(step, 'if')),
      uses: textAt(step, 'uses'),
      run: find(step, 'run'),
      with: find(step, 'with'),
      env: find(step, 'env'),
      shell: find(step, 'shell'),
      workingDirectory: find(step, 'working-directory'),
      continueOnError: find(step, 'continue-on-error'),
      timeoutMinutes: find(step, 'timeout-minutes'),
    };
  });
}

function jobOf(context: TemplateContext, key: string, token: TemplateToken): JobDocument {
  for (const word of [...NOT_MODELLED, 'uses'])
    if (find(token, word) !== undefined)
      throw new RefusedDocument(`this runner does not model jobs with ${word}`);
  const needs = find(token, 'needs');
  const permissions = find(token, 'permissions');
  return {
    key,
    name: find(token, 'name'),
    needs: needs === undefined ? [] : [plainOf(needs)].flat().map(plainText),
    condition: conditionOf(context, find(token, 'if')),
    steps: stepsOf(context, find(token, 'steps')),
    env: find(token, 'env'),
    outputs: find(token, 'outputs'),
    strategy: find(token, 'strategy'),
    defaults: find(token, 'defaults'),
    continueOnError: find(token, 'continue-on-error'),
    timeoutMinutes: find(token, 'timeout-minutes'),
    permissions: permissions === undefined ? undefined : plainOf(permissions),
  };
}

function pairsOf(token: TemplateToken | undefined): [string, TemplateToken][] {
  return token instanceof MappingToken ? [...token].map(({ key, value }) => [key.toString(), value]) : [];
}

function eventNames(on: TemplateToken | undefined): string[] {
  if (on instanceof MappingToken) return pairsOf(on).map(([name]) => name);
  return on === undefined ? [] : [plainOf(on)].flat().map(plainText);
}

export async function readWorkflow(file: string, content: string): Promise<WorkflowDocument> {
  const { context, value } = parseWorkflow({ name: file, content }, new NoOperationTraceWriter());
  check(context, file);
  if (value === undefined) throw new RefusedDocument(`${file} is empty`);
  await convertWorkflowTemplate(context, value);
  check(context, file);
  const on = find(value, 'on');
  const inputs = pairsOf(find(find(on, 'workflow_dispatch'), 'inputs')).map(([name, input]) => {
    const fallback = find(input, 'default');
    return [
      name,
      {
        kind: textAt(input, 'type') ?? 'string',
        fallback: fallback === undefined ? null : plainOf(fallback),
      },
    ] as const;
  });
  const permissions = find(value, 'permissions');
  const jobs = pairsOf(find(value, 'jobs')).map(([key, token]) => jobOf(context, key, token));
  check(context, file);
  return {
    name: textAt(value, 'name') ?? file,
    env: find(value, 'env'),
    defaults: find(value, 'defaults'),
    permissions: permissions === undefined ? undefined : plainOf(permissions),
    inputs: new Map(inputs),
    events: eventNames(on),
    jobs,
  };
}

function runsOf(
  context: TemplateContext,
  runs: TemplateToken | undefined,
  file: string,
): ActionDocument['runs'] {
  const using = textAt(runs, 'using') ?? '';
  if (using === 'composite') return { using, steps: stepsOf(context, find(runs, 'steps')) };
  if (!/^node(12|16|20|24)$/.test(using))
    throw new RefusedDocument(
      `${file}: 'using: ${using}' is not supported, use 'docker', 'node12', 'node16', 'node20' or 'node24' instead.`,
    );
  if (find(runs, 'pre') !== undefined)
    throw new RefusedDocument(`${file}: this runner does not model \`pre\``);
  return {
    using,
    main: textAt(runs, 'main') ?? '',
    post: textAt(runs, 'post'),
    postCondition: { text: textAt(runs, 'post-if') ?? 'always()', allowed: POST_CONTEXTS },
  };
}

export function readAction(file: string, content: string): ActionDocument {
  const { context, value } = parseAction({ name: file, content }, new NoOperationTraceWriter());
  check(context, file);
  const runs = runsOf(context, find(value, 'runs'), file);
  check(context, file);
  const part = (name: string, key: string) =>
    new Map(pairsOf(find(value, name)).map(([id, token]) => [id, find(token, key)]));
  return { inputs: part('inputs', 'default'), outputs: part('outputs', 'value'), runs };
}
