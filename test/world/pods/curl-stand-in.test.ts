/** The curl stand-in does over real HTTP what the on-pod scripts ask of curl; this machine's own curl, if any, agrees. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasHttpTool } from '../../../src/world/pods/curl-stand-in.ts';
import { createFolderPodHosts, type FolderPodHosts } from '../../../src/world/pods/folder-pod-hosts.ts';
import { hostedPod } from './ssh-visitor.ts';

const id = 'p0d0000000test';
let hosts: FolderPodHosts;
let server: Server;
let base: string;
const seen: { method: string; url: string; authorization: string; type: string; body: string }[] = [];

beforeAll(async () => {
  hosts = await createFolderPodHosts({ curl: 'always' });
  await hosts.start(hostedPod());
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => {
      body += part.toString();
    });
    request.on('end', () => {
      const { authorization = '', 'content-type': type = '' } = request.headers;
      seen.push({ method: request.method ?? '', url: request.url ?? '', authorization, type, body });
      if (request.url === '/hang') return;
      if (request.url === '/cut') response.destroy();
      const missing = request.url === '/missing';
      response
        .writeHead(missing ? 404 : 200, { 'content-type': 'text/plain' })
        .end(missing ? 'none\n' : 'hello\n');
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  base = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await hosts.close();
});

const curl = async (command: string) => await hosts.run(id, command);
const lastSeen = () => seen.at(-1);

describe('the stand-in', () => {
  it('is named to whoever watches, and is what the pod finds first', async () => {
    expect(hosts.standIns).toEqual(['curl']);
    expect((await curl('command -v curl')).stdout).toBe(`${hosts.folder(id)}/usr/local/bin/curl\n`);
  });

  it('takes its secret from a config on stdin', async () => {
    const told = await curl(
      `printf 'header = "Authorization: Bearer s3\\\\"cret"\\nrequest = DELETE\\n# note\\nsilent\\n' | curl --config - -w '\\n%{http_code}' '${base}/pods/x'`,
    );
    expect(told).toMatchObject({ code: 0, stdout: 'hello\n\n200', stderr: '' });
    expect(lastSeen()).toMatchObject({ method: 'DELETE', url: '/pods/x', authorization: 'Bearer s3"cret' });
  });

  it('posts data, with a header of its own, from a file or the command line', async () => {
    await curl(
      `printf '{"q":1}' >~/body; curl -sS -X POST -H 'Content-Type: application/json' -d @"$HOME/body" ${base}/graphql`,
    );
    expect(lastSeen()).toMatchObject({ method: 'POST', type: 'application/json', body: '{"q":1}' });
    await curl(`curl -s --data 'a=1' --data-raw '@b' ${base}/`);
    expect(lastSeen()).toMatchObject({
      method: 'POST',
      type: 'application/x-www-form-urlencoded',
      body: 'a=1&@b',
    });
  });

  it('shows the head of the answer before the body when asked', async () => {
    const told = await curl(`curl -q -sS -i -m 20 --connect-timeout 10 -A probe/1 -X GET ${base}/missing`);
    expect(told.stdout).toMatch(
      /^HTTP\/1\.1 404 Not Found\r\n(?:[\w-]+: .*\r\n)*content-type: text\/plain\r\n(?:.*\r\n)*\r\nnone\n$/,
    );
  });

  it('reads headers from a file', async () => {
    await curl(`printf 'Authorization: Bearer two\\n' >~/h; curl -s -H @"$HOME/h" ${base}/`);
    expect(lastSeen()?.authorization).toBe('Bearer two');
  });

  it('writes the body where it is told and the code to stdout', async () => {
    expect((await curl(`curl -sS -o ~/out -w '%{http_code}' ${base}/missing; cat ~/out`)).stdout).toBe(
      '404none\n',
    );
    expect((await curl(`curl -s -o /dev/null -w '%{http_code}' ${base}/`)).stdout).toBe('200');
  });

  it.each([
    ['a refused port', '-sS http://127.0.0.1:1/', 7],
    ['a timeout', '-sS -m 0.2 @/hang', 28],
    ['a cut connection', '-sS @/cut', 52],
    ['--fail and a 404', '-sSf @/missing', 22],
    ['a missing URL', '-sS', 2],
    ['an unknown option', '--nonsense @/', 2],
  ])('ends after %s with curl’s own code and a reason', async (_name, options, code) => {
    const told = await curl(`curl ${options.replace('@', base)}`);
    expect(told.code).toBe(code);
    expect(told.stderr).toMatch(/^curl: /);
  });

  it('is silent with -s alone', async () => {
    expect(await curl('curl -s http://127.0.0.1:1/')).toMatchObject({ code: 7, stderr: '' });
  });
});

describe('hasHttpTool', () => {
  it('counts curl and a full wget, not BusyBox’s wget, not a file that cannot be run', () => {
    const folder = mkdtempSync(join(tmpdir(), 'http-tool-'));
    const place = (name: string) => {
      mkdirSync(join(folder, name));
      return join(folder, name);
    };
    const [full, box, dead] = [place('full'), place('box'), place('dead')];
    copyFileSync('/bin/sh', join(full, 'wget'));
    writeFileSync(join(box, 'busybox'), '');
    chmodSync(join(box, 'busybox'), 0o755);
    symlinkSync('busybox', join(box, 'wget'));
    writeFileSync(join(dead, 'curl'), '');
    expect([full, box, dead, `${box}:${full}`, ''].map(hasHttpTool)).toEqual([
      true,
      false,
      false,
      true,
      false,
    ]);
    rmSync(folder, { recursive: true });
  });
});

describe('this machine’s curl', () => {
  const folders = (process.env['PATH'] ?? '').split(':').filter((folder) => existsSync(join(folder, 'curl')));

  it.runIf(folders.length > 0)('gives the same answers', async () => {
    const options = `-sS -w '|%{http_code}|\n' ${base}/missing`;
    const own = await curl(`${folders[0]}/curl ${options}`);
    expect(own.stdout).toContain('|404|');
    expect(await curl(`curl ${options}`)).toEqual(own);
  });
});
