/** adopt-key: takes the RunPod key into custody: a file that only its user may read. The key is never an argument. */
import { join, resolve } from 'node:path';
import { readKeyFile, readNamedFile, writeKeyFile } from '../../adapters/key-file.ts';
import { Refusal } from '../../domain/errors.ts';
import type { KeyAbilities } from '../../ports.ts';
import type { Answer, Call, Verb } from '../call.ts';
import { examples } from '../flags.ts';
import { pick, wrongUse } from '../settings/pick.ts';
import { keyFolder } from '../settings/places.ts';
import { wire } from '../wire.ts';

async function act(call: Call): Promise<Answer> {
  const folder = keyFolder(call.env);
  if (folder === null)
    throw wrongUse('HOME', 'there is no home folder for the key', 'Set HOME, or use RUNPOD_API_KEY');
  const path = join(folder, 'runpod.key');
  const key = await takeKey(call);
  call.secrets.add(key);
  const before = readKeyFile(path, 'runpod.key');
  if (before !== null) call.secrets.add(before);
  if (before !== null && before !== key && !call.given.has('replace')) throw isThere(path);
  const abilities = call.given.has('unchecked') ? null : await measure(call, key);
  if (abilities?.read === 'no') throw useless();
  writeKeyFile(path, key, 'runpod.key');
  const limited = abilities?.terminate === 'no';
  return {
    exitCode: 0,
    value: { path, read: abilities?.read ?? 'unchecked', terminate: abilities?.terminate ?? 'unchecked' },
    lines: (page) => [
      `${page.paint('ok', 'adopted')}: the key lies in ${path}, for you alone`,
      ...(limited
        ? [`  ${page.paint('warn', 'it may look but not terminate')}: podtrack cannot end a pod with it`]
        : []),
      '  Remove it where it came from: shell history, .env files, other users of this machine.',
      '  In CI it belongs into a secret named RUNPOD_API_KEY, in an environment without reviewers.',
    ],
  };
}

/** `--from FILE`, else the environment, else standard input. */
async function takeKey(call: Call): Promise<string> {
  const from = call.given.text('from');
  const given = pick(call, { variable: 'RUNPOD_API_KEY' })?.value;
  const text =
    from === undefined
      ? (given ?? (await call.io.input()))
      : readNamedFile(resolve(call.io.cwd, from), '--from');
  const key = text.trim();
  if (/^[\x21-\x7e]{6,512}$/.test(key) && !/^(?:null|undefined|none)$/i.test(key)) return key;
  const cameBack = key === '' ? 'no key was given' : 'what was given is not one key';
  throw wrongUse('key', cameBack, 'Pipe it in: podtrack adopt-key < FILE; or --from FILE; or RUNPOD_API_KEY');
}

async function measure(call: Call, key: string): Promise<KeyAbilities> {
  const env = { ...call.env, RUNPOD_API_KEY: key };
  const { provider } = await wire({ ...call, env }, { apiKey: 'needed', sshKey: 'none' });
  return await provider.abilities();
}

function isThere(path: string): Refusal {
  return new Refusal('other-key', {
    tried: 'Adopting the key',
    cameBack: `another key lies in ${path} already`,
    state: 'The file is as it was',
    next: 'Add --replace if the new one is the right one',
  });
}

function useless(): Refusal {
  return new Refusal('key-cannot-read', {
    tried: 'Trying the key, by calls that cannot harm',
    cameBack: 'RunPod does not let it read pods',
    state: 'Nothing was written',
    next: 'Make a key with read and write access to pods',
  });
}

export const adoptKey: Verb = {
  concernsPod: false,
  whenCut: { state: 'The key file is as it was, or whole', next: 'Run it again' },
  define(command) {
    command
      .option('--from <file>', 'read the key from this file')
      .option('--replace', 'although another key lies there')
      .option('--unchecked', 'do not try the key first');
    examples(command, 'podtrack adopt-key < key.txt', 'podtrack adopt-key --from ~/Downloads/key.txt');
  },
  act,
};
