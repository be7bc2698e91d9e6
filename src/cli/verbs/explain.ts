/** explain: from the record alone, why a pod lives or was ended, and what would end it next. */
import { podKey } from '../../domain/pod.ts';
import { explain, saysWhen } from '../../domain/report/explain.ts';
import { instantOrNull } from '../../domain/report/json.ts';
import { findRecord } from '../../flows/find-record.ts';
import { type Answer, type Call, ONLY_LOOKED, type Verb } from '../call.ts';
import { examples, registryFlags } from '../flags.ts';
import { podIdOf } from '../settings/pick.ts';
import { recordJson } from '../text/pod-facts.ts';
import { wire } from '../wire.ts';

async function act(call: Call): Promise<Answer> {
  const podId = podIdOf(call);
  const world = await wire(call, { apiKey: 'none', sshKey: 'none' });
  const { record, snapshot } = await findRecord(world, podId);
  const now = call.clock.now();
  const told = explain(record, snapshot.sweep.pods[podKey(record)] ?? null, now);
  const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);
  return {
    exitCode: 0,
    value: {
      ...recordJson(record),
      headline: told.headline,
      lastVerdict:
        record.lastVerdict === null
          ? null
          : { ...record.lastVerdict, at: instantOrNull(record.lastVerdict.at) },
      fence:
        record.fence === null
          ? null
          : { ...record.fence, at: instantOrNull(record.fence.at), until: instantOrNull(record.fence.until) },
      end: record.end === null ? null : { ...record.end, at: instantOrNull(record.end.at) },
      artifacts: told.artifacts,
      sightings: told.sightings,
      next: told.next.map((end) => ({ ...end, at: instantOrNull(end.at) })),
      notes: told.notes,
    },
    lines: (page) => [
      page.paint('strong', told.headline),
      ...indented(told.verdict),
      ...indented([told.artifacts]),
      ...indented(told.sightings),
      page.paint('quiet', 'limits'),
      ...indented(told.deadlines),
      ...(told.next.length === 0 ? [] : [page.paint('quiet', 'what would end it next')]),
      ...told.next.map((end) => `  ${saysWhen(end, now)}: ${end.what}, by ${end.by}`),
      ...(told.notes.length === 0 ? [] : [page.paint('quiet', 'notes'), ...indented(told.notes)]),
    ],
  };
}

export const explainVerb: Verb = {
  concernsPod: false,
  whenCut: ONLY_LOOKED,
  define(command) {
    command.argument('<pod-id>', 'a pod of the registry, ended ones of the last 30 days too');
    registryFlags(command);
    examples(command, 'podtrack explain abc123def456gh');
  },
  act,
};
