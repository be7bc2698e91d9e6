/** Flags that several verbs share, in the same words everywhere. */
import type { Command } from 'commander';
import { type Choice, parseChoice } from '../domain/choice.ts';
import { formatDuration } from '../domain/duration.ts';
import { KNOBS, type Knob } from '../domain/knobs.ts';
import { DEFAULT_RULES } from '../domain/rules.ts';
import type { Call } from './call.ts';

export function registryFlags(command: Command): void {
  command
    .option(
      '--registry <url-or-path>',
      'git URL or bare repository (PODTRACK_REGISTRY; default under PODTRACK_HOME)',
    )
    .option('--registry-branch <name>', 'its branch (PODTRACK_REGISTRY_BRANCH; default podtrack)');
}

export function ownerFlags(command: Command): void {
  command.option('--label <text>', 'who owns it (PODTRACK_LABEL; default: this run)');
}

export function sshFlags(command: Command): void {
  command.option('--ssh-key <file>', 'private key for the pods (PODTRACK_SSH_KEY: path or key)');
}

/** Which files below the artifact path; `what` says what they are chosen for. */
export function choiceFlags(command: Command, what: string): void {
  const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];
  command
    .option('--include <pattern>', `${what}; may be repeated (*, ?, [..], {a,b}, ** over folders)`, collect)
    .option('--exclude <pattern>', 'without these, whatever --include says; may be repeated', collect);
}

export function choiceOf({ given }: Call): Choice | null {
  return parseChoice({ include: given.each('include'), exclude: given.each('exclude') }, '--');
}

export function switchFlags(command: Command): void {
  command
    .option('--token-file <file>', 'token for the switch on the pod, best limited to ending pods')
    .option('--allow-full-key', 'let the account key go onto the pod if nothing else works');
}

export function knobFlags(command: Command): void {
  command
    .option('--profile <name>', 'long, smoke or cpu-heavy (PODTRACK_PROFILE; default long)')
    .option('--config <file>', 'a podtrack.yml to read rules from');
  for (const knob of KNOBS) {
    const value = knob.kind === 'duration' ? 'min' : knob.kind;
    command.option(`--${knob.name} <${value}>`, `${knob.help} (${defaultOf(knob)}${knob.env})`);
  }
}

/** The idle window follows the strikes and says so itself. */
function defaultOf({ name, kind, field }: Knob): string {
  if (name === 'idle-window') return '';
  const value = DEFAULT_RULES[field];
  return `default ${kind === 'duration' ? formatDuration(Number(value)) : value}; `;
}

export function examples(command: Command, ...lines: readonly string[]): void {
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
}
