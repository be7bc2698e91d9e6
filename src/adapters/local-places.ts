/** Where this machine's user wants the artifacts of each pod: his own disk's business, so it never enters the registry. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../domain/errors.ts';
import { podId as shape } from '../domain/pod.ts';

export type LocalPlaces = {
  /** The folder that was given at register; null = none was. */
  find(podId: string): string | null;
  /** Throws ConfigError when the home cannot be written. */
  remember(podId: string, folder: string): void;
};

export function localPlaces(home: string): LocalPlaces {
  const root = join(home, 'places');
  return {
    find(podId) {
      if (!shape.safeParse(podId).success) return null;
      try {
        return readFileSync(join(root, podId), 'utf8').trim() || null;
      } catch {
        return null; // No file: nothing was said of this pod on this machine.
      }
    },
    remember(podId, folder) {
      if (!shape.safeParse(podId).success) return;
      try {
        mkdirSync(root, { recursive: true, mode: 0o700 });
        writeFileSync(join(root, podId), `${folder}\n`, { mode: 0o600 });
      } catch (error) {
        throw new ConfigError('local-path', {
          tried: `Remembering the local path of ${podId} under ${root}`,
          cameBack: 'the folder cannot be written',
          state: 'Nothing was changed',
          next: 'Set PODTRACK_HOME to a folder that you may write to',
          cause: error,
        });
      }
    },
  };
}
