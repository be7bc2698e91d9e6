/** The contract of RegistryStore, over HTTP. */
import { suiteWith } from '../../components.ts';
import { registryContract } from './contract.ts';
import { httpPlace } from './place-under-test.ts';

suiteWith(['git-http-backend'], 'registry on a git server over HTTP', () => {
  registryContract(httpPlace);
});
