/** A place on the GitHub server for tests, for the contract of RegistryStore and for faults. */
import type { GithubRegistryOptions } from '../../../src/adapters/github-registry/session.ts';
import { githubRegistry } from '../../../src/adapters/github-registry.ts';
import { nodeChance } from '../../../src/adapters/node-chance.ts';
import { WorldError } from '../../../src/domain/errors.ts';
import type { RegistryStore } from '../../../src/ports.ts';
import { type Stand, standUp } from '../../github-server/asking.ts';
import { TOKEN } from '../../github-server/switches.ts';
import { handsOn, type Place, tickingClock } from './place-under-test.ts';

export type GithubPlace = Place & {
  readonly server: Stand;
  /** A store with options of its own. */
  open(over?: Partial<GithubRegistryOptions>): RegistryStore;
};

export async function githubPlace(over: Parameters<typeof standUp>[0] = {}): Promise<GithubPlace> {
  const server = await standUp(over);
  const open = (more: Partial<GithubRegistryOptions> = {}): RegistryStore =>
    githubRegistry({
      owner: 'acme',
      repo: 'ci',
      token: TOKEN,
      apiUrl: server.apiUrl,
      graphqlUrl: server.graphqlUrl,
      clock: tickingClock(),
      chance: nodeChance(),
      repository: null,
      ...more,
    });
  return {
    ...handsOn(server.folder),
    server,
    open,
    store: (more = {}) => open(more),
    close: () => server.close(),
  };
}

/** As the server names them. */
export const COMMIT = 'graphql createCommitOnBranch';
export const READ = 'graphql query';

export async function failureOf(work: Promise<unknown>): Promise<WorldError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof WorldError)) throw new Error(`no WorldError but ${String(error)}`);
  return error;
}

/** A clock whose sleeps cost no real time. */
export function swiftClock(): ReturnType<typeof tickingClock> {
  const clock = tickingClock();
  return {
    slept: clock.slept,
    now: () => clock.now() + clock.slept.reduce((sum, each) => sum + each, 0),
    sleep: async (durationMs) => void clock.slept.push(durationMs),
  };
}
