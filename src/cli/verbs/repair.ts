/** repair: restores damaged files of the registry from their last valid version in the history. */
import { type Repaired, repair } from '../../flows/repair.ts';
import type { Answer, Call, Verb } from '../call.ts';
import { examples, ownerFlags, registryFlags } from '../flags.ts';
import { personOf } from '../settings/identity.ts';
import { wrongUse } from '../settings/pick.ts';
import { wire } from '../wire.ts';

async function act(call: Call): Promise<Answer> {
  const what = call.args[0]?.trim() ?? '';
  const all = call.given.has('all');
  if ((what === '') !== all)
    throw wrongUse(
      'file',
      'neither one file nor --all was named, or both',
      'Name a pod or a path, or give --all',
    );
  const reason = call.given.text('reason');
  if (reason === undefined)
    throw wrongUse('--reason', 'no reason was given', 'Say what you have seen: --reason "…"');
  const world = await wire(call, { apiKey: 'none', sshKey: 'none' });
  const acting = personOf(call);
  const discard = call.given.has('discard');
  const repaired = await repair(world, { acting, what: all ? null : what, reason, discard });
  const left = repaired.filter(isLeft);
  return {
    exitCode: left.length > 0 ? 1 : 0,
    value: { registry: world.registry.place, files: repaired.map(fileJson) },
    lines: (page) =>
      repaired.length === 0
        ? ['no file is damaged']
        : repaired.map((of) =>
            isLeft(of)
              ? `${page.paint('red', 'left')}: ${of.file.path}: ${detailOf(of)}`
              : `${page.paint('ok', of.file.lastValid === null ? 'discarded' : 'repaired')}: ${of.file.path}`,
          ),
  };
}

const isLeft = ({ result, file }: Repaired): boolean =>
  result.kind === 'refused' || (result.kind === 'left' && file.path !== 'meta.json');

const detailOf = ({ result }: Repaired): string => ('detail' in result ? result.detail : result.kind);

function fileJson(of: Repaired): Readonly<Record<string, unknown>> {
  const { path, problem, lastValid } = of.file;
  return {
    path,
    problem,
    lastValidRev: lastValid?.rev ?? null,
    result: of.result.kind,
    detail: detailOf(of),
  };
}

export const repairVerb: Verb = {
  concernsPod: false,
  whenCut: { state: 'Files may or may not be repaired', next: 'Look with: podtrack list' },
  define(command) {
    command
      .argument('[file]', 'a pod id, or the path of a damaged file')
      .option('--all', 'every damaged file')
      .option('--discard', 'remove what has no valid version; the history keeps it')
      .option('--reason <text>', 'what you have seen; stays in the history');
    ownerFlags(command);
    registryFlags(command);
    examples(command, 'podtrack repair abc123def456gh --reason "a bad merge by hand"');
  },
  act,
};
