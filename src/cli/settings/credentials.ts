/** Secrets: from the environment or from files that only their user may read; never from the command line. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readKeyFile, readNamedFile } from '../../adapters/key-file.ts';
import { readPrivateKey } from '../../adapters/ssh/private-key.ts';
import { ConfigError } from '../../domain/errors.ts';
import type { Call } from '../call.ts';
import { pick, type Resolved } from './pick.ts';
import { keyFolder, onActions } from './places.ts';

/** null = not given. Throws ConfigError for a word that stands for nothing, and for a key file that others may read. */
export function findApiKey(call: Call): Resolved<string> | null {
  return fromVariableOrFile(call, 'RUNPOD_API_KEY', 'runpod.key');
}

/** The token of the ladder's third rung. */
export function findDeadmanToken(call: Call): Resolved<string> | null {
  return fromVariableOrFile(call, 'PODTRACK_DEADMAN_TOKEN', 'deadman.token');
}

function fromVariableOrFile(call: Call, variable: string, file: string): Resolved<string> | null {
  const given = pick(call, { variable });
  if (given !== null) return known(call, checked(given));
  const folder = keyFolder(call.env);
  if (folder === null) return null;
  const path = join(folder, file);
  const text = readKeyFile(path, variable);
  return text === null ? null : known(call, checked({ value: text, origin: path }));
}

function known<T extends Resolved<string>>(call: Call, secret: T): T {
  call.secrets.add(secret.value);
  return secret;
}

/** An empty expression may arrive as a word; it is refused before it is sent anywhere. */
function checked(secret: Resolved<string>): Resolved<string> {
  if (!/^(?:null|undefined|none)$/i.test(secret.value)) return secret;
  throw new ConfigError(secret.origin, {
    tried: `Reading the secret of ${secret.origin}`,
    cameBack: 'it is a word that stands for no value',
    state: 'Nothing was asked and nothing was changed',
    next: 'Look where it is set: an expression without a value comes as such a word',
  });
}

/** `--ssh-key FILE`, else PODTRACK_SSH_KEY: the path of a file, or the key itself. In the form that SSH reads. */
export function findSshKey(call: Call): Resolved<string> | null {
  const flag = call.given.text('ssh-key');
  if (flag !== undefined)
    return sshKeyIn(call, readNamedFile(resolve(call.io.cwd, flag), '--ssh-key'), '--ssh-key');
  const given = pick(call, { variable: 'PODTRACK_SSH_KEY' });
  if (given === null) return null;
  const path = resolve(call.io.cwd, given.value);
  const isPath = !given.value.includes('\n') && given.value.length < 1000 && existsSync(path);
  const text = isPath ? readNamedFile(path, 'PODTRACK_SSH_KEY') : given.value;
  return sshKeyIn(call, text, isPath ? `PODTRACK_SSH_KEY (${path})` : 'PODTRACK_SSH_KEY');
}

function sshKeyIn(call: Call, text: string, origin: string): Resolved<string> {
  call.secrets.add(text.trim());
  const value = readPrivateKey(text, origin.split(' ')[0] ?? origin);
  return known(call, { value, origin });
}

/** `--token-file`: the first rung. Throws ConfigError when the file is missing, empty or open to others. */
export function findTokenFile(call: Call): string | null {
  const flag = call.given.text('token-file');
  if (flag === undefined) return null;
  const path = resolve(call.io.cwd, flag);
  const token = readKeyFile(path, '--token-file');
  if (token !== null) return known(call, checked({ value: token, origin: '--token-file' })).value;
  throw new ConfigError('--token-file', {
    tried: 'Reading the token for the switch',
    cameBack: `${path} is missing or empty`,
    state: 'Nothing was changed',
    next: 'Give the path of a file that holds the token and nothing else',
  });
}

/** What may be sent to the registry's host: its own token, or the job's where the host is the job's. */
export function findRegistryToken(call: Call, remote: string): Resolved<string> | null {
  const own = pick(call, { variable: 'PODTRACK_REGISTRY_TOKEN' });
  if (own !== null) return known(call, checked(own));
  const server = originOf(call.env['GITHUB_SERVER_URL'] ?? '');
  if (!onActions(call.env) || server === null || originOf(remote) !== server) return null;
  const job = pick(call, { variable: 'GITHUB_TOKEN' });
  return job === null ? null : known(call, job);
}

/** What asks the forge whether a run is over, as its own tools know it: GITHUB_TOKEN, else GH_TOKEN. */
export function findForgeToken(call: Call): Resolved<string> | null {
  const given = pick(call, { variable: 'GITHUB_TOKEN' }) ?? pick(call, { variable: 'GH_TOKEN' });
  return given === null ? null : known(call, checked(given));
}

function originOf(url: string): string | null {
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? new URL(url).origin : null;
}

export function missingApiKey(env: Call['env']): ConfigError {
  const folder = keyFolder(env) ?? '~/.config/podtrack';
  return new ConfigError('RUNPOD_API_KEY', {
    tried: 'Opening the RunPod account',
    cameBack: 'no key was given: RUNPOD_API_KEY is empty, and there is no key file',
    state: 'Nothing was asked and nothing was changed',
    next: `Set RUNPOD_API_KEY, or put the key into ${join(folder, 'runpod.key')}: podtrack adopt-key`,
  });
}

export function missingSshKey(): ConfigError {
  return new ConfigError('ssh-key', {
    tried: 'Preparing a login to the pod',
    cameBack: 'no SSH key was given',
    state: 'Nothing was asked and nothing was changed',
    next: 'Give --ssh-key FILE, or PODTRACK_SSH_KEY: the private key whose public half the pod knows',
  });
}
