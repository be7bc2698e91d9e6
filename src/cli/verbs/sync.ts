/** sync: pulls the artifacts of a pod now; ends nothing. */
import { resolve } from 'node:path';
import { localPlaces } from '../../adapters/local-places.ts';
import { type Choice, saysLeftOut } from '../../domain/choice.ts';
import { MINUTE_MS } from '../../domain/duration.ts';
import { sync } from '../../flows/sync.ts';
import type { Answer, Call, Verb } from '../call.ts';
import { choiceFlags, choiceOf, examples, ownerFlags, registryFlags, sshFlags } from '../flags.ts';
import { identityOf } from '../settings/identity.ts';
import { durationFlag, podIdOf, wrongUse } from '../settings/pick.ts';
import { homeOf } from '../settings/places.ts';
import { wire } from '../wire.ts';

export const PULL_MS = 10 * MINUTE_MS;

/** `--local-path`, else what was given at register on this machine, else the mirror under the home. */
export function localPathOf(call: Call, podId: string): string | null {
  const given = call.given.text('local-path');
  if (given !== undefined) return resolve(call.io.cwd, given);
  return localPlaces(homeOf(call).value).find(podId);
}

/** The usual place holds what register chose; other files go to a folder that was named for them. */
function ownChoice(call: Call): Choice | null {
  const choice = choiceOf(call);
  if (choice === null || call.given.text('local-path') !== undefined) return choice;
  throw wrongUse(
    '--local-path',
    '--include and --exclude here choose other files than those that are mirrored',
    'Name a folder for them: --local-path ./some',
  );
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

async function act(call: Call): Promise<Answer> {
  const podId = podIdOf(call);
  const budgetMs = durationFlag(call, 'pull-budget') ?? PULL_MS;
  const choice = ownChoice(call);
  const world = await wire(call, { apiKey: 'needed', sshKey: 'needed' });
  const { owner, acting } = identityOf(call);
  const onProgress = (done: number, total: number): void =>
    call.log.progress(`${podId}: pulling ${megabytes(done)} of ${megabytes(total)}`);
  const localPath = localPathOf(call, podId);
  const input = { acting, owner, podId, choice, localPath, budgetMs, onProgress };
  const { pulled, unverified, recorded } = await sync(world, input);
  return {
    exitCode: unverified === null ? 0 : 1,
    value: {
      pod: podId,
      place: pulled.place,
      files: pulled.files,
      bytes: pulled.bytes,
      leftOut: pulled.leftOut,
      recorded,
      digest: pulled.digest,
      verified: unverified === null,
      why: unverified,
      moving: pulled.moving,
      refused: pulled.refused,
    },
    lines: (page) => [
      `${page.paint('ok', 'pulled')}: ${podId}: ${pulled.files} file(s), ${megabytes(pulled.bytes)}, into ${pulled.place}${saysLeftOut(pulled.leftOut)}`,
      ...(unverified === null ? [] : [`  ${page.paint('red', 'not verified')}: ${unverified}`]),
      ...(pulled.moving.length === 0
        ? []
        : [`  still being written: ${pulled.moving.slice(0, 5).join(', ')}`]),
    ],
  };
}

export const syncVerb: Verb = {
  concernsPod: true,
  whenCut: {
    state: 'The copy of before stands as it was; the pod runs on',
    next: 'Run it again: only what is missing is pulled',
  },
  define(command) {
    command
      .argument('<pod-id>', 'a pod of yours')
      .option(
        '--local-path <folder>',
        'into this folder (default: as given at register, else under PODTRACK_HOME)',
      )
      .option('--pull-budget <min>', 'give up after this long (default 10)');
    choiceFlags(command, 'pull only these, instead of what was chosen at register; needs --local-path');
    ownerFlags(command);
    sshFlags(command);
    registryFlags(command);
    examples(command, 'podtrack sync abc123def456gh --local-path ~/data/run');
  },
  act,
};
