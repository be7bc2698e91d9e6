/** Errors for people and programs: what was tried, what came back, how things stand, what to do next. */
import { ConfigError, Refusal, type Told, WorldError } from '../domain/errors.ts';
import type { Page } from './call.ts';

export type Failure = {
  readonly name: string;
  /** `input`, `gate` or `failure`, whichever the kind of error has. */
  readonly code: Readonly<Record<string, string>>;
  readonly told: Omit<Told, 'cause'>;
};

export function failureOf(error: unknown): Failure {
  if (error instanceof ConfigError) return known(error.name, { input: error.input }, error.told);
  if (error instanceof Refusal) return known(error.name, { gate: error.gate }, error.told);
  if (error instanceof WorldError) return known(error.name, { failure: error.failure }, error.told);
  const cameBack = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    name: 'Unexpected',
    code: {},
    told: {
      tried: 'Doing what was asked',
      cameBack,
      state: 'This is a mistake in podtrack; how things stand is not known',
      next: 'Look with: podtrack list --all; and please report it',
    },
  };
}

function known(name: string, code: Failure['code'], told: Told): Failure {
  const { tried, cameBack, state, next } = told;
  return { name, code, told: { tried, cameBack, state, next } };
}

export function cutOff(verb: string, signal: string, whenCut: { state: string; next: string }): Failure {
  return {
    name: 'Interrupted',
    code: { signal },
    told: { tried: `podtrack ${verb}`, cameBack: `it was ended by ${signal}`, ...whenCut },
  };
}

export function failureJson(failure: Failure, exitCode: number): Record<string, unknown> {
  return { error: { name: failure.name, ...failure.code, told: failure.told }, exitCode };
}

const TITLES: Readonly<Record<string, string>> = {
  ConfigError: 'error',
  Refusal: 'refused',
  WorldError: 'failed',
  Interrupted: 'interrupted',
};

export function failureLines(failure: Failure, exitCode: number, page: Page): readonly string[] {
  const { told, code } = failure;
  const named = Object.values(code)[0];
  const title = page.paint('red', TITLES[failure.name] ?? 'unexpected');
  return [
    `${title}: ${told.tried}: ${told.cameBack}`,
    `  state: ${told.state}`,
    `  next:  ${told.next}`,
    page.paint('quiet', `  (${named === undefined ? '' : `${named}, `}exit ${exitCode})`),
  ];
}
