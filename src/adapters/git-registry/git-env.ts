/** The environment of every git call: nobody's configuration but ours, and credentials out of argv's sight. */

/** Basic authentication; GitHub takes any user name beside a token. */
export type GitCredential = { readonly username: string; readonly token: string };

export type GitEnvWish = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the user's and the machine's git configuration may speak (proxy, CA, credential helper). */
  readonly userConfig: boolean;
  readonly url: string;
  /** null = none is sent. */
  readonly credential: GitCredential | null;
};

/** What git may need to reach a host. Everything else, our own secrets above all, stays here. */
const PASSED = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SYSTEMROOT',
  'SSH_AUTH_SOCK',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_SSL_CAINFO',
  'GIT_SSL_CAPATH',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'CURL_CA_BUNDLE',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'all_proxy',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'ALL_PROXY',
  'XDG_CONFIG_HOME',
];

/** Settings of a throw-away repository: nothing to tidy, nothing to fsync, no answer waited for without end. */
const ALWAYS: readonly (readonly [string, string])[] = [
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['core.fsync', 'none'],
  ['core.hooksPath', '/dev/null'],
  ['core.autocrlf', 'false'],
  ['core.quotePath', 'false'],
  ['fetch.writeCommitGraph', 'false'],
  ['pack.threads', '1'],
  ['push.default', 'nothing'],
  ['push.followTags', 'false'],
  ['push.gpgSign', 'false'],
  ['commit.gpgSign', 'false'],
  ['log.showSignature', 'false'],
  ['http.lowSpeedLimit', '100'],
  ['http.lowSpeedTime', '30'],
];

function auth({ url, credential }: GitEnvWish): readonly (readonly [string, string])[] {
  if (credential === null) return [];
  const basic = Buffer.from(`${credential.username}:${credential.token}`).toString('base64');
  const key = `http.${url}.extraheader`;
  // The header is multi-valued: a stored one beside ours is answered with 400, so the list is emptied first.
  return [
    ['credential.helper', ''],
    [key, ''],
    [key, `AUTHORIZATION: basic ${basic}`],
  ];
}

export function gitEnv(wish: GitEnvWish): Record<string, string> {
  const passed = PASSED.flatMap((name): [string, string][] => {
    const value = wish.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  const config = [...ALWAYS, ...auth(wish)];
  const pairs = config.flatMap(([key, value], index): [string, string][] => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
    ...Object.fromEntries(passed),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh',
    ...(wish.userConfig ? {} : { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }),
    GIT_CONFIG_COUNT: String(config.length),
    ...Object.fromEntries(pairs),
  };
}
