/** Gives a pod a small node-run curl where this machine has neither curl nor wget, so that the switch can still call out. */
import { accessSync, constants, realpathSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import { CURL_TEXT } from './curl-text.ts';

/** Does the PATH hold a curl or a full wget? BusyBox's wget cannot send a DELETE and does not count. */
export function hasHttpTool(path: string): boolean {
  return path.split(delimiter).some((folder) => ['curl', 'wget'].some((name) => isTool(join(folder, name))));
}

/** Puts the stand-in on the PATH of the pod at `root`. It keeps the node that runs this process. */
export async function installCurl(root: string): Promise<void> {
  const script = join(root, 'usr/local/lib/podtrack-world/curl.mjs');
  await mkdir(join(root, 'usr/local/lib/podtrack-world'), { recursive: true });
  await writeFile(script, CURL_TEXT);
  const wrapper = `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(script)} "$@"\n`;
  await writeFile(join(root, 'usr/local/bin/curl'), wrapper, { mode: 0o755 });
}

function isTool(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return !basename(realpathSync(path)).startsWith('busybox');
  } catch {
    return false; // Not there, or not for us to run: the pod could not use it either.
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
