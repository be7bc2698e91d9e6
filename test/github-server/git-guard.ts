/** What the GitHub server refuses of git's own protocol: by token before the push, by rule in its report. */
import type { IncomingMessage } from 'node:http';
import type { Reply } from './refusals.ts';
import { isGuarded, type Repository } from './repository.ts';

/** An answer in git's or plain words, in place of git's. */
export type GitReply = {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
  readonly headers?: Reply['headers'];
};

const plain = (status: number, text: string, headers?: Reply['headers']): GitReply => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: Buffer.from(text),
  ...(headers === undefined ? {} : { headers }),
});

function tokenOf(request: IncomingMessage): string | null {
  const basic = /^basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  return basic === undefined
    ? null
    : Buffer.from(basic, 'base64')
        .toString('utf8')
        .replace(/^[^:]*:/, '');
}

const UNKNOWN = 'Invalid username or token. Password authentication is not supported for Git operations.\n';

/** A fault that was asked for, counted down. */
export function faulted(repository: Repository, request: IncomingMessage): GitReply | null {
  if (!(request.url ?? '').includes('git-receive-pack')) return null;
  const fault = repository.switches.gitFaults.find(({ times }) => times > 0);
  if (fault === undefined) return null;
  fault.times -= 1;
  return plain(fault.status, fault.text);
}

/** What the token forbids; null = nothing. A public repository is read without one. */
export function refusedByToken(repository: Repository, request: IncomingMessage): GitReply | null {
  const { tokens, archived } = repository.switches;
  const token = tokenOf(request);
  const writes = (request.url ?? '').includes('git-receive-pack');
  if (token === null && !writes) return null;
  const rights = token === null ? undefined : tokens.get(token);
  if (rights === undefined) return plain(401, UNKNOWN, { 'www-authenticate': 'Basic realm="GitHub"' });
  if (!writes) return null;
  if (archived) return plain(403, 'This repository was archived so it is read-only.\n');
  return rights === 'read'
    ? plain(403, `Permission to ${repository.name}.git denied to github-actions[bot].\n`)
    : null;
}

const packet = (bytes: Buffer | string): Buffer =>
  Buffer.concat([
    Buffer.from((Buffer.byteLength(bytes) + 4).toString(16).padStart(4, '0')),
    Buffer.from(bytes),
  ]);
const END = Buffer.from('0000');
const band = (number: 1 | 2, text: Buffer | string): Buffer =>
  packet(Buffer.concat([Buffer.from([number]), Buffer.from(text)]));

const SAYS = {
  rules: {
    lines: (ref: string) => [
      `error: GH013: Repository rule violations found for ${ref}.`,
      'Review all repository rules at https://github.com/acme/ci/rules?ref=refs%2Fheads%2Fpodtrack',
      '',
      '- Changes must be made through a pull request.',
    ],
    report: 'push declined due to repository rule violations',
  },
  mute: { lines: () => [], report: 'pre-receive hook declined' },
  classic: {
    lines: (ref: string) => [
      `error: GH006: Protected branch update failed for ${ref}.`,
      'error: Changes must be made through a pull request.',
    ],
    report: 'protected branch hook declined',
  },
} as const;

/** The report of a push to a guarded ref; null = none is. Nothing of the push is kept. */
export function refusedByRule(repository: Repository, body: Buffer): GitReply | null {
  const length = Number.parseInt(body.subarray(0, 4).toString('latin1'), 16);
  const line = body.subarray(4, Number.isNaN(length) ? 4 : length).toString('latin1');
  const ref = /^[0-9a-f]{40} [0-9a-f]{40} (refs\/[^\0\n]+)/.exec(line)?.[1];
  const how = ref === undefined ? null : isGuarded(repository, ref);
  if (ref === undefined || how === null) return null;
  const { lines, report } = SAYS[how];
  const told = Buffer.concat([packet('unpack ok\n'), packet(`ng ${ref} ${report}\n`), END]);
  const parts = [...lines(ref).map((each) => band(2, `${each}\n`)), band(1, told), END];
  return {
    status: 200,
    type: 'application/x-git-receive-pack-result',
    body: Buffer.concat(parts),
  };
}
