/** Where a `uses:` leads: to a checkout, into the workspace, or to a stand-in that the test names. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ActionDocument, type Condition, readAction, type StepDocument } from './documents.ts';
import type { Texts } from './expressions.ts';

/** The repository, at its commit, of the file in which a `uses:` stands. */
export type Origin = { readonly folder: string; readonly name: string; readonly ref: string };

export type StandInCall = {
  readonly inputs: Texts;
  readonly env: Texts;
  readonly workspace: string;
  readonly state: Texts;
  say(line: string): void;
  setOutput(name: string, value: string): void;
  saveState(name: string, value: string): void;
  exportVariable(name: string, value: string): void;
  addPath(folder: string): void;
};

/** A foreign action, played by the test. A throw fails the step. */
export type StandIn = {
  readonly defaults?: Texts;
  main(call: StandInCall): void | Promise<void>;
  post?(call: StandInCall): void | Promise<void>;
};

export type Place =
  | {
      readonly kind: 'files';
      readonly label: string;
      readonly folder: string;
      readonly origin: Origin;
      readonly local: boolean;
    }
  | { readonly kind: 'stand-in'; readonly label: string; readonly action: StandIn };

export type Repositories = {
  /** `owner/repo@ref` → folder of that checkout. */
  readonly checkouts: Texts;
  /** `owner/repo` or `owner/repo/path`, whatever the ref. */
  readonly standIns: Readonly<Record<string, StandIn>>;
  readonly workflow: Origin;
  /** False = a runner before 2.336.0, or a server that does not know `$/`. */
  readonly knowsSelfReference: boolean;
};

const MOST_DEPTH = 9;
const ALWAYS: Condition = { text: 'always()', allowed: ['always(0,0)'] };

export function placeOf(uses: string, from: Origin, known: Repositories, workspace: string): Place {
  if (uses.startsWith('docker://')) throw new Error('this runner does not model docker actions');
  if (uses.startsWith('./'))
    return { kind: 'files', label: uses, folder: join(workspace, uses), origin: known.workflow, local: true };
  if (uses.startsWith('$/')) {
    if (!known.knowsSelfReference)
      throw new Error(
        "Unable to resolve self-reference '$/'. This can occur when the server does not support this syntax, the feature flag is disabled, or the workflow context (repository/SHA) is unavailable.",
      );
    if (uses.includes('@')) throw new Error(`Invalid self-reference '${uses}': it takes no ref`);
    const path = uses.slice(2);
    return {
      kind: 'files',
      label: `${from.name}/${path}@${from.ref}`,
      folder: join(from.folder, path),
      origin: from,
      local: false,
    };
  }
  const match = /^([^/@]+\/[^/@]+)(\/[^@]*)?@(.+)$/.exec(uses);
  if (match === null) throw new Error(`Expected format {org}/{repo}[/path]@ref. Actual '${uses}'`);
  const [, name = '', path = '', ref = ''] = match;
  const folder = known.checkouts[`${name}@${ref}`];
  if (folder !== undefined)
    return {
      kind: 'files',
      label: uses,
      folder: join(folder, path),
      origin: { folder, name, ref },
      local: false,
    };
  const action = known.standIns[name + path];
  if (action !== undefined) return { kind: 'stand-in', label: uses, action };
  throw new Error(
    `Unable to resolve action \`${uses}\`, repository not found: this test names neither a checkout nor a stand-in`,
  );
}

/** Read anew at every stage, as the runner does. */
export function loadAction(place: Extract<Place, { kind: 'files' }>): ActionDocument {
  for (const name of ['action.yml', 'action.yaml']) {
    const file = join(place.folder, name);
    if (existsSync(file)) return readAction(file, readFileSync(file, 'utf8'));
  }
  throw new Error(
    `Can't find 'action.yml', 'action.yaml' or 'Dockerfile' under '${place.folder}'. Did you forget to run actions/checkout before running your local action?`,
  );
}

type Finder = (uses: string, from: Origin) => Place;

/**
 * Whether anything below may register a post: an action of the workspace is taken to have one, for nobody can know before it
 * is there. Throws for a chain of composites that is too deep. (runner: ActionManager, PrepareActionsRecursiveAsync)
 */
function stepsHavePost(steps: readonly StepDocument[], from: Origin, find: Finder, depth: number): boolean {
  if (depth > MOST_DEPTH) throw new Error(`Composite action depth exceeded max depth ${MOST_DEPTH}`);
  return steps
    .filter((step) => step.uses !== null)
    .map((step) => placeHasPost(find(step.uses ?? '', from), find, depth))
    .some((has) => has);
}

function placeHasPost(place: Place, find: Finder, depth: number): boolean {
  if (place.kind === 'stand-in') return place.action.post !== undefined;
  if (place.local) return true;
  const { runs } = loadAction(place);
  if ('steps' in runs) return stepsHavePost(runs.steps, place.origin, find, depth + 1);
  return runs.post !== null;
}

/** "Set up job": every remote action is fetched, to any depth. Throws as that step would fail. */
export function prepare(steps: readonly StepDocument[], known: Repositories, workspace: string): void {
  stepsHavePost(steps, known.workflow, (uses, from) => placeOf(uses, from, known, workspace), 0);
}

/** The condition of the post that a main of this action registers; null = it has none. */
export function postOf(
  place: Place,
  document: ActionDocument | null,
  known: Repositories,
  workspace: string,
): Condition | null {
  if (place.kind === 'stand-in') return place.action.post === undefined ? null : ALWAYS;
  if (document === null) return null;
  const { runs } = document;
  if (!('steps' in runs)) return runs.post === null ? null : runs.postCondition;
  const find: Finder = (uses, from) => placeOf(uses, from, known, workspace);
  return stepsHavePost(runs.steps, place.origin, find, 1) ? ALWAYS : null;
}
