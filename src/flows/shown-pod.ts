/** The pod of a record as a GET shows it now, and a connection to it: contact only with what was just shown. */
import { Refusal } from '../domain/errors.ts';
import { isSamePod, type PodRecord } from '../domain/pod.ts';
import type { ProviderPod } from '../domain/provider-pod.ts';
import type { ShellSession, World } from '../ports.ts';
import { openPod } from './watch/visit.ts';

/** Throws a Refusal when the account shows no such pod, or another pod under the same id. */
export async function shownPod(world: World, record: PodRecord): Promise<ProviderPod> {
  const lookup = await world.provider.get(record.id);
  if (lookup.kind === 'absent' || lookup.pod.status === 'TERMINATED') {
    throw notShown(record, 'the account shows no such pod any more');
  }
  if (!isSamePod(record, lookup.pod)) {
    throw notShown(record, 'another pod bears this id now');
  }
  return lookup.pod;
}

function notShown(record: PodRecord, cameBack: string): Refusal {
  return new Refusal('not-shown', {
    tried: `Looking at ${record.id} before any contact`,
    cameBack,
    state: 'Nothing was sent to it; its record is as it was',
    next: 'Let a cycle settle it: podtrack reap',
  });
}

/** Opens one connection, does `act`, and closes it whatever happens. */
export async function withSession<T>(
  world: World,
  record: PodRecord,
  act: (session: ShellSession, pod: ProviderPod) => Promise<T>,
): Promise<T> {
  const pod = await shownPod(world, record);
  const session = await openPod(world, record, pod);
  try {
    return await act(session, pod);
  } finally {
    await session.close();
  }
}
