/** From words to a verb with its flags, by commander; a wrong word is a ConfigError that names it. */
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../domain/errors.ts';
import { VERSION } from '../domain/version.ts';
import type { CliIo, Given, Verb } from './call.ts';
import { EXIT_CODES, OVERVIEW } from './overview.ts';
import { loadVerb, VERBS } from './verb-table.ts';

export type Parsed =
  | { readonly kind: 'told' }
  | {
      readonly kind: 'verb';
      readonly name: string;
      readonly verb: Verb;
      readonly args: readonly string[];
      readonly given: Given;
    };

/** Throws ConfigError for an unknown verb or flag, a missing value, and no verb at all. */
export async function parse(argv: readonly string[], io: CliIo): Promise<Parsed> {
  const program = root(io);
  const name = argv.find((word) => !word.startsWith('-'));
  const entry = VERBS.find((each) => each.name === name);
  if (entry === undefined) return overview(program, argv, name);
  const verb = await loadVerb(entry.name);
  const command = verbCommand(program, entry.name, entry.summary);
  verb.define(command);
  let parsed: Parsed = { kind: 'told' };
  command.action(() => {
    const options = command.optsWithGlobals<Record<string, unknown>>();
    parsed = { kind: 'verb', name: entry.name, verb, args: command.args, given: givenOf(options) };
  });
  await obey(program, argv, entry.name);
  return parsed;
}

function root(io: CliIo): Command {
  const program = new Command('podtrack');
  const width = Math.min(Math.max(io.columns, 60), 100);
  program
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: () => undefined, getOutHelpWidth: () => width })
    .description(OVERVIEW)
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .option('--json', 'one JSON document on standard output, errors too')
    .option('--no-color', 'no colours (NO_COLOR does the same)');
  return program;
}

function verbCommand(program: Command, name: string, summary: string): Command {
  return program
    .command(name)
    .summary(summary)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
    .exitOverride()
    .option('--json', 'one JSON document on standard output, errors too')
    .option('--no-color', 'no colours (NO_COLOR does the same)')
    .addHelpText('after', `\n${EXIT_CODES}`);
}

async function overview(
  program: Command,
  argv: readonly string[],
  name: string | undefined,
): Promise<Parsed> {
  for (const { name: each, summary } of VERBS) program.command(each).summary(summary).description(summary);
  program.addHelpText('after', `\npodtrack <verb> --help tells more of each.\n\n${EXIT_CODES}`);
  if (name !== undefined) throw wrongUse('verb', unknownVerb(name), 'podtrack --help');
  if (argv.length > 0 && (await obey(program, argv, null))) return { kind: 'told' };
  throw wrongUse('verb', 'no verb was given', 'podtrack --help');
}

function unknownVerb(name: string): string {
  const begins = VERBS.filter((each) => each.name.startsWith(name.slice(0, 3))).map((each) => each.name);
  const hint = begins.length === 0 ? '' : ` (did you mean ${begins.join(' or ')}?)`;
  return `"${name.slice(0, 40)}" is no verb${hint}`;
}

/** Lets commander parse; true = it printed what was asked for, such as help. What it objects to is an error of ours. */
async function obey(program: Command, argv: readonly string[], name: string | null): Promise<boolean> {
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return false;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return true;
    const said = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
    throw wrongUse(inputOf(error, said), said, `podtrack ${name === null ? '' : `${name} `}--help`);
  }
}

function inputOf(error: CommanderError, said: string): string {
  const named = /'(-[^ ',]*|[^']*)/.exec(said)?.[1];
  return named ?? error.code.replace('commander.', '');
}

function wrongUse(input: string, cameBack: string, help: string): ConfigError {
  return new ConfigError(input, {
    tried: 'Reading the command line',
    cameBack,
    state: 'Nothing was changed',
    next: `See: ${help}`,
  });
}

/** Flags by their kebab-case words; commander keeps them in camelCase. */
export function givenOf(options: Readonly<Record<string, unknown>>): Given {
  const at = (name: string): unknown =>
    options[name.replace(/-([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase())];
  return {
    text(name) {
      const value = at(name);
      return typeof value === 'string' && value !== '' ? value : undefined;
    },
    each(name) {
      const values = at(name);
      return Array.isArray(values) ? values.map(String) : [];
    },
    has: (name) => at(name) === true,
    declined: (name) => at(name) === false,
  };
}
