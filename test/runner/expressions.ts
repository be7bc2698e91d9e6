/** `${{ }}`: tokens of GitHub's parser evaluated by GitHub's evaluator over contexts given as plain values. */
import { data, Evaluator, ExpressionError, Lexer, Parser } from '@actions/expressions';
import type { FunctionDefinition } from '@actions/expressions/funcs/info';
import { splitAllowedContext } from '@actions/workflow-parser/templates/allowed-context';
import {
  BasicExpressionToken,
  BooleanToken,
  MappingToken,
  NumberToken,
  SequenceToken,
  StringToken,
  type TemplateToken,
} from '@actions/workflow-parser/templates/tokens/index';

export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };
export type Texts = Readonly<Record<string, string>>;
export type Status = 'success' | 'failure' | 'cancelled';

/** What an expression sees at one place and moment. */
export type Scope = {
  readonly contexts: { readonly [name: string]: Plain };
  /** What success() and failure() look at. */
  readonly status: Status;
  /** What cancelled() looks at: always the job. */
  readonly cancelled: boolean;
};

/** Array.isArray does not narrow a readonly array. */
export function isList(value: Plain | undefined): value is readonly Plain[] {
  return Array.isArray(value);
}

function dataOf(value: Plain): data.ExpressionData {
  if (value === null) return new data.Null();
  if (typeof value === 'boolean') return new data.BooleanData(value);
  if (typeof value === 'number') return new data.NumberData(value);
  if (typeof value === 'string') return new data.StringData(value);
  if (isList(value)) return new data.Array(...value.map(dataOf));
  return new data.Dictionary(...Object.entries(value).map(([key, each]) => ({ key, value: dataOf(each) })));
}

function plainData(value: data.ExpressionData): Plain {
  switch (value.kind) {
    case data.Kind.Array:
      return value.values().map(plainData);
    case data.Kind.Dictionary:
      return Object.fromEntries(value.pairs().map(({ key, value: each }) => [key, plainData(each)]));
    case data.Kind.Null:
      return null;
    case data.Kind.Boolean:
    case data.Kind.Number:
    case data.Kind.String:
      return 'value' in value ? (value.value as Plain) : null;
    default:
      return null;
  }
}

function functionsOf(scope: Scope): FunctionDefinition[] {
  const says = (name: string, answer: () => boolean): FunctionDefinition => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(answer()),
  });
  return [
    says('always', () => true),
    says('success', () => scope.status === 'success'),
    says('failure', () => scope.status === 'failure'),
    says('cancelled', () => scope.cancelled),
    {
      name: 'hashfiles',
      minArgs: 1,
      maxArgs: 255,
      call: () => {
        throw new Error('this runner does not model hashFiles()');
      },
    },
  ];
}

/** `allowed` as the schema gives it: names of contexts, and functions as `name(min,max)`. */
export function evaluate(text: string, allowed: readonly string[], scope: Scope): data.ExpressionData {
  const { namedContexts, functions } = splitAllowedContext([...allowed]);
  const tree = new Parser(new Lexer(text).lex().tokens, namedContexts, functions).parse();
  if (tree === undefined) return new data.StringData('');
  const contexts = new data.Dictionary(
    ...namedContexts.map((name) => ({ key: name, value: dataOf(scope.contexts[name] ?? null) })),
  );
  const known = new Map(functionsOf(scope).map((each) => [each.name, each]));
  return new Evaluator(tree, contexts, known).evaluate();
}

export function holds(condition: { text: string; allowed: readonly string[] }, scope: Scope): boolean {
  const text = condition.text.replace(/^\s*\$\{\{(.*)\}\}\s*$/s, '$1');
  const value = evaluate(text, condition.allowed, scope);
  if (value.kind === data.Kind.Boolean || value.kind === data.Kind.Number || value.kind === data.Kind.String)
    return Boolean(plainData(value));
  return value.kind !== data.Kind.Null;
}

function read(token: TemplateToken, scope: Scope | null): data.ExpressionData {
  if (token instanceof StringToken) return new data.StringData(token.value);
  if (token instanceof BooleanToken) return new data.BooleanData(token.value);
  if (token instanceof NumberToken) return new data.NumberData(token.value);
  if (token instanceof SequenceToken) return new data.Array(...[...token].map((each) => read(each, scope)));
  if (token instanceof MappingToken)
    return new data.Dictionary(
      ...[...token].map(({ key, value }) => ({
        key: read(key, scope).coerceString(),
        value: read(value, scope),
      })),
    );
  if (token instanceof BasicExpressionToken) {
    if (scope === null) return new data.StringData(`\${{ ${token.expression} }}`);
    return evaluate(token.expression, token.definitionInfo?.allowedContext ?? [], scope);
  }
  return new data.Null();
}

/** The value of a token; expressions in it are evaluated. */
export function valueIn(token: TemplateToken | undefined, scope: Scope): Plain {
  return token === undefined ? null : plainData(read(token, scope));
}

/** The text of a scalar token, as the runner hands it on: null is empty, an object is the word Object. */
export function textOf(token: TemplateToken | undefined, scope: Scope): string {
  return token === undefined ? '' : read(token, scope).coerceString();
}

/** A mapping of texts: `with`, `env`, `outputs`. */
export function textsOf(token: TemplateToken | undefined, scope: Scope): Record<string, string> {
  if (token === undefined) return {};
  const value = read(token, scope);
  if (value.kind === data.Kind.Null) return {};
  if (value.kind !== data.Kind.Dictionary) throw new Error('a mapping was expected');
  return Object.fromEntries(value.pairs().map(({ key, value: each }) => [key, each.coerceString()]));
}

/** A token without its expressions evaluated: for what is known before anything runs. */
export function plainOf(token: TemplateToken): Plain {
  return plainData(read(token, null));
}

/** A plain scalar as text; null is empty. */
export function plainText(value: Plain | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** What went wrong in words that fit an annotation. */
export function saidBy(error: unknown): string {
  return error instanceof ExpressionError || error instanceof Error ? error.message : String(error);
}
