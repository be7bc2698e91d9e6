/** What the storm tells its processes, and what they write down line by line, so that a kill loses no word of it. */
import type { RegistryOp } from '../../src/domain/registry/ops.ts';

export type Server = 'git' | 'github';

export type WriterTask = {
  readonly server: Server;
  /** Addresses as this process may use them: behind the lossy road. */
  readonly gitUrl: string;
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  readonly token: string;
  readonly role: 'writer' | 'reaper' | 'forcer';
  readonly name: string;
  readonly journal: string;
  readonly scratchFolder: string;
};

/** `atNs` is of the machine's one monotonic clock, as text. */
export type Line =
  | { readonly kind: 'sent'; readonly atNs: string; readonly ops: readonly RegistryOp[] }
  | {
      readonly kind: 'told';
      readonly atNs: string;
      readonly keys: readonly string[];
      readonly results: readonly string[];
      /** The waits of this one write, and how often it was tried. */
      readonly backoffMs: number;
      readonly tries: number;
    }
  | { readonly kind: 'failed'; readonly atNs: string; readonly failure: string; readonly says: string };
