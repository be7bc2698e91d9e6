/** The contract of RegistryStore, in memory. */
import { describe } from 'vitest';
import { registryContract } from './contract.ts';
import { memoryPlace } from './place-under-test.ts';

describe('registry in memory', () => {
  registryContract(async () => memoryPlace());
});
