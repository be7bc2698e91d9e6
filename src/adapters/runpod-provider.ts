/** The pods of one RunPod account, over REST v2 and, for money, GraphQL. Facts: docs/facts/runpod.md. */
import type { Provider } from '../ports.ts';
import { keyAbilities } from './runpod-provider/abilities.ts';
import { readAccount } from './runpod-provider/account.ts';
import { listPods } from './runpod-provider/list-pods.ts';
import { logLines } from './runpod-provider/log-lines.ts';
import { openLine, type RunpodOptions } from './runpod-provider/options.ts';
import { startPod, stopPod } from './runpod-provider/power.ts';
import { lookUp } from './runpod-provider/rest.ts';
import { terminatePod } from './runpod-provider/terminate.ts';

/** Throws ConfigError at once for an unusable key or address; asks nothing until a verb is called. */
export function runpodProvider(options: RunpodOptions): Provider {
  const line = openLine(options);
  return {
    list: () => listPods(line),
    get: (podId) => lookUp(line, podId),
    terminate: (podId) => terminatePod(line, podId),
    stop: (podId) => stopPod(line, podId),
    start: (podId) => startPod(line, podId),
    logs: (podId, tail) => logLines(line, podId, tail),
    account: () => readAccount(line),
    abilities: () => keyAbilities(line),
  };
}
