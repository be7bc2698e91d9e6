/** The command line: `podtrack <verb>`; parses, runs one verb, prints its answer or its error, and gives the exit code. */
import { consoleLog } from '../adapters/console-log.ts';
import { nodeChance } from '../adapters/node-chance.ts';
import { redactor } from '../adapters/redact.ts';
import { systemClock } from '../adapters/system-clock.ts';
import { exitOf } from '../domain/errors.ts';
import type { Answer, Call, CliIo, Env, Mood, Page } from './call.ts';
import { cutOff, type Failure, failureJson, failureLines, failureOf } from './failure.ts';
import { jsonText, linesText, pageOf, wantsColour } from './page.ts';
import { type Parsed, parse } from './parse.ts';

/** What the environment holds of secrets, whether or not the verb reads it. */
const SECRET_VARIABLES = [
  'RUNPOD_API_KEY',
  'PODTRACK_SSH_KEY',
  'PODTRACK_DEADMAN_TOKEN',
  'PODTRACK_REGISTRY_TOKEN',
  'GITHUB_TOKEN',
];

const SCHEMA_VERSION = 1;
const SIGNAL_CODES: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143 };

/** Never throws. `argv` is without node and script. */
export async function run(argv: readonly string[], env: Env, io: CliIo): Promise<number> {
  const secrets = new Set(SECRET_VARIABLES.flatMap((name) => env[name]?.trim() || []));
  const printer = printerOf(argv, env, io, secrets);
  let parsed: Parsed;
  try {
    parsed = await parse(argv, io);
  } catch (error) {
    return printer.failed(failureOf(error), exitOf(error, false));
  }
  return parsed.kind === 'told' ? 0 : await act(parsed, callOf(parsed, env, io, secrets), printer);
}

type VerbParsed = Extract<Parsed, { kind: 'verb' }>;

async function act(parsed: VerbParsed, call: Call, printer: Printer): Promise<number> {
  const { verb, name } = parsed;
  try {
    const work = verb.act(call);
    const ended = verb.endsBySignal === true ? await work : await untilCut(work, call.io.signal);
    if (typeof ended !== 'string') return printer.answered(ended);
    return printer.failed(cutOff(name, ended, verb.whenCut), SIGNAL_CODES[ended] ?? 130);
  } catch (error) {
    return printer.failed(failureOf(error), exitOf(error, verb.concernsPod));
  }
}

/** The answer, or the name of the signal that came first. */
async function untilCut(work: Promise<Answer>, signal: AbortSignal): Promise<Answer | string> {
  let unhear = (): void => undefined;
  const cut = new Promise<string>((resolve) => {
    const hear = (): void => resolve(String(signal.reason));
    if (signal.aborted) hear();
    signal.addEventListener('abort', hear, { once: true });
    unhear = () => signal.removeEventListener('abort', hear);
  });
  try {
    return await Promise.race([work, cut]);
  } finally {
    unhear();
  }
}

function callOf(parsed: VerbParsed, env: Env, io: CliIo, secrets: Set<string>): Call {
  const { args, given } = parsed;
  const clock = systemClock();
  const page = pageOf(io.columns, wantsColour(env, given.declined('color'), io.errIsTerminal));
  const log = consoleLog({
    write: io.err,
    clock,
    redact: () => redactor([...secrets]),
    terminal: io.errIsTerminal,
    columns: io.columns,
    debug: (env['PODTRACK_DEBUG'] ?? '') !== '',
    paint: (level, word) => page.paint(MOODS[level] ?? 'quiet', word),
  });
  return { args, given, env, io, json: given.has('json'), log, clock, chance: nodeChance(), secrets };
}

const MOODS: Readonly<Record<string, Mood>> = { error: 'red', warning: 'warn', notice: 'strong' };

type Printer = {
  answered(answer: Answer): number;
  failed(failure: Failure, exitCode: number): number;
};

function printerOf(argv: readonly string[], env: Env, io: CliIo, secrets: ReadonlySet<string>): Printer {
  // An error may come before the flags were parsed.
  const json = argv.includes('--json');
  const plain = argv.includes('--no-color');
  const page = (isTerminal: boolean): Page => pageOf(io.columns, wantsColour(env, plain, isTerminal));
  return {
    answered({ exitCode, told, value, lines }) {
      if (told === true) return exitCode;
      if (json) io.out(jsonText({ schemaVersion: SCHEMA_VERSION, ...value }, secrets));
      else io.out(linesText(lines(page(io.outIsTerminal)), secrets));
      return exitCode;
    },
    failed(failure, exitCode) {
      const value = { schemaVersion: SCHEMA_VERSION, ...failureJson(failure, exitCode) };
      if (json) io.out(jsonText(value, secrets));
      else io.err(linesText(failureLines(failure, exitCode, page(io.errIsTerminal)), secrets));
      return exitCode;
    },
  };
}
