/** Every secret of a run is looked for in everything that it leaves or shows; what is planted there is found. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { runGit } from '../github-server/run-git.ts';
import { endClean, openScene, type Scene } from './scene.ts';
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

/** No other test's: arguments are looked at over the whole machine. */
const PLANTED = 'planted_SecretThatTheScanMustFind_0123456789';
const BACKWARDS = Array.from(PLANTED).reverse().join('');

const LEAKY = `- name: leaky
  env:
    KEY: \${{ secrets.PLANTED }}
    BACK: ${BACKWARDS}
  run: |
    echo "the key is $KEY, or $BACK"
    echo "::warning::it is $BACK"
    for file in "$GITHUB_OUTPUT" "$GITHUB_ENV" "$GITHUB_STATE"; do echo "left=$KEY" >>"$file"; done
    echo "$BACK" >>"$GITHUB_STEP_SUMMARY"
    for folder in "$RUNNER_TEMP" "$RUNNER_TOOL_CACHE" "$HOME" "$PWD"; do
      printf %s "$KEY" | base64 -w0 >"$folder/left"
    done
    sh -c 'sleep 0.4; :' sleeper "$KEY"
- uses: podtrack/register@v1
  with:
    pod-id: ${POD}
    api-key: \${{ secrets.RUNPOD_API_KEY }}
    ssh-key: \${{ secrets.PODTRACK_SSH_KEY }}
    no-artifacts: true
    on-success: keep`;

/** What a process of the product could have done outside the runner. */
async function plantOutside({ hosts, world, github, results }: Scene): Promise<void> {
  await hosts.writeFile(POD, '/workspace/notes.txt', `export KEY=${PLANTED}\n`);
  await fetch(`${world.graphqlUrl}?api_key=${PLANTED}`, { method: 'POST' });
  await fetch(github.graphqlUrl, { method: 'POST', body: JSON.stringify({ query: `{ ${PLANTED} }` }) });
  const note = Buffer.from(`x:${PLANTED}`).toString('base64');
  await runGit(github.folder, ['hash-object', '-w', '-t', 'blob', '--stdin'], note);
  await runGit(github.folder, ['update-ref', `refs/heads/${PLANTED}`, 'refs/heads/main']);
  const asks: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['CreateArtifact', { name: PLANTED }],
    ['FinalizeArtifact', { name: PLANTED }],
    ['CreateCacheEntry', { key: PLANTED, version: '1' }],
    ['FinalizeCacheEntryUpload', { key: PLANTED, version: '1' }],
  ];
  for (const [method, body] of asks)
    await fetch(`${results.env['ACTIONS_RESULTS_URL']}twirp/x/${method}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
}

it(
  'a planted one is found wherever the scan looks: runner, pod, registry, requests, arguments, artifacts and caches',
  async () => {
    on = await openScene({ pods: [POD], checkout, runner: { secrets: { PLANTED } } });
    const run = await on.start(jobOf(LEAKY, 'permissions:\n  contents: write'));
    await run.finished;
    await plantOutside(on);
    const places = (await on.leaks())
      .filter(({ secret }) => secret === 'PLANTED')
      .map(({ how, where }) => `${how} ${where}`);
    const missing = [
      /^reversed log of one$/,
      /^reversed page of one$/,
      /^reversed one, step "leaky" \(main\) log$/,
      /^plain one, step "leaky" \(main\) unmasked output$/,
      /^reversed one, step "leaky" \(main\) summary$/,
      /^plain one, step "leaky" \(main\) outputs$/,
      /^plain one, step "leaky" \(main\) env$/,
      /^plain one, step "leaky" \(main\) state$/,
      /^reversed one, step "leaky" \(main\) annotations$/,
      /^base64 machine of one \/left$/,
      /^plain arguments: sh -c sleep/,
      /^plain request to 127/,
      /^plain body of graphql/,
      /^plain pod \S+ \/workspace\/notes.txt/,
      /^base64 registry: every object/,
      /^plain registry: refs$/,
      /^plain names of artifacts$/,
      /^plain names of caches$/,
    ].filter((words) => !places.some((place) => words.test(place)));
    expect(missing, places.join('\n')).toEqual([]);
  },
  MOST_MS,
);

it(
  'a scene in which one was found does not end clean',
  async () => {
    on = await openScene({ pods: [POD], checkout, runner: { secrets: { PLANTED } } });
    await fetch(`${on.world.graphqlUrl}?api_key=${PLANTED}`, { method: 'POST' });
    await expect(endClean(on)).rejects.toThrow(/secrets were found:.*PLANTED/s);
  },
  MOST_MS,
);
