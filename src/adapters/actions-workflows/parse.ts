/** One workflow file as far as a reaper's life hangs on it; whatever else stands in it is not looked at. */
import { parse } from 'yaml';
import { z } from 'zod';
import type { Workflow } from '../../domain/workflow.ts';

const many = z.union([z.string().transform((one) => [one]), z.array(z.string())]).catch([]);
const steps = z.array(z.object({ uses: z.string().optional().catch(undefined) }).catch({})).catch([]);
const job = z.object({
  if: z
    .union([z.string(), z.boolean().transform(String)])
    .nullish()
    .catch(null),
  environment: z
    .union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)])
    .nullish()
    .catch(null),
  uses: z.string().optional().catch(undefined),
  steps,
});
const triggers = z
  .object({
    schedule: z.array(z.object({ cron: z.string() })).catch([]),
    workflow_run: z.object({ workflows: many }).catch({ workflows: [] }),
  })
  .catch({ schedule: [], workflow_run: { workflows: [] } });
const workflow = z.object({
  name: z.string().optional().catch(undefined),
  on: triggers,
  jobs: z.record(z.string(), job).catch({}),
});

/** null = no workflow that can be read. */
export function parseWorkflow(path: string, text: string): Omit<Workflow, 'state'> | null {
  const read = workflow.safeParse(yamlOf(text));
  if (!read.success) return null;
  const { name, on, jobs } = read.data;
  return {
    path,
    // GitHub names a workflow without a name by its path.
    name: name ?? path,
    crons: on.schedule.map(({ cron }) => cron),
    listensTo: on.workflow_run.workflows,
    jobs: Object.entries(jobs).map(([id, of]) => ({
      name: id,
      environment: of.environment ?? null,
      condition: of.if ?? null,
      uses: [of.uses, ...of.steps.map(({ uses }) => uses)].flatMap((one) => (one === undefined ? [] : [one])),
    })),
  };
}

function yamlOf(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return null;
  }
}
