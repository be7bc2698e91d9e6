/** The records of a job's pods as saved state carries them: what all of them share stands once, since a runner's state is an environment. */
import { z } from 'zod';
import { type PodRecord, podRecord } from '../domain/pod.ts';
import { parseJson } from '../domain/registry/json.ts';
import type { KnownPod } from '../flows/ending/end-unfenced.ts';

const fields = z.record(z.string(), z.unknown());
const packed = z.object({ registryId: z.string(), shared: fields, pods: z.array(fields) });

type Known = { readonly registryId: string; readonly records: readonly PodRecord[] };

export function packKnown({ registryId, records }: Known): string {
  const all = records.map((record) => fields.parse(z.encode(podRecord, record)));
  const [first = {}] = all;
  const isShared = (name: string): boolean =>
    all.every((each) => JSON.stringify(each[name]) === JSON.stringify(first[name]));
  const part = (of: Readonly<Record<string, unknown>>, shared: boolean): Record<string, unknown> =>
    Object.fromEntries(Object.entries(of).filter(([name]) => isShared(name) === shared));
  return JSON.stringify({
    registryId,
    shared: part(first, true),
    pods: all.map((each) => part(each, false)),
  });
}

/** By id. Only an end without the registry needs it: what cannot be read counts as never known. */
export function unpackKnown(text: string): ReadonlyMap<string, KnownPod> {
  const json = text === '' ? null : parseJson(text);
  const read = json === null || 'problem' in json ? null : packed.safeParse(json.value);
  const known = new Map<string, KnownPod>();
  if (read?.success !== true) return known;
  const { registryId, shared, pods } = read.data;
  for (const pod of pods) {
    const record = podRecord.safeParse({ ...shared, ...pod });
    if (record.success) known.set(record.data.id, { record: record.data, registryId });
  }
  return known;
}
