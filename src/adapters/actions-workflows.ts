/** The workflows of the repository that runs us, read through GitHub's API from its default branch. */
import { z } from 'zod';
import type { Env } from '../domain/owner-from-env.ts';
import { type Part, seen, unseen } from '../domain/part.ts';
import type { Workflow } from '../domain/workflow.ts';
import type { Clock, Workflows } from '../ports.ts';
import { type Asking, newAsking } from './actions-ci/asking.ts';
import { parseWorkflow } from './actions-workflows/parse.ts';

export type ActionsWorkflowsOptions = {
  readonly env: Env;
  /** Needs "contents: read", and "actions: read" for what is switched off and who reviews; null = nobody can be asked. */
  readonly token: string | null;
  readonly userAgent: string;
  readonly clock: Clock;
};

const FOLDER = '/contents/.github/workflows';
const MOST_FILES = 100;

const folder = z.array(z.object({ path: z.string(), type: z.string() }));
const file = z.object({ encoding: z.literal('base64'), content: z.string() });
const states = z.object({ workflows: z.array(z.object({ path: z.string(), state: z.string() })) });
const environment = z.object({ protection_rules: z.array(z.object({ type: z.string() })).default([]) });

export function actionsWorkflows({ env, token, userAgent, clock }: ActionsWorkflowsOptions): Workflows {
  const apiUrl = (env['GITHUB_API_URL'] ?? '').trim();
  const id = (env['GITHUB_REPOSITORY_ID'] ?? '').trim();
  if (token === null || apiUrl === '' || !/^[1-9]\d*$/.test(id)) {
    const nobody = unseen<never>('there is no token, or no API of GitHub to ask');
    return { all: async () => nobody, needsReview: async () => nobody };
  }
  const shared = { apiUrl, token, userAgent, clock };
  const contents = newAsking({ ...shared, right: 'contents: read' });
  const actions = newAsking({ ...shared, right: 'actions: read' });
  return {
    async all() {
      const [files, known] = await Promise.all([filesOf(contents, id), statesOf(actions, id)]);
      if (files.kind === 'unseen') return files;
      return seen(files.value.map((one) => ({ ...one, state: stateOf(known, one.path) })));
    },
    async needsReview(name) {
      const asked = await answer(actions, id, `/environments/${encodeURIComponent(name)}`, environment);
      if (asked.kind === 'unseen') return asked;
      return seen(asked.value.protection_rules.some(({ type }) => type === 'required_reviewers'));
    },
  };
}

type Read = Omit<Workflow, 'state'>;

async function filesOf(asking: Asking, id: string): Promise<Part<readonly Read[]>> {
  const listed = await answer(asking, id, FOLDER, folder);
  if (listed.kind === 'unseen') return listed;
  const paths = listed.value
    .filter(({ path, type }) => type === 'file' && /\.ya?ml$/.test(path))
    .slice(0, MOST_FILES);
  const read = await Promise.all(
    paths.map(async ({ path }) => {
      const got = await answer(asking, id, `/contents/${encodeURI(path)}`, file);
      return got.kind === 'unseen'
        ? got
        : seen(parseWorkflow(path, Buffer.from(got.value.content, 'base64').toString('utf8')));
    }),
  );
  const failed = read.find((one) => one.kind === 'unseen');
  if (failed !== undefined) return failed;
  return seen(read.flatMap((one) => (one.kind === 'seen' && one.value !== null ? [one.value] : [])));
}

async function statesOf(asking: Asking, id: string): Promise<Part<ReadonlyMap<string, string>>> {
  const asked = await answer(asking, id, `/actions/workflows?per_page=${MOST_FILES}`, states);
  if (asked.kind === 'unseen') return asked;
  return seen(new Map(asked.value.workflows.map(({ path, state }) => [path, state] as const)));
}

function stateOf(known: Part<ReadonlyMap<string, string>>, path: string): Part<string> {
  if (known.kind === 'unseen') return known;
  const state = known.value.get(path);
  return state === undefined ? unseen('GitHub does not list it') : seen(state);
}

async function answer<S extends z.ZodType>(
  asking: Asking,
  id: string,
  path: string,
  shape: S,
): Promise<Part<z.output<S>>> {
  const told = await asking.ask(id, path);
  if (told.kind === 'unknown') return unseen(told.why);
  if (told.kind === 'not-there') return unseen('GitHub shows no such thing to this token');
  const read = shape.safeParse(told.body);
  return read.success ? seen(read.data) : unseen('GitHub answered in a shape that nobody knows');
}
