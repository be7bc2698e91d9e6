/** What each verb does, by its name. */
import type { Verb } from './call.ts';
import type { VerbName } from './verb-table.ts';
import { acknowledgeVerb } from './verbs/acknowledge.ts';
import { adoptKey } from './verbs/adopt-key.ts';
import { armVerb } from './verbs/arm.ts';
import { claimVerb } from './verbs/claim.ts';
import { compactVerb } from './verbs/compact.ts';
import { config } from './verbs/config.ts';
import { demo } from './verbs/demo.ts';
import { eventsVerb } from './verbs/events.ts';
import { explainVerb } from './verbs/explain.ts';
import { exportVerb } from './verbs/export.ts';
import { extend } from './verbs/extend.ts';
import { heartbeatVerb, jobHeartbeatVerb } from './verbs/heartbeat.ts';
import { history } from './verbs/history.ts';
import { importVerb } from './verbs/import.ts';
import { keep } from './verbs/keep.ts';
import { list } from './verbs/list.ts';
import { pet } from './verbs/pet.ts';
import { probeVerb } from './verbs/probe.ts';
import { reapVerb } from './verbs/reap.ts';
import { reconcileVerb } from './verbs/reconcile.ts';
import { registerVerb } from './verbs/register.ts';
import { registerManyVerb } from './verbs/register-many.ts';
import { repairVerb } from './verbs/repair.ts';
import { replayVerb } from './verbs/replay.ts';
import { syncVerb } from './verbs/sync.ts';
import { teardownVerb } from './verbs/teardown.ts';
import { whoami } from './verbs/whoami.ts';
import { worldVerb } from './verbs/world.ts';

export const ACTS: Readonly<Record<VerbName, Verb>> = {
  whoami: whoami,
  register: registerVerb,
  'register-many': registerManyVerb,
  list: list,
  claim: claimVerb,
  arm: armVerb,
  pet: pet,
  extend: extend,
  keep: keep,
  probe: probeVerb,
  heartbeat: heartbeatVerb,
  'job-heartbeat': jobHeartbeatVerb,
  sync: syncVerb,
  teardown: teardownVerb,
  reconcile: reconcileVerb,
  reap: reapVerb,
  history: history,
  events: eventsVerb,
  explain: explainVerb,
  replay: replayVerb,
  repair: repairVerb,
  export: exportVerb,
  import: importVerb,
  compact: compactVerb,
  acknowledge: acknowledgeVerb,
  'adopt-key': adoptKey,
  config: config,
  demo: demo,
  world: worldVerb,
};
