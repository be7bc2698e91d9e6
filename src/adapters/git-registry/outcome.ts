/** Tells the answers of git apart: done, lost race, wait, never, or unknown. Sources: docs/facts/git.md. */
import type { WorldFailure } from '../../domain/errors.ts';
import type { RefusedBy } from '../../domain/registry/write-refusal.ts';

/** Unknown answers are `ambiguous`: the branch is read before anything is written again. */
export type GitOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'lost-race'; readonly why: string }
  /** A lock file on the server: mostly a race, for ever if a server died with it. */
  | { readonly kind: 'locked'; readonly why: string }
  | { readonly kind: 'limited'; readonly why: string; readonly waitMs: number }
  /** Repeating it cannot help; `next` says what the reader must do. */
  | {
      readonly kind: 'final';
      readonly because: RefusedBy;
      readonly why: string;
      readonly next: string;
    }
  | { readonly kind: 'ambiguous'; readonly why: string };

export type Final = Extract<GitOutcome, { kind: 'final' }>;

/** What another credential may take over from is told apart from the rest. */
export function failureOf(outcome: Final | undefined, otherwise: WorldFailure): WorldFailure {
  return outcome?.because === 'bad-credentials' ? 'unauthorized' : otherwise;
}

type Row = {
  readonly shape: RegExp;
  /** Left out = configuration. */
  readonly because?: RefusedBy;
  readonly why: string;
  readonly next: string;
};

const TOKEN = 'Give a token with "contents: write" (workflow permissions, or another token for the registry)';

/** In this order: the more telling text first, since several of them stand in one answer. */
const FINAL: readonly Row[] = [
  {
    // Push protection speaks of rule violations too, and of other things than secrets under its own heading.
    shape: /GH009|Push cannot contain secrets|secrets? detected|due to secret scanning/i,
    because: 'secret-found',
    why: 'the server takes something in the commit for a secret',
    next: 'Look for a secret in labels and names, and change it at its source',
  },
  {
    shape: /GH013|repository rule violations/,
    because: 'ruleset',
    why: 'a ruleset refuses the push',
    next: 'Exempt this branch or this token from the ruleset that the server names',
  },
  {
    shape:
      /GH00[36]|protected branch|protected from (?:force push|deletion)|Cannot force-push|Cannot delete (?:this|a) protected|denied to update branch|only be modified through pull requests|TF402455|not allowed to access some of the refs|prohibited by Gerrit/i,
    because: 'protected-branch',
    why: 'the branch is protected',
    next: 'Exempt this branch from the protection rule, force pushes to the state branch included',
  },
  {
    shape: /Duplicate header: "?Authorization/i,
    why: 'two credentials were sent at once',
    next: 'Drop one: run checkout with persist-credentials: false, or remove the stored http.extraheader',
  },
  {
    shape: /repo(?:sitory)? (?:is|was) archived/i,
    because: 'read-only',
    why: 'the repository is archived',
    next: 'Unarchive it or choose another registry',
  },
  {
    shape:
      /Push to create is not enabled|Repository not found|repository '[^']*' not found|does not appear to be a git repository|returned error: 404/,
    why: 'there is no such repository, or this token may not see it',
    next: 'Check the address of the registry and the repositories that the token may reach',
  },
  {
    shape:
      /User permission denied for writing|Permission to \S+ denied|Write access to repository not granted|denied to \S+|You are not allowed to push|GitLab: You don't have permission|TF401027|required privilege scopes|marked as read only|repository access denied|to a read-only GitLab/i,
    because: 'read-only',
    why: 'this token may only read',
    next: TOKEN,
  },
  {
    shape:
      /Authentication failed|Failed to authenticate|could not read (?:Username|Password)|Invalid username or (?:password|token)|Bad credentials|returned error: 401|Permission denied \((?:publickey|password)/,
    because: 'bad-credentials',
    why: 'the credentials were refused',
    next: 'Give a valid token or key for the registry',
  },
  {
    shape: /returned error: 403|remote: Forbidden/,
    because: 'read-only',
    why: 'the server forbids it (403)',
    next: TOKEN,
  },
  {
    shape: /returned error: 400/,
    why: 'the server does not accept the request (400)',
    next: 'Drop stored credentials for this host; two Authorization headers are answered so',
  },
  {
    shape: /certificate (?:problem|verification failed)|Host key verification failed/,
    why: 'the server could not be trusted',
    next: 'Install its certificate or host key on this machine',
  },
  {
    shape: /dubious ownership/,
    why: 'the repository belongs to another user of this machine',
    next: 'Run as its owner, or give the registry a folder of your own',
  },
  {
    shape:
      /denying non-fast-forward|deletion prohibited|refusing to update checked out branch|branch is currently checked out|shallow update not allowed/,
    why: 'the repository’s configuration refuses the push',
    next: 'Use a bare repository whose receive.* settings allow the update',
  },
  {
    shape:
      /No space left on device|Disk quota exceeded|returned error: 507|(?:Forgejo|Gitea): Quota exceeded/i,
    why: 'the server’s disk, or what may be used of it, is full',
    next: 'Make room where the registry lies',
  },
  {
    shape: /returned error: 413|GH001|exceeded its size limit|exceeds maximum allowed size/i,
    why: 'the push, a file in it, or the repository is larger than the server takes',
    next: 'Raise the limit of the server or of its proxy, or compact the registry: podtrack compact',
  },
  {
    shape: /hook declined/,
    because: 'hook',
    why: 'a hook of the server refuses the push',
    next: 'Ask the server’s administrator which rule refused; its own words stand above',
  },
  {
    shape:
      /insufficient permission for adding an object|Read-only file system|unable to create temporary object|returned error: 405/,
    why: 'the place of the registry cannot be written',
    next: 'Give this user write permission there',
  },
  {
    shape: /transport '[^']*' not allowed/,
    why: 'git refuses this kind of address',
    next: 'Give an http(s), ssh or file address, or a path',
  },
];

const LOST =
  /\((?:fetch first|non-fast-forward|needs force|stale info|failed to update ref|cannot lock ref|reference already exists|incorrect old value provided|atomic (?:push|transaction) failed)|cannot lock ref '[^']*': (?:is at \S+ but expected|reference already exists|unable to resolve)|incorrect old value provided/;
const LOCKED = /Unable to create '[^']*\.lock'|\.lock': File exists/;
const LIMITED =
  /secondary rate limit|rate limit exceeded|abuse detection|returned error: 429|Too many requests/i;

/** Rate limits of git over HTTP come without a Retry-After that git would show; a minute is the usual one. */
const LIMIT_WAIT_MS = 60_000;

/** The line that says most, without credentials, for people. */
export function tellingLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const telling = lines.find((line) =>
    /^!|^fatal:|^remote: (?:error|fatal|GH|.*denied|.*limit)|^error: RPC/.test(line),
  );
  const line = telling ?? lines.find((each) => each !== '') ?? 'git said nothing';
  return line
    .replace(/(\w+:\/\/)[^/\s@]*@/g, '$1')
    .replace(/\s+/g, ' ')
    .slice(0, 200);
}

function judge(text: string): GitOutcome {
  const why = tellingLine(text);
  if (LOCKED.test(text)) return { kind: 'locked', why };
  if (LIMITED.test(text)) return { kind: 'limited', why, waitMs: LIMIT_WAIT_MS };
  const row = FINAL.find(({ shape }) => shape.test(text));
  if (row !== undefined) {
    const { because = 'configuration', next } = row;
    return { kind: 'final', because, why: `${row.why} (${why})`, next };
  }
  return LOST.test(text) ? { kind: 'lost-race', why } : { kind: 'ambiguous', why };
}

export type GitText = { readonly exitCode: number | null; readonly stdout: string; readonly stderr: string };

/** Done only by exit code and the ref's own porcelain line: a good push may print warnings, a bad one "up-to-date". */
export function judgePush(answer: GitText, ref: string): GitOutcome {
  const line = answer.stdout
    .split('\n')
    .find((each) => /^[ +*=-]\t/.test(each) && each.includes(`:${ref}\t`));
  if (answer.exitCode === 0 && line !== undefined) return { kind: 'done' };
  if (answer.exitCode === null) return { kind: 'ambiguous', why: 'git did not end in time' };
  if (answer.exitCode === 0) return { kind: 'ambiguous', why: tellingLine(answer.stderr) };
  return judge(`${answer.stderr}\n${answer.stdout}`);
}

/** For reads, where only "final" is not worth another try. */
export function judgeRead(answer: GitText): GitOutcome {
  if (answer.exitCode === 0) return { kind: 'done' };
  if (answer.exitCode === null) return { kind: 'ambiguous', why: 'git did not end in time' };
  return judge(answer.stderr);
}
