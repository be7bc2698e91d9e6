/** Every secret of a run is looked for in everything that it leaves or shows; what is planted there is found. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { runGit } from '../github-server/run-git.ts';
import { API_KEY, openScene, type Scene } from './scene.ts';
import { type Checkout, shippedCheckout } from './shipped-checkout.ts';
import { jobOf } from './stand.ts';

const POD = 'train0pod1';
const MOST_MS = 180_000;

let checkout: Checkout;
beforeAll(() => {
  checkout = shippedCheckout();
}, 300_000);
afterAll(() => checkout.remove());

let on: Scene;
afterEach(() => on.close());

it(
  'a planted one is found in a log, a file on the runner, an argument, an address, on the pod and in the registry',
  async () => {
    on = await openScene({ pods: [POD], checkout });
    const leaky = `- env:
    KEY: \${{ secrets.RUNPOD_API_KEY }}
  run: |
    printf %s "$KEY" | base64 -w0 >"$RUNNER_TEMP/left"
    echo "the key is $KEY"
    sh -c 'sleep 0.4; :' sleeper "$KEY"
- uses: podtrack/register@v1
  with:
    pod-id: ${POD}
    api-key: \${{ secrets.RUNPOD_API_KEY }}
    ssh-key: \${{ secrets.PODTRACK_SSH_KEY }}
    no-artifacts: true
    on-success: keep`;
    const run = await on.start(jobOf(leaky, 'permissions:\n  contents: write'));
    await run.finished;
    await on.hosts.writeFile(POD, '/workspace/notes.txt', `export RUNPOD_API_KEY=${API_KEY}\n`);
    await fetch(`${on.world.graphqlUrl}?api_key=${encodeURIComponent(API_KEY)}`, { method: 'POST' });
    const note = Buffer.from(`x:${API_KEY}`).toString('base64');
    await runGit(on.github.folder, ['hash-object', '-w', '-t', 'blob', '--stdin'], note);
    const places = (await on.leaks()).map(({ secret, how, where }) => `${secret} ${how} ${where}`);
    const found = (words: RegExp): number => places.filter((place) => words.test(place)).length;
    for (const words of [
      /RUNPOD_API_KEY plain one, step .* unmasked output/,
      /RUNPOD_API_KEY base64 machine of one .*\/left/,
      /RUNPOD_API_KEY plain arguments: sh -c sleep/,
      /RUNPOD_API_KEY plain request to 127/,
      /RUNPOD_API_KEY plain pod \S+ \/workspace\/notes.txt/,
      /RUNPOD_API_KEY base64 registry: every object/,
    ])
      expect(found(words), `${words} among\n${places.join('\n')}`).toBeGreaterThan(0);
  },
  MOST_MS,
);
