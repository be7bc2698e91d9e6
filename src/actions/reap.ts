/** The reap door: one cycle over every pod of the registry, told in a summary, red once if anything may bill. */
import type { ExitCode } from '../domain/errors.ts';
import { resolveRules } from '../domain/knobs.ts';
import { ownerFromEnv, runAddress } from '../domain/owner-from-env.ts';
import { reportJson } from '../domain/report/json.ts';
import { redLines, reportMarkdown } from '../domain/report/markdown.ts';
import { saysResult } from '../domain/report/words.ts';
import { type CycleReport, reportCycle } from '../domain/report.ts';
import { actingReaper } from '../flows/acting.ts';
import { reap } from '../flows/reap.ts';
import { PULL_BUDGET_MS } from '../flows/teardown.ts';
import { armKeys } from './arm-keys.ts';
import { takeCredentials, takeSwitchTokens } from './credentials.ts';
import { type Desk, openDoor } from './door.ts';
import { inGroup, inputsOf, knobsOf, writeOutput, writeSummary } from './io.ts';
import { openWorld } from './open-world.ts';
import { keepInOf } from './register-wish.ts';
import { passingFolder } from './wire.ts';
import { durationOr, yesOrNo } from './words.ts';

/** An output is an environment variable to later steps: beyond this only the sums travel. */
const MOST_RESULT_BYTES = 100_000;

export async function run(): Promise<void> {
  await openDoor(cycle);
}

async function cycle(desk: Desk): Promise<ExitCode> {
  const read = inputsOf('reap');
  const credentials = takeCredentials(desk, read);
  const tokens = takeSwitchTokens(desk, read);
  const { env, chance } = desk;
  // Never from the workspace: whoever may edit a branch must not set the rules by which others' pods are judged.
  const { rules } = resolveRules({
    flags: knobsOf('reap'),
    environment: env,
    file: {},
    profile: read('profile'),
  });
  const uuid = chance.uuid();
  const run = runAddress(ownerFromEnv(env, { label: '', uuid, matrix: '', checkRunId: '' }));
  const keepIn = keepInOf(desk, read('keep-in'), '');
  const opening = { credentials, keepIn, folder: passingFolder(env), hurry: true };
  const { world } = openWorld(desk, read, opening);
  desk.concerned();
  const options = {
    acting: actingReaper(uuid, run),
    rules,
    keys: armKeys(env, { tokens, apiKey: credentials.apiKey, allowFull: read('allow-full-key') }),
    dryRun: yesOrNo(read('dry-run'), 'dry-run', false),
    mirror: yesOrNo(read('mirror'), 'mirror', true),
    pullBudgetMs: durationOr(read('pull-budget'), 'pull-budget', PULL_BUDGET_MS),
  };
  const facts = await inGroup('podtrack: one cycle', () => reap(world, options));
  const report = reportCycle(facts);
  tell(desk, report);
  return report.exitCode;
}

function tell(desk: Desk, report: CycleReport): void {
  for (const line of redLines(report)) desk.log.say('error', line);
  desk.log.say('info', saysResult(report));
  writeOutput('reap', 'ended', String(report.counts.ended));
  writeOutput('reap', 'red', String(report.counts.red));
  writeOutput('reap', 'result', resultText(report));
  writeSummary(reportMarkdown(report));
}

function resultText(report: CycleReport): string {
  const whole = JSON.stringify(reportJson(report));
  if (Buffer.byteLength(whole) <= MOST_RESULT_BYTES) return whole;
  return JSON.stringify({ ...reportJson(report), pods: [], truncated: true });
}
