/** What all cut runs share: the shipped actions, and a registry that exists already, so that a pod can bear its stamp. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runGit } from '../github-server/run-git.ts';
import { endClean, openScene, REPOSITORY, type Scene } from '../runner/scene.ts';
import { type Checkout, shippedCheckout } from '../runner/shipped-checkout.ts';
import { type Witness, watchArguments } from '../runner/witness.ts';

export type Ground = {
  readonly checkout: Checkout;
  /** The text of register.yml; with other limits, where the switch is to fire within a minute. */
  workflow(rescue: 'reaper' | 'deadline'): string;
  /** The text of reap.yml, asking RunPod itself, with a clock that is so much later. */
  reaper(scene: Scene, laterMs: number): string;
  /** The value of PODTRACK_STAMP for the pod of run 1001. */
  stamp(): string;
  /** Puts the registry into the repository of a scene. */
  plant(scene: Scene): Promise<void>;
  /** Arguments of every process that ran since it was opened. */
  readonly processes: Witness;
  close(): Promise<void>;
};

export const RUN_ID = 1001;
/** From the record to the switch. */
const DEADLINE_S = 45;
/** One look for all scenes that run beside each other. */
const LOOK_EVERY_MS = 16;

const SETUP = `on: push
permissions:
  contents: write
jobs:
  begin:
    runs-on: ubuntu-latest
    steps:
      - uses: podtrack/register/setup@v1
`;

const example = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../workflows-examples/${name}.yml`, import.meta.url)), 'utf8');

function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the example does not say "${from}" any more`);
  return text.replace(from, to);
}

function shortLived(text: string): string {
  const from = '          kill-in: 2h\n';
  const knobs = [`kill-in: ${DEADLINE_S - 10}s`, `kill-absolute-min: ${DEADLINE_S}s`];
  return replaced(text, from, knobs.map((knob) => `          ${knob}\n`).join(''));
}

function withEnv(text: string, env: Readonly<Record<string, string>>): string {
  const lines = Object.entries(env).map(([name, value]) => `      ${name}: ${JSON.stringify(value)}\n`);
  return replaced(text, '    steps:\n', `    env:\n${lines.join('')}    steps:\n`);
}

/** Begins a registry by the setup action, as a user would. */
async function beginRegistry(checkout: Checkout): Promise<{ scene: Scene; registryId: string }> {
  const scene = await openScene({ pods: [], checkout });
  const report = await (await scene.start(SETUP)).finished;
  const stamp = report.jobs[0]?.steps[0]?.outputs['stamp'] ?? '';
  const [, registryId = ''] = stamp.split(':');
  if (registryId === '') throw new Error(`setup gave no stamp:\n${report.jobs[0]?.log.join('\n')}`);
  return { scene, registryId };
}

/** The registry of the template, which is this server's from now on. */
async function plant(template: Scene, { github }: Scene): Promise<void> {
  const git = async (args: readonly string[], input?: string): Promise<string> =>
    (await runGit(github.folder, args, input)).stdout.trim();
  await git(['fetch', '--quiet', template.github.folder, '+refs/heads/podtrack:refs/heads/podtrack']);
  const origin = ({ apiUrl }: Scene['github']): string => `github.localhost:${new URL(apiUrl).port}`;
  const meta = (await git(['show', 'podtrack:meta.json'])).replaceAll(
    origin(template.github),
    origin(github),
  );
  const blob = await git(['hash-object', '-w', '--stdin'], `${meta}\n`);
  const tree = (await git(['ls-tree', 'podtrack'])).replace(/[0-9a-f]{40}\tmeta\.json/, `${blob}\tmeta.json`);
  const root = await git(['mktree'], `${tree}\n`);
  const says = await git(['log', '-1', '--format=%B', 'podtrack']);
  const person = ['-c', 'user.name=ground', '-c', 'user.email=ground@localhost'];
  const commit = await git([...person, 'commit-tree', root, '-m', says]);
  await git(['update-ref', 'refs/heads/podtrack', commit]);
}

export async function openGround(dist?: string): Promise<Ground> {
  const checkout = shippedCheckout(dist);
  const { scene: template, registryId } = await beginRegistry(checkout);
  const [long, reap] = [example('register'), example('reap')];
  const short = shortLived(long);
  const later = new URL('later.mjs', import.meta.url).href;
  let stamps = 0;
  const processes = watchArguments(LOOK_EVERY_MS);
  return {
    checkout,
    workflow: (rescue) => (rescue === 'deadline' ? short : long),
    reaper: (scene, laterMs) =>
      withEnv(reap, {
        NODE_OPTIONS: `--import=${later}`,
        CUTS_LATER_MS: String(laterMs),
        RUNPOD_API_BASE_URL: scene.world.restUrl,
        RUNPOD_GRAPHQL_URL: scene.world.graphqlUrl,
      }),
    stamp() {
      stamps += 1;
      const now = Math.floor(Date.now() / 1000);
      const nonce = stamps.toString(16).padStart(16, '0');
      return `1:${registryId}:${REPOSITORY.id}:${RUN_ID}:${now - 660}:${now + 21_600}:${nonce}`;
    },
    plant: (scene) => plant(template, scene),
    processes,
    async close() {
      processes.close();
      await endClean(template);
      checkout.remove();
    },
  };
}
