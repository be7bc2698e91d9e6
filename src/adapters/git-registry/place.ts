/** Where a registry lies: a git URL or a path, told without credentials and refused when it carries some. */
import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { ConfigError } from '../../domain/errors.ts';

export type Remote = {
  /** What git is given. */
  readonly url: string;
  /** What people are shown. */
  readonly place: string;
  /** The object folder of a repository on this machine, whose objects need not be copied. */
  readonly objects: string | null;
  /** Whether a token may be sent there. */
  readonly http: boolean;
};

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;
/** `host:path` as ssh takes it, not a path of this machine. */
const SCP_LIKE = /^[A-Za-z0-9._-]+(?:@[A-Za-z0-9.-]+)?:(?!\/\/|:)/;

function refuse(cameBack: string, next: string): ConfigError {
  return new ConfigError('registry', {
    tried: 'Opening the registry',
    cameBack,
    state: 'Nothing was read or written',
    next,
  });
}

function onDisk(path: string): Remote {
  const folder = resolve(path);
  const objects = [join(folder, 'objects'), join(folder, '.git', 'objects')].find((each) => existsSync(each));
  return { url: folder, place: folder, objects: objects ?? null, http: false };
}

function overHttp(text: string): Remote {
  if (!URL.canParse(text)) {
    throw refuse('the address is not a URL', 'Give https://<host>/<owner>/<repository>.git or a path');
  }
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw refuse(
      'the address carries credentials, which every process of this machine could read',
      'Remove them from the address and give the token as an input or in the environment',
    );
  }
  return { url: url.href, place: url.href, objects: null, http: true };
}

/** Throws ConfigError for what is neither a URL of http(s), ssh, git or file, nor a path. */
export function parseRemote(text: string): Remote {
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === 'http' || scheme === 'https') return overHttp(text);
  if (scheme === 'file') return onDisk(decodeURIComponent(new URL(text).pathname));
  if (scheme === 'ssh' || scheme === 'git') {
    return { url: text, place: text.replace(/\/\/([^/@:]*):[^/@]*@/, '//$1@'), objects: null, http: false };
  }
  if (scheme !== undefined || text.includes('::') || text.startsWith('-') || text === '') {
    throw refuse(
      `"${text.slice(0, 60)}" is no address that podtrack opens`,
      'Give a git URL of http(s), ssh or file, or a path',
    );
  }
  if (!isAbsolute(text) && SCP_LIKE.test(text)) return { url: text, place: text, objects: null, http: false };
  return onDisk(text);
}
