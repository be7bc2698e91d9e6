/** Everything that the steps of a job have produced, scanned for every secret that was used in it. */
import { existsSync } from 'node:fs';
import type { FolderPodHosts } from '../../src/world/pods/folder-pod-hosts.ts';
import type { WorldHandle } from '../../src/world/serve.ts';
import type { ResultsService } from '../runner/results-server.ts';
import { ON_POD, podExhibits, registryExhibits, resultsExhibits } from '../runner/scene-scan.ts';
import { type Exhibit, type Leak, type Secret, scan, secretOf, seedOf } from '../runner/secret-scan.ts';
import { filesBelow, watchArguments, watchRequests } from '../runner/witness.ts';
import type { StepEnd, Texts } from './step.ts';

export type Scanned = {
  readonly world: WorldHandle;
  readonly hosts: FolderPodHosts;
  readonly results: ResultsService;
  /** The bare repository of the registry. */
  readonly registry: string;
  /** Folders of the machine. */
  readonly folders: readonly string[];
  /** All but those that the pods have, and that the steps are given. */
  readonly secrets: readonly Secret[];
};

/** A server of the test's own that may go before the job does. */
export type Beside = {
  readonly folder: string;
  readonly seen?: readonly { readonly label: string; readonly body: string }[];
};

export type JobScan = {
  /** Takes down what a step has said, and what lies on pods and machine after it. */
  heard(name: string, inputs: Texts, ended: StepEnd): void;
  look(beside: Beside): Promise<void>;
  leaks(): Promise<readonly Leak[]>;
  close(): void;
};

const SECRET_INPUTS = ['api-key', 'registry-token', 'github-token', 'deadman-token'];
/** Shorter words are none, and wrong on purpose. */
const LEAST_LENGTH = 12;
/** The runner's own file of saved state, beside which the sealed secrets lie. */
const IN_STATE = /\/files-[^/]+\/state$/;

function given(inputs: Texts): Secret[] {
  const named = SECRET_INPUTS.map((name): [string, string] => [name, (inputs[name] ?? '').trim()]);
  const whole = named.filter(([, value]) => value.length >= LEAST_LENGTH && !/\s/.test(value));
  const login = inputs['ssh-key'] ?? '';
  return [
    ...whole.map(([name, value]) => secretOf(name, value)),
    ...(login.includes('-----BEGIN OPENSSH') ? [seedOf('ssh-key', login)] : []),
  ];
}

function stepExhibits(name: string, ended: StepEnd): Exhibit[] {
  const { 'secrets-key': _, ...state } = ended.state;
  const told = { outputs: ended.outputs, env: ended.env, state, path: ended.path };
  return [
    // Without the lines that hide a secret, and with what they hide.
    { where: `${name} log`, text: ended.log },
    { where: `${name} summary`, text: ended.summary },
    ...Object.entries(told).map(([what, value]) => ({
      where: `${name} ${what}`,
      text: JSON.stringify(value),
    })),
  ];
}

export function jobScan(scene: Scanned): JobScan {
  const { world } = scene;
  const witnesses = [watchRequests(), watchArguments()];
  const pods = [...world.world.pods.keys()].map((id) => secretOf(`key of ${id}`, world.podKey(id), ON_POD));
  const secrets: Secret[] = [...scene.secrets, ...pods];
  const exhibits: Exhibit[] = [];
  const lookAround = (): void => {
    exhibits.push(...podExhibits(scene));
    const there = scene.folders.filter((folder) => existsSync(folder));
    exhibits.push(...there.flatMap((folder) => filesBelow('machine', folder)));
  };
  return {
    heard(name, inputs, ended) {
      secrets.push(...given(inputs));
      const key = ended.state['secrets-key'];
      if (key !== undefined) secrets.push(secretOf('sealing key', key, IN_STATE));
      exhibits.push(...stepExhibits(name, ended));
      lookAround();
    },
    async look({ folder, seen = [] }) {
      exhibits.push(...(await registryExhibits(folder)));
      exhibits.push(...seen.map(({ label, body }) => ({ where: `body of ${label}`, text: body })));
    },
    async leaks() {
      lookAround();
      const registry = existsSync(scene.registry) ? await registryExhibits(scene.registry) : [];
      const seen = witnesses.flatMap((witness) => witness.exhibits());
      return scan([...exhibits, ...seen, ...registry, ...resultsExhibits(scene.results)], secrets);
    },
    close() {
      for (const witness of witnesses) witness.close();
    },
  };
}
