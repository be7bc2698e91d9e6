/** The contract of RegistryStore, over GitHub's API: with its own mutations, and without them as on older servers. */
import { describe } from 'vitest';
import { registryContract } from './contract.ts';
import { githubPlace } from './github-place.ts';

describe('registry on GitHub', () => {
  registryContract(githubPlace);
});

describe('registry on a GitHub server without createCommitOnBranch and updateRefs', () => {
  registryContract(async () => {
    const place = await githubPlace();
    place.server.switches.commitMutations = false;
    return place;
  });
});
