/** Keep as a workflow artifact: what is verified outlives the job under the run's own artifacts. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArtifactClient } from '@actions/artifact';
import { endGroup, startGroup } from '@actions/core';
import { WorldError } from '../domain/errors.ts';
import type { Env } from '../domain/owner-from-env.ts';
import { type Part, seen, unseen } from '../domain/part.ts';
import type { Chance, Keep, Log } from '../ports.ts';
import { packTree } from './actions-keep/pack.ts';
import { needsPacking, pathOf, treeOf } from './actions-keep/tree.ts';

export type ActionsKeepOptions = {
  readonly env: Env;
  /** A private folder for a tar on its way. */
  readonly folder: string;
  readonly log: Log;
  readonly chance: Chance;
};

type Copy = { readonly place: string; readonly name: string };
type Load = { readonly files: readonly string[]; readonly root: string; readonly packed: string | null };

/** The server's word for a name that an earlier upload of this run has taken: names are immutable. */
const TAKEN = /already exists|Conflict|\(409\)/i;
const MOST_NAMES = 5;

/**
 * Uploads through @actions/artifact, which is loaded here and nowhere else. Unseen, with the reason, where this
 * runner has no artifact service: outside a job, on GHES, in a container without its address.
 * Throws WorldError when the service fails. docs/facts/github-actions.md
 */
export function actionsKeep(options: ActionsKeepOptions): Keep {
  return {
    async keep(copy) {
      const lacking = lacksService(options.env);
      if (lacking !== null) return unseen(lacking);
      const load = await prepare(options, copy);
      if (load === null) return seen('nothing to keep: the copy is empty');
      try {
        return await uploadUnderFreeName(options, copy, load);
      } finally {
        if (load.packed !== null) await rm(load.packed, { force: true });
      }
    },
  };
}

function lacksService(env: Env): string | null {
  const host = URL.canParse(env['GITHUB_SERVER_URL'] ?? '')
    ? new URL(env['GITHUB_SERVER_URL'] ?? '').hostname
    : 'github.com';
  if (!/(^|\.)(github\.com|ghe\.com|localhost)$/i.test(host)) {
    return `${host} has no artifact service of the kind that is needed (keep-in: disk keeps the copy on this machine)`;
  }
  const missing = ['ACTIONS_RESULTS_URL', 'ACTIONS_RUNTIME_TOKEN'].find((name) => (env[name] ?? '') === '');
  return missing === undefined ? null : `this step has no artifact service: ${missing} is not set`;
}

async function prepare({ folder, log, chance }: ActionsKeepOptions, copy: Copy): Promise<Load | null> {
  const tree = await treeOf(copy.place);
  const files = tree.filter((entry) => entry.kind === 'file');
  if (tree.length === 0) return null;
  const why = needsPacking(tree);
  if (why === null) {
    const paths = files.map((entry) => pathOf(copy.place, entry.name).toString('utf8'));
    return { files: paths, root: copy.place, packed: null };
  }
  log.say('info', `${copy.name} is kept as one tar: ${why}`);
  const packed = join(folder, `${copy.name}-${chance.hex(4)}.tar`);
  await packTree(copy.place, tree, packed);
  return { files: [packed], root: folder, packed };
}

async function uploadUnderFreeName(
  options: ActionsKeepOptions,
  copy: Copy,
  load: Load,
): Promise<Part<string>> {
  const { DefaultArtifactClient } = await import('@actions/artifact');
  const client = new DefaultArtifactClient();
  // The library tells each of its steps; a person opens them only when something went wrong.
  startGroup(`Keeping ${copy.name} as an artifact`);
  try {
    return await uploadWith(client, options, copy, load);
  } finally {
    endGroup();
  }
}

type Client = Pick<ArtifactClient, 'uploadArtifact'>;

async function uploadWith(
  client: Client,
  { log }: ActionsKeepOptions,
  copy: Copy,
  load: Load,
): Promise<Part<string>> {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? copy.name : `${copy.name}-${number}`;
    try {
      // The data are mostly weights and archives, which do not shrink: speed counts.
      const { id } = await client.uploadArtifact(name, [...load.files], load.root, { compressionLevel: 1 });
      if (id === undefined) return unseen('the artifact service gave no id');
      return seen(`artifact ${name} (id ${id})`);
    } catch (cause) {
      const says = cause instanceof Error ? cause.message : String(cause);
      if (!TAKEN.test(says) || number >= MOST_NAMES) throw notKept(name, says, cause);
      log.say('info', `an artifact ${name} is there already; trying the next name`);
    }
  }
}

function notKept(name: string, says: string, cause: unknown): WorldError {
  return new WorldError(
    'server-error',
    {
      tried: `Keeping the verified copy as artifact ${name}`,
      cameBack: says.replace(/\s+/g, ' ').slice(0, 200),
      state: 'The copy lies verified on this runner and nowhere else',
      next: 'Try again, or keep it on a lasting disk with keep-in: disk and local-path',
      cause,
    },
    { retryable: true },
  );
}
