/** The typed registry of the doors, held against every action.yml, the entry of the bundle, and the files around a door. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NoOperationTraceWriter } from '@actions/workflow-parser';
import { parseAction } from '@actions/workflow-parser/actions/index';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import {
  DOORS,
  type DoorName,
  ROOT,
  RUNNER_DEFAULTS,
  SECRET_INPUTS,
  STATE_KEYS,
} from '../src/actions/interface.ts';
import { KNOBS } from '../src/domain/knobs.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const text = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');

const input = z.strictObject({
  description: z.string().min(10),
  required: z.boolean().optional(),
  default: z.string().optional(),
});
const head = {
  name: z.string().min(5).max(50),
  description: z.string().min(20).max(125),
  author: z.string(),
  branding: z.strictObject({ icon: z.string(), color: z.string() }),
  inputs: z.record(z.string().regex(/^[a-z][a-z0-9-]*$/), input),
};
const doorManifest = z.strictObject({
  ...head,
  outputs: z.record(z.string(), z.strictObject({ description: z.string().min(5) })),
  runs: z.strictObject({
    using: z.literal('node24'),
    main: z.string(),
    post: z.string().optional(),
    'post-if': z.literal('always()').optional(),
  }),
});
const rootManifest = z.strictObject({
  ...head,
  outputs: z.record(z.string(), z.strictObject({ description: z.string(), value: z.string() })),
  runs: z.strictObject({
    using: z.literal('composite'),
    steps: z.array(
      z.strictObject({ id: z.string(), uses: z.string(), with: z.record(z.string(), z.string()) }),
    ),
  }),
});

const names = Object.keys(DOORS) as DoorName[];
const manifests = new Map(names.map((name) => [name, doorManifest.parse(parse(text(name, 'action.yml')))]));
const manifestOf = (name: DoorName): z.infer<typeof doorManifest> => {
  const found = manifests.get(name);
  if (found === undefined) throw new Error(`no manifest of ${name}`);
  return found;
};
const front = rootManifest.parse(parse(text('action.yml')));
const inputsOf = (name: DoorName): string[] => [...DOORS[name].inputs, ...DOORS[name].knobs];

it('every folder with an action.yml is a door of the registry', () => {
  const folders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(root, entry.name, 'action.yml')))
    .map(({ name }) => name);
  expect(folders.sort()).toEqual(names.toSorted());
});

describe.each(names)('%s', (name) => {
  const manifest = manifestOf(name);

  it('declares exactly the inputs and outputs of the registry', () => {
    expect(Object.keys(manifest.inputs).sort()).toEqual(inputsOf(name).sort());
    expect(Object.keys(manifest.outputs).sort()).toEqual([...DOORS[name].outputs].sort());
  });

  it('gives a default to nothing but what the runner alone knows', () => {
    const given = Object.entries(manifest.inputs).flatMap(([key, { default: value }]) =>
      value === undefined ? [] : [[key, value]],
    );
    const wanted = Object.entries(RUNNER_DEFAULTS).filter(([key]) => inputsOf(name).includes(key));
    expect(Object.fromEntries(given)).toEqual(Object.fromEntries(wanted));
  });

  it('starts its own stub of the bundle, and the one post where it has a post', () => {
    expect(manifest.runs.main).toBe(`../dist/${name}.js`);
    expect(manifest.runs.post).toBe(DOORS[name].hasPost ? '../dist/post.js' : undefined);
  });

  it('is taken by GitHub’s own parser, which refuses it with one word misspelt', () => {
    const content = text(name, 'action.yml');
    const faultsOf = (of: string): string[] => {
      const file = { name: `${name}/action.yml`, content: of };
      const parsed = parseAction(file, new NoOperationTraceWriter());
      return parsed.context.errors.getErrors().map(({ message }) => message);
    };
    expect(faultsOf(content)).toEqual([]);
    expect(faultsOf(content.replace('  main:', '  mein:'))).not.toEqual([]);
  });

  it('stands straight in its column: door, flow, tests and example bear its name', () => {
    const lines = text('src', 'actions', 'index.ts');
    expect(lines).toContain(`import('./${name}.ts')`);
    for (const path of [
      ['src', 'actions', `${name}.ts`],
      ['src', 'flows', `${name}.ts`],
      ['workflows-examples', `${name}.yml`],
    ])
      expect(existsSync(join(root, ...path)), path.join('/')).toBe(true);
    const tests = readdirSync(join(root, 'test', 'flows')).filter((file) => file.startsWith(name));
    expect(tests.length, `a test of the flow ${name}`).toBeGreaterThan(0);
    const example = text('workflows-examples', `${name}.yml`);
    expect(example).toMatch(new RegExp(`uses: podtrack/register${name === 'register' ? '' : `/${name}`}@v1`));
  });

  it('is used in the examples with inputs that it has', () => {
    const step = z.object({
      uses: z.string().optional(),
      with: z.record(z.string(), z.unknown()).default({}),
    });
    const workflow = z.object({ jobs: z.record(z.string(), z.object({ steps: z.array(step) })) });
    const { jobs } = workflow.parse(parse(text('workflows-examples', `${name}.yml`)));
    const used = Object.values(jobs).flatMap(({ steps }) => steps);
    for (const { uses, with: given } of used) {
      const door = /^podtrack\/register(?:\/(\w+))?@v1$/.exec(uses ?? '');
      if (door === null) continue;
      const declared = door[1] === undefined ? Object.keys(front.inputs) : inputsOf(door[1] as DoorName);
      expect(declared).toEqual(expect.arrayContaining(Object.keys(given)));
    }
  });
});

describe('the root action', () => {
  const steps = new Map(front.runs.steps.map((step) => [step.id, step]));
  const inputOf = (key: string): string => `\${{ inputs.${key} }}`;

  it('is register, then arm, by the self-repository form, and nothing else', () => {
    expect(front.runs.steps.map(({ id, uses }) => [id, uses])).toEqual(
      ROOT.steps.map((step) => [step, `$/${step}`]),
    );
  });

  it('hands every input of both on by its own name; only the pods and their owner come from register', () => {
    const register = Object.fromEntries(inputsOf('register').map((key) => [key, inputOf(key)]));
    expect(steps.get('register')?.with).toEqual(register);
    const arm = Object.fromEntries(inputsOf('arm').map((key) => [key, inputOf(key)]));
    const fromRegister = (key: string): string => `\${{ steps.register.outputs.${key} }}`;
    // The list holds one pod as well as several; both at once would be refused.
    const { 'pod-id': _one, ...rest } = arm;
    const carried = { 'pod-ids': fromRegister('pod-ids'), uuid: fromRegister('uuid') };
    expect(steps.get('arm')?.with).toEqual({ ...rest, ...carried });
  });

  it('declares each of them once, as the doors describe them, and no more', () => {
    const wanted = new Set([...inputsOf('register'), ...inputsOf('arm').filter((key) => key !== 'uuid')]);
    expect(Object.keys(front.inputs).sort()).toEqual([...wanted].sort());
    for (const [key, declared] of Object.entries(front.inputs)) {
      const door = inputsOf('register').includes(key) ? 'register' : 'arm';
      expect(declared).toEqual(manifestOf(door).inputs[key]);
    }
  });

  it('gives out every output of register, and what arm adds', () => {
    for (const [key, { value }] of Object.entries(front.outputs)) {
      const step = DOORS.register.outputs.some((name) => name === key) ? 'register' : 'arm';
      expect(value).toBe(`\${{ steps.${step}.outputs.${key} }}`);
    }
    expect(Object.keys(front.outputs)).toEqual(expect.arrayContaining([...DOORS.register.outputs]));
  });
});

describe('across the doors', () => {
  it('an input of the same name means the same kind of thing: secrets are secrets everywhere', () => {
    const described = names.flatMap((name) => Object.entries(manifestOf(name).inputs));
    const said = described
      .filter(([, { description }]) => /from a secret/.test(description))
      .map(([key]) => key);
    const wanted = SECRET_INPUTS.filter((key) => key !== 'github-token');
    expect([...new Set(said)].sort()).toEqual([...wanted].sort());
  });

  it('every knob is an input of the reaper, and of register unless it is the reaper’s alone', () => {
    const knobs = KNOBS.map(({ name }) => name);
    expect(DOORS.reap.knobs).toEqual(knobs);
    expect(knobs.filter((name) => !DOORS.register.knobs.includes(name))).toEqual([
      'max-kills',
      'orphan-grace',
    ]);
  });

  it('every state key that post reads is one that main saves', () => {
    const lines = readdirSync(join(root, 'src', 'actions')).map((file) => text('src', 'actions', file));
    const all = lines.join('\n');
    const saved = [...all.matchAll(/\bsaveState\('([^']+)'/g)].map((match) => match[1]);
    const read = [...all.matchAll(/\b(?:savedState|parse(?:<\w+>)?)\((?:\w+, )?'([a-z-]+)'\)/g)].map(
      (match) => match[1],
    );
    expect(new Set(saved)).toEqual(new Set(STATE_KEYS));
    expect(read.length).toBeGreaterThan(5);
    expect(read.filter((key) => !saved.includes(key))).toEqual([]);
  });
});
