/** Brings an example to where it works on its pods, and leaves it there. */
import type { StartWish } from './options.ts';
import type { Run } from './runner.ts';
import type { Scene } from './scene.ts';

/** Comes back when `legs` jobs work; they stay there until `releaseWork`. */
export async function startWork(on: Scene, name: string, wish: StartWish, legs = 1): Promise<Run> {
  on.holdWork();
  let left = legs;
  return await new Promise<Run>((resolve, reject) => {
    const started: Promise<Run> = on.example(name, {
      ...wish,
      onLine: (line) => {
        if (!line.startsWith('ssh -p')) return;
        left -= 1;
        if (left === 0) started.then(resolve, reject);
      },
    });
    started
      .then(({ finished }) => finished)
      .then(({ jobs }) => {
        const logs = jobs.flatMap(({ log }) => log).join('\n');
        reject(new Error(`it ended before it worked:\n${logs}`));
      }, reject);
  });
}
