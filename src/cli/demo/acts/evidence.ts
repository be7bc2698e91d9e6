/** Act: what can be proven afterwards: the foreign pod was left alone, and git holds the whole story. */
import { dirname } from 'node:path';
import { gitEnv } from '../../../adapters/git-registry/git-env.ts';
import { runGit } from '../../../adapters/git-registry/run-git.ts';
import { EXPIRED, FOREIGN, IDLE, OURS } from '../cast.ts';
import type { Narrator } from '../narrator.ts';
import type { Scene } from '../scene.ts';
import { type Laid, treeOf } from '../watch.ts';

const GIT_MS = 20_000;

export async function evidence(scene: Scene, tell: Narrator, laid: Laid): Promise<void> {
  tell.act(
    'What can be proven afterwards',
    'This world keeps a log of every request, and the registry is plain git: each step was a commit, made before or ' +
      'right after the deed, and pushed so that two machines can never both believe they may act.',
  );
  await checkForeign(scene, tell, laid);
  await tellHistory(scene, tell);
}

async function checkForeign({ account, hosts }: Scene, tell: Narrator, laid: Laid): Promise<void> {
  const named = account.requests().filter((request) => request.podId === FOREIGN);
  const writes = named.filter((request) => request.method !== 'GET');
  const pod = account.world.pods.get(FOREIGN);
  const untouched = (await treeOf(hosts.folder(FOREIGN))).join('\n') === laid.foreign.join('\n');
  tell.check(
    pod?.status === 'RUNNING' && writes.length === 0 && untouched && hosts.processes(FOREIGN).length === 0,
    `The foreign pod runs on. Of ${account.requests().length} requests to the API ${named.length} named it and ` +
      `${writes.length} asked to change it; on its disk not a byte was changed.`,
    { requests: account.requests().length, naming: named.length, writes: writes.length, untouched },
  );
}

/** `git log` by the system's git on the registry itself, not by podtrack's own reader. */
async function tellHistory(scene: Scene, tell: Narrator): Promise<void> {
  const { registry, env } = scene;
  const wish = { env, userConfig: false, url: registry, credential: null };
  const git = async (...args: string[]): Promise<readonly string[]> => {
    const call = { env: { ...gitEnv(wish), GIT_DIR: registry }, cwd: dirname(registry), timeoutMs: GIT_MS };
    const answer = await runGit({ ...call, args });
    return answer.stdout
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
  };
  const log = await git('log', '--format=%h %s%n%b', '--reverse', 'podtrack');
  tell.quote(
    "git log --reverse --format='%h %s%n%b' podtrack | grep -E '^([0-9a-f]+|-) '",
    log.filter((line) => /^([0-9a-f]+|-) /.test(line)),
  );
  const steps = await git('log', '--format=%(trailers:key=Podtrack-Op,valueonly)', '--reverse', 'podtrack');
  const verbs = (pod: string): readonly string[] =>
    steps.filter((step) => step.includes(` pod=runpod.${pod} `)).map((step) => step.split(' ')[0] ?? '');
  const isWhole = [EXPIRED, IDLE].every((pod) =>
    inOrder(['register', 'arm', 'fence', 'confirm', 'settle'], verbs(pod)),
  );
  tell.check(
    isWhole && OURS.every((pod) => verbs(pod).includes('register')) && verbs(FOREIGN).length === 0,
    'For both ended pods git shows register, arm, fence, confirm and settle, in this order; of the foreign pod, nothing.',
    { steps: steps.length },
  );
  tell.tell(
    'The record of the busy pod still says active: nobody was left to write. The next reaper finds the pod absent and, ' +
      'after two looks ten minutes apart, settles it as lost.',
  );
}

function inOrder(wanted: readonly string[], found: readonly string[]): boolean {
  let at = -1;
  return wanted.every((verb) => {
    at = found.indexOf(verb, at + 1);
    return at >= 0;
  });
}
