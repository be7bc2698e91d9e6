/** The legs of a `strategy.matrix`, in the order in which GitHub numbers them. */
import { isList, type Plain } from './expressions.ts';

export type Leg = {
  readonly matrix: { readonly [key: string]: Plain } | null;
  readonly index: number;
  readonly total: number;
};

export type Strategy = {
  readonly legs: readonly Leg[];
  readonly failFast: boolean;
  /** Unlimited = as many as there are legs. */
  readonly maxParallel: number;
};

type Combination = Readonly<Record<string, Plain>>;

function isMapping(value: Plain | undefined): value is Combination {
  return typeof value === 'object' && value !== null && !isList(value);
}

function same(left: Plain | undefined, right: Plain | undefined): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function listOf(value: Plain | undefined): readonly Combination[] {
  return isList(value) ? value.filter(isMapping) : [];
}

function product(axes: readonly (readonly [string, Plain])[]): Combination[] {
  return axes.reduce<Combination[]>(
    (so, [name, values]) =>
      so.flatMap((each) => (isList(values) ? values : [values]).map((value) => ({ ...each, [name]: value }))),
    [{}],
  );
}

/** An include joins every combination that it would not change, or becomes one of its own. */
function withIncludes(
  base: readonly Combination[],
  includes: readonly Combination[],
  axes: readonly string[],
): Combination[] {
  const combinations = base.map((each) => ({ original: each, now: { ...each } }));
  const added: Combination[] = [];
  for (const include of includes) {
    const hosts = combinations.filter(({ original }) =>
      Object.entries(include).every(([key, value]) => !axes.includes(key) || same(original[key], value)),
    );
    if (hosts.length === 0) added.push(include);
    for (const host of hosts) host.now = { ...host.now, ...include };
  }
  return [...combinations.map(({ now }) => now), ...added];
}

export function strategyOf(strategy: Plain): Strategy {
  const given = isMapping(strategy) ? strategy : {};
  const matrix = given['matrix'];
  const limit = given['max-parallel'];
  const failFast = given['fail-fast'] !== false;
  if (!isMapping(matrix)) return { legs: [{ matrix: null, index: 0, total: 1 }], failFast, maxParallel: 1 };
  const axes = Object.entries(matrix).filter(([name]) => name !== 'include' && name !== 'exclude');
  const excluded = listOf(matrix['exclude']);
  const kept = (axes.length === 0 ? [] : product(axes)).filter(
    (each) => !excluded.some((out) => Object.entries(out).every(([key, value]) => same(each[key], value))),
  );
  const combinations = withIncludes(
    kept,
    listOf(matrix['include']),
    axes.map(([name]) => name),
  );
  if (combinations.length === 0) throw new Error('Matrix vector does not contain any values');
  if (combinations.length > 256) throw new Error('a matrix has at most 256 jobs');
  const legs = combinations.map((each, index) => ({ matrix: each, index, total: combinations.length }));
  return { legs, failFast, maxParallel: typeof limit === 'number' && limit > 0 ? limit : legs.length };
}

/** `train (a, 1)`: scalars of the matrix in order. */
export function legName(key: string, leg: Leg): string {
  if (leg.matrix === null) return key;
  const words = Object.values(leg.matrix).flatMap((value) =>
    typeof value === 'object' ? [] : [String(value)],
  );
  return words.length === 0 ? key : `${key} (${words.join(', ')})`;
}
