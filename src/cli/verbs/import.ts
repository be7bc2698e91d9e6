/** import: moves or restores a registry from the document that export wrote. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { importRegistry } from '../../flows/move-registry.ts';
import type { Answer, Call, Verb } from '../call.ts';
import { examples, ownerFlags, registryFlags } from '../flags.ts';
import { personOf } from '../settings/identity.ts';
import { wrongUse } from '../settings/pick.ts';
import { wire } from '../wire.ts';

async function act(call: Call): Promise<Answer> {
  const text = textOf(call);
  const world = await wire(call, { apiKey: 'none', sshKey: 'none' });
  const reason = call.given.text('reason') ?? 'moved or restored';
  const merge = call.given.has('merge');
  const imported = await importRegistry(world, { acting: personOf(call), text, reason, merge });
  const { records, older, registryId } = imported;
  return {
    exitCode: 0,
    value: { registry: world.registry.place, ...imported },
    lines: (page) => [
      `${page.paint('ok', 'imported')}: ${records} record(s) into ${world.registry.place}, as registry ${registryId}`,
      ...(older === 0 ? [] : [`${older} record(s) were newer here and stayed`]),
      page.paint(
        'warn',
        'the place it came from must not be written to any more: a pod belongs to one registry',
      ),
    ],
  };
}

function textOf({ args, io }: Call): string {
  const file = resolve(io.cwd, args[0] ?? '');
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'it failed';
    throw wrongUse('file', `${file} cannot be read (${why})`, 'Name a file that podtrack export has written');
  }
}

export const importVerb: Verb = {
  concernsPod: false,
  whenCut: {
    state: 'The registry was imported as a whole or not at all',
    next: 'Look with: podtrack list --all --offline',
  },
  define(command) {
    command
      .argument('<file>', 'what podtrack export --json has written')
      .option('--merge', 'into a registry that is not empty: the newer record of each pod stays')
      .option('--reason <text>', 'stays in the history');
    ownerFlags(command);
    registryFlags(command);
    examples(command, 'podtrack import registry.json --registry https://forge.example/acme/ci.git');
  },
  act,
};
