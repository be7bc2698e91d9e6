/** Export and import: a registry as one document, out of one place and into another. */
import { ConfigError, Refusal } from '../domain/errors.ts';
import { documentOf, type RegistryDocument, readDocument } from '../domain/registry/document.ts';
import type { OpOf } from '../domain/registry/ops.ts';
import type { RegistryPast, World } from '../ports.ts';
import { type Acting, opBase } from './acting.ts';

export type Exported = { readonly document: RegistryDocument; readonly unreadableRows: number };

export async function exportRegistry(world: World, past: RegistryPast): Promise<Exported> {
  const { state, version } = await world.registry.read();
  if (version === null) throw nothingThere(world);
  return documentOf(state, await past.files('ledger'), world.clock.now());
}

export type ImportInput = {
  readonly acting: Acting;
  readonly text: string;
  readonly reason: string;
  /** Into a registry that is not empty: the newer version of each record stays. */
  readonly merge: boolean;
};

export type Imported = { readonly records: number; readonly older: number; readonly registryId: string };

/** Throws Refusal where a registry lies already and nobody asked for a merge, or it is another one. */
export async function importRegistry(world: World, input: ImportInput): Promise<Imported> {
  const read = readDocument(input.text);
  const { version } = await world.registry.read();
  if (version !== null && !input.merge)
    throw refused(
      world,
      'not-empty',
      'there is a registry already',
      'Import into an empty place, or give --merge',
    );
  const base = opBase(world, input.acting, 'import');
  const op: OpOf<'import'> = { ...base, op: 'import', ...read, reason: input.reason.slice(0, 200) };
  const [result] = (await world.registry.submit([op])).results;
  if (result?.kind !== 'applied')
    throw refused(
      world,
      result?.kind === 'refused' ? result.because : 'import',
      result?.kind === 'refused' ? result.detail : 'it was not applied',
      'Mend what is named here, then import again',
    );
  const { records, older } = result.event.detail;
  return { records: Number(records), older: Number(older), registryId: read.registryId };
}

function refused(world: World, gate: string, cameBack: string, next: string): Refusal {
  return new Refusal(gate, {
    tried: `Importing into ${world.registry.place}`,
    cameBack,
    state: 'Nothing was changed',
    next,
  });
}

function nothingThere(world: World): ConfigError {
  return new ConfigError('registry', {
    tried: `Exporting ${world.registry.place}`,
    cameBack: 'there is no registry yet',
    state: 'Nothing was changed',
    next: 'Check --registry or PODTRACK_REGISTRY',
  });
}
