/** Who plays in the demo: three pods of ours, one that is not, and rules that count in seconds. */
import { MINUTE_MS, SECOND_MS } from '../../domain/duration.ts';
import { resolveRules } from '../../domain/knobs.ts';
import type { ReaperRules } from '../../domain/rules.ts';
import type { SeedInput } from '../../world/seed.ts';

export const BUSY = 'busypod1';
export const IDLE = 'idlepod1';
export const EXPIRED = 'expiredpod1';
export const FOREIGN = 'foreignpod1';
export const OURS = [BUSY, IDLE, EXPIRED] as const;

export const RESULTS = '/workspace/results';

/** So long after the last sign of life the switch of the busy pod fires. */
export const PET_WINDOW_MS = 6 * SECOND_MS;
/** Seconds between two looks of the watchdog on a pod. */
export const TICK_S = 1;

/** Long enough to be armed and visited once before it lapses; nothing breaks when it is not. */
const EXPIRES_MS = 9 * SECOND_MS;

export function killInMs(pod: string): number {
  return pod === EXPIRED ? EXPIRES_MS : 10 * MINUTE_MS;
}

/** The knobs as a user would write them; everything else is the default. */
const KNOBS_IN_SECONDS = {
  'startup-grace': '1s',
  'idle-strikes': '2',
  'idle-window': '2s',
  'sighting-spacing': '1s',
  'hb-grace': '10s',
  'pull-margin': '45s',
  'pet-min': '60s',
} as const;

export function demoRules(): ReaperRules {
  const none = { environment: {}, file: {}, profile: undefined };
  return resolveRules({ ...none, flags: KNOBS_IN_SECONDS }).rules;
}

/** What the job of the busy pod does: it beats once a second, as any loop of a training could. */
const TRAIN = 'echo $$ > ~/train.pid\nwhile :; do touch ~/.podtrack_job_alive; sleep 1; done\n';
export const START_TRAINING = 'sh ~/train.sh </dev/null >/dev/null 2>&1 &';
export const STOP_TRAINING = 'kill -KILL "$(cat ~/train.pid)"';

/** `login` = the authorized_keys line of the demo's own key; the foreign pod does not know it. */
export function demoSeed(login: string): SeedInput {
  const ours = { sshKeys: [login], createdAt: '-10m' };
  const card = { count: 1, memTotalMiB: 24_564 };
  return {
    balance: 25,
    pods: [
      {
        ...ours,
        id: BUSY,
        name: 'busy',
        gpu: { ...card, util: 97, memUsedMiB: 21_000 },
        files: {
          '/root/train.sh': TRAIN,
          [`${RESULTS}/step-1000.ckpt`]: { size: 400_000 },
          [`${RESULTS}/loss.csv`]: 'step,loss\n1000,0.71\n',
        },
      },
      {
        ...ours,
        id: IDLE,
        name: 'idle',
        gpu: { ...card, util: 0, memUsedMiB: 18_000 },
        files: {
          [`${RESULTS}/model.safetensors`]: { size: 250_000 },
          [`${RESULTS}/eval/scores.json`]: '{"accuracy": 0.93}\n',
        },
      },
      {
        ...ours,
        id: EXPIRED,
        name: 'expired',
        gpu: { ...card, util: 40, memUsedMiB: 9000 },
        files: {
          [`${RESULTS}/step-0200.ckpt`]: { size: 150_000 },
          [`${RESULTS}/notes with spaces.txt`]: 'stopped at step 200\n',
        },
      },
      {
        id: FOREIGN,
        name: 'foreign',
        createdAt: '-9d',
        gpu: { ...card, util: 0, memUsedMiB: 0 },
        files: { [`${RESULTS}/theirs.txt`]: 'not yours\n' },
      },
    ],
  };
}
