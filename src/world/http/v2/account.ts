/** /v2/account/ssh-keys: the account's whole key list, read and replaced as one. */
import { checkBody } from '../body-check.ts';
import type { Call, Route } from '../call.ts';
import { json, type Reply } from '../reply.ts';
import { sshKeysAnswer } from './answers.ts';
import { sshKeysBody } from './requests.ts';

function read(call: Call): Reply {
  return json(200, { keys: call.world.account.sshKeys });
}

/** No merge: what is not in the body is gone. Running pods keep what they got. */
function replace(call: Call): Reply {
  const body = checkBody(sshKeysBody, call.request.body);
  if (!body.ok) return body.reply;
  call.world.account.sshKeys = body.value.keys;
  return read(call);
}

const path = '/v2/account/ssh-keys';

export const accountRoutes: readonly Route[] = [
  { method: 'GET', path, operation: 'getSshKeys', answer: sshKeysAnswer, handle: read },
  { method: 'PUT', path, operation: 'updateSshKeys', answer: sshKeysAnswer, handle: replace },
];
