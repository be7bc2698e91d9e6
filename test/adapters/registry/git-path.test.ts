/** The contract of RegistryStore, on a bare repository of this machine. */
import { describe } from 'vitest';
import { registryContract } from './contract.ts';
import { pathPlace } from './place-under-test.ts';

describe('registry in a bare repository', () => {
  registryContract(pathPlace);
});
