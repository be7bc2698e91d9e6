/** The secrets of a door: from its inputs, else from the environment; masked before anything else happens. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { Refusal } from '../domain/errors.ts';
import type { Env } from '../domain/owner-from-env.ts';
import type { Desk } from './door.ts';
import { secretOrNull, wrongInput } from './words.ts';

/** null = not given. */
export type Tokens = { readonly registryToken: string | null; readonly githubToken: string | null };
export type Credentials = Tokens & { readonly apiKey: string; readonly sshKey: string | null };

type Access = 'api-key' | 'ssh-key' | 'registry-token' | 'github-token';
/** The text of an input by its name; empty = not given. */
type Read<Name extends string> = (name: Name) => string;

/** Masks every secret that is there, then says what is missing. Throws Refusal on a fork without secrets. */
export function takeCredentials(desk: Desk, read: Read<Access>): Credentials {
  const { env } = desk;
  const sshKey = take(desk, read('ssh-key'), 'PODTRACK_SSH_KEY');
  const tokens = takeTokens(desk, read);
  const apiKey = take(desk, read('api-key'), 'RUNPOD_API_KEY');
  if (apiKey === null) throw noKey(env);
  return { apiKey, sshKey, ...tokens };
}

/** For a door that touches no pod. */
export function takeTokens(desk: Desk, read: Read<'registry-token' | 'github-token'>): Tokens {
  const registryToken = take(desk, read('registry-token'), null);
  return { registryToken, githubToken: take(desk, read('github-token'), null) };
}

function take(desk: Desk, given: string, variable: string | null): string | null {
  const fromEnv = variable === null ? '' : (desk.env[variable] ?? '').trim();
  const secret = secretOrNull(given) ?? secretOrNull(fromEnv);
  if (secret !== null) desk.mask(secret);
  return secret;
}

export type SwitchTokens = { readonly explicit: string | null; readonly deadman: string | null };

/** What the switch on the pod may get beside the key that the pod has of its own. */
export function takeSwitchTokens(desk: Desk, read: Read<'token' | 'deadman-token'>): SwitchTokens {
  const explicit = secretOrNull(read('token'));
  const deadman =
    secretOrNull(read('deadman-token')) ?? secretOrNull((desk.env['PODTRACK_DEADMAN_TOKEN'] ?? '').trim());
  for (const secret of [explicit, deadman]) if (secret !== null) desk.mask(secret);
  return { explicit, deadman };
}

function noKey(env: Env): Error {
  if (!isWithoutSecrets(env)) {
    return wrongInput(
      'api-key',
      'no RunPod key was given: the input and RUNPOD_API_KEY are empty',
      'Pass api-key from a secret, such as secrets.RUNPOD_API_KEY; a secret that does not exist arrives empty',
    );
  }
  return new Refusal('no-secrets', {
    tried: 'Opening the RunPod account',
    cameBack:
      'GitHub gives runs for pull requests from forks, and of Dependabot, no secrets and a token that only reads',
    state: 'Nothing was asked, nothing was changed, no pod was touched',
    next: 'Leave this step out for such runs (if: github.event.pull_request.head.repo.fork == false), or run it after the merge',
  });
}

const event = z.object({
  pull_request: z.object({ head: z.object({ repo: z.object({ fork: z.boolean() }).nullable() }) }).optional(),
  repository: z.object({ private: z.boolean() }).optional(),
});

/** What GitHub told this run of its cause; null = it cannot be read. */
function eventOf(env: Env): z.infer<typeof event> | null {
  try {
    return event.parse(JSON.parse(readFileSync(env['GITHUB_EVENT_PATH'] ?? '', 'utf8')));
  } catch {
    return null;
  }
}

/** A run that GitHub keeps secrets from: a fork's pull request, or one of Dependabot. */
function isWithoutSecrets(env: Env): boolean {
  if (env['GITHUB_ACTOR'] === 'dependabot[bot]') return true;
  const told = eventOf(env);
  // A fork that was deleted meanwhile has no repository any more.
  return told?.pull_request !== undefined && (told.pull_request.head.repo?.fork ?? true);
}

/** Unknown counts as public. */
export function isPrivate(env: Env): boolean {
  return eventOf(env)?.repository?.private === true;
}
