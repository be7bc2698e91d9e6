/** What register hands on: outputs and variables for later steps. With several pods no single slot names one of them. */
import { ownerDeadlineAt, stopAt } from '../domain/deadlines.ts';
import { formatInstant } from '../domain/instant.ts';
import type { PodRecord } from '../domain/pod.ts';
import type { SshAddress } from '../domain/provider-pod.ts';
import { exportVariable, writeOutput } from './io.ts';
import type { RegistryPlace } from './registry-place.ts';

type Pod = { readonly record: PodRecord; readonly how: string; readonly warnings: readonly string[] };

export type HandedOn = {
  /** Not empty; all of one owner. */
  readonly pods: readonly Pod[];
  readonly version: string | null;
  readonly place: RegistryPlace;
  /** Of all of them. */
  readonly warnings: readonly string[];
};

/** `addresses` in the order of the pods. */
export function handOn(
  { pods, version, place, warnings }: HandedOn,
  addresses: readonly (SshAddress | null)[],
): void {
  const [first, ...more] = pods;
  if (first === undefined) return;
  const ids = pods.map(({ record }) => record.id);
  const { owner } = first.record;
  const only = more.length === 0 ? first.record : null;
  const address = only === null ? null : (addresses[0] ?? null);
  exportVariable('uuid', owner.uuid);
  exportVariable('podId', only?.id ?? '');
  exportVariable('podIds', ids.join(' '));
  const put = (name: Parameters<typeof writeOutput<'register'>>[1], value: string): void =>
    writeOutput('register', name, value);
  put('pod-id', only?.id ?? '');
  put('pod-ids', JSON.stringify(ids));
  put('label', owner.label ?? '');
  put('uuid', owner.uuid);
  put('ssh-host', address?.host ?? '');
  put('ssh-port', address === null ? '' : String(address.port));
  const earliest = Math.min(...pods.map(({ record }) => ownerDeadlineAt(record.deadlines)));
  put('deadline', formatInstant(earliest));
  put('registry-commit', version ?? '');
  const facts = pods.map((pod, index) => factsOf(pod, addresses[index] ?? null));
  const shared = {
    label: owner.label,
    uuid: owner.uuid,
    registry: place.remote,
    registryBranch: place.branch,
    registryCommit: version,
  };
  const flat = only === null ? { ownerDeadlineAt: formatInstant(earliest), warnings } : facts[0];
  put('result', JSON.stringify({ schemaVersion: 1, ...shared, ...flat, pods: facts }));
}

function factsOf({ record, how, warnings }: Pod, ssh: SshAddress | null) {
  const { id: podId, status, deadlines } = record;
  return {
    podId,
    how,
    status,
    sshHost: ssh?.host ?? null,
    sshPort: ssh?.port ?? null,
    ownerDeadlineAt: formatInstant(ownerDeadlineAt(deadlines)),
    absoluteDeadlineAt: formatInstant(deadlines.absoluteDeadlineAt),
    switchStopAt: formatInstant(stopAt(deadlines)),
    warnings,
  };
}
