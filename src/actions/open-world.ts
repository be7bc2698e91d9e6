/** Opens the world of a door from what its inputs say of registry, keys and copies. */
import { join } from 'node:path';
import type { World } from '../ports.ts';
import type { Credentials } from './credentials.ts';
import type { Desk } from './door.ts';
import type { KeepIn } from './register-wish.ts';
import { placeOf, type RegistryPlace, spareTokenOf, tokenOf } from './registry-place.ts';
import { actionsWorld } from './wire.ts';

type Read = (name: 'registry-repository' | 'registry-branch') => string;

export type Opening = {
  readonly credentials: Credentials;
  readonly keepIn: KeepIn;
  /** A private folder of this step. */
  readonly folder: string;
  /** Whether a path that holds no registry yet may become one. */
  readonly mayBegin?: boolean;
  /** The reaper's: a lost race is tried again at once. */
  readonly hurry?: boolean;
  /** Post's: races that were lost are run again until then, in epoch ms. */
  readonly patientUntil?: number;
};

/** Throws ConfigError for a registry that cannot be, or that this job cannot write. */
export function openWorld(desk: Desk, read: Read, opening: Opening): { world: World; place: RegistryPlace } {
  const { credentials } = opening;
  const place = placeOf(desk.env, {
    repository: read('registry-repository'),
    branch: read('registry-branch'),
    hasRegistryToken: credentials.registryToken !== null,
    hasGithubToken: credentials.githubToken !== null,
  });
  return { world: worldAt(desk, place, opening), place };
}

/** The same from a place that was chosen before. */
export function worldAt(desk: Desk, place: RegistryPlace, opening: Opening): World {
  const { credentials, keepIn, folder } = opening;
  const home = keepIn === 'disk' ? (desk.env['PODTRACK_HOME'] ?? '') : '';
  return actionsWorld(desk, {
    apiKey: credentials.apiKey,
    sshKey: credentials.sshKey,
    place,
    registryToken: tokenOf(place, credentials),
    spareToken: spareTokenOf(place, credentials),
    githubToken: credentials.githubToken,
    folder,
    keepIn,
    mayBegin: opening.mayBegin ?? false,
    hurry: opening.hurry ?? false,
    patientUntil: opening.patientUntil ?? null,
    mirrorRoot: home === '' ? join(folder, 'pulled') : join(home, 'mirror'),
  });
}
