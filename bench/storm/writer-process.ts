/** One writer of the storm, in a process of its own that may be killed at any moment; or the reaper; or a vandal. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { gitRegistry } from '../../src/adapters/git-registry.ts';
import { githubRegistry } from '../../src/adapters/github-registry.ts';
import { nodeChance } from '../../src/adapters/node-chance.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { WorldError } from '../../src/domain/errors.ts';
import type { RegistryOp } from '../../src/domain/registry/ops.ts';
import type { Clock, RegistryStore } from '../../src/ports.ts';
import { actorOf, ownerOf, REAPER, recordOf } from '../../test/domain/registry/record-maker.ts';
import { heard } from '../child-side.ts';
import type { Line, WriterTask } from './task.ts';

const task = await heard<WriterTask>();
let goesOn = true;
process.on('message', () => {
  goesOn = false;
});
process.on('disconnect', () => process.exit(0));

const chance = nodeChance();
const atNs = (): string => process.hrtime.bigint().toString();
const note = (line: Line): void => appendFileSync(task.journal, `${JSON.stringify(line)}\n`);

/** The injected clock: real time, with every wait written down. */
const real = systemClock();
let waits: number[] = [];
const clock: Clock = {
  now: () => real.now(),
  async sleep(durationMs, signal) {
    waits.push(durationMs);
    await real.sleep(durationMs, signal);
  },
};

function openStore(): RegistryStore {
  const hurry = task.role === 'reaper';
  const how = { clock, chance, hurry, repository: null, timeoutMs: 20_000 };
  if (task.server === 'git') {
    mkdirSync(task.scratchFolder, { recursive: true });
    const credential = { username: 'x-access-token', token: task.token };
    return gitRegistry({ ...how, credential, remote: task.gitUrl, scratchFolder: task.scratchFolder });
  }
  const { apiUrl, graphqlUrl, token } = task;
  return githubRegistry({ ...how, owner: 'acme', repo: 'ci', apiUrl, graphqlUrl, token });
}

const owner = ownerOf(task.name);
const base = (verb: string): Pick<RegistryOp, 'key' | 'at' | 'actor'> => ({
  key: `${task.name}/${verb}/${chance.hex(8)}`,
  at: clock.now(),
  actor: task.role === 'reaper' ? REAPER : actorOf(owner),
});

/** A pod that few writers share, so that they meet on one record too. */
const shared = `shared${Number(task.name.replace(/\D/g, '')) % 16}`;
const nothing = { verdict: null, mirror: null, reachedAt: null, startedAt: null, hostKey: null, end: null };

function settle(pod: string, word: string): RegistryOp {
  return { ...base('settle'), ...nothing, op: 'settle', pod, note: `${word} ${chance.hex(6)}` };
}

let pods = 0;
function nextOps(): readonly RegistryOp[] {
  if (task.role === 'reaper') return [settle(`shared${Math.floor(Math.random() * 16)}`, 'reaper')];
  if (pods > 0 && Math.random() < 0.6) return [settle(shared, task.name)];
  pods += 1;
  const pod = `${task.name}x${chance.hex(5)}`;
  const record = recordOf(pod, { owner, registeredAt: clock.now(), updatedAt: clock.now() });
  return [{ ...base('register'), op: 'register', pod, record, fulfils: null }, settle(pod, 'born')];
}

/** As a caller does who is told that the same operations may be sent again. */
async function write(store: RegistryStore, ops: readonly RegistryOp[]): Promise<void> {
  note({ kind: 'sent', atNs: atNs(), ops });
  for (;;) {
    waits = [];
    try {
      if (task.role === 'reaper') await store.read();
      waits = [];
      const { results } = await store.submit(ops);
      note({
        kind: 'told',
        atNs: atNs(),
        keys: ops.map(({ key }) => key),
        results: results.map(({ kind }) => kind),
        backoffMs: waits.reduce((sum, each) => sum + each, 0),
        tries: waits.length + 1,
      });
      return;
    } catch (error) {
      if (!(error instanceof WorldError)) throw error;
      note({ kind: 'failed', atNs: atNs(), failure: error.failure, says: error.told.cameBack });
      await real.sleep(200 + Math.random() * 800);
    }
  }
}

/** What nobody may do: builds upon what it saw a while ago, and pushes it by force. */
async function force(): Promise<void> {
  const folder = join(task.scratchFolder, 'vandal.git');
  const git = (...args: string[]): string =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  git('init', '--quiet', '--bare', folder);
  const url = new URL(task.gitUrl);
  [url.username, url.password] = ['x-access-token', task.token];
  const inside = (...args: string[]): string =>
    git(`--git-dir=${folder}`, '-c', 'user.name=vandal', '-c', 'user.email=vandal@localhost', ...args);
  while (goesOn) {
    try {
      inside('fetch', '--quiet', url.href, '+refs/heads/podtrack:refs/heads/seen');
      const message = inside('log', '-1', '--format=%B', 'seen');
      const seq = Number(/^Podtrack-Seq: (\d+)$/m.exec(message)?.[1] ?? 0) + 1;
      await real.sleep(1500);
      const text = `look, no hands\n\nPodtrack-Seq: ${seq}`;
      const commit = inside('commit-tree', '-p', 'seen', '-m', text, 'seen^{tree}');
      inside('push', '--quiet', '--force', url.href, `${commit}:refs/heads/podtrack`);
    } catch {
      // A lost answer: the next round looks anew.
    }
    await real.sleep(1000);
  }
}

const store = openStore();
if (task.role === 'forcer') await force();
else {
  while (goesOn) {
    await write(store, nextOps());
    await real.sleep(task.role === 'reaper' ? 500 : Math.random() * 2000);
  }
}
process.exit(0);
