/** The registry where it lies by default: a branch of the run's own repository on its server, with the job's token. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GitHttpServer, gitHttpServer } from '../adapters/registry/git-http-server.ts';
import { suiteWith } from '../components.ts';
import { API_KEY, beginJob, GITHUB_TOKEN, type Job, POD } from './job.ts';
import type { Texts } from './step.ts';

const APP_TOKEN = 'ghs_appTokenThatDiesBeforeTheJob0001';

suiteWith(['git-http-backend'], 'a registry on the server of the run', () => {
  let job: Job;
  let server: GitHttpServer;
  const folder = mkdtempSync(join(tmpdir(), 'podtrack-server-'));
  const repository = join(folder, 'acme', 'ml');

  beforeAll(async () => {
    mkdirSync(repository, { recursive: true });
    execFileSync('git', ['init', '--quiet', '--bare', repository]);
    execFileSync('git', ['-C', repository, 'config', 'http.receivepack', 'true']);
    server = await gitHttpServer(folder);
    job = await beginJob();
  }, 120_000);
  afterAll(async () => {
    await job.end();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const env = (): Texts => ({ GITHUB_SERVER_URL: server.url.replace(/\/$/, ''), PODTRACK_REGISTRY: '' });
  const basic = (token: string): string =>
    `basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`.toLowerCase();
  const tokensSeen = (): string[] => [
    ...new Set(server.seen.map(({ authorization }) => (authorization ?? '').toLowerCase())),
  ];

  it('the branch podtrack is made there with the token of the job, which stands in no address', async () => {
    const inputs = {
      'pod-id': POD,
      'api-key': API_KEY,
      'ssh-key': job.sshKey,
      'remote-path': '/workspace/results',
      'local-path': 'results',
      'keep-in': 'disk',
      'registry-token': APP_TOKEN,
    };
    const main = await job.step('register', 'main', { inputs, env: env() });
    expect(main.code, main.log).toBe(0);
    expect(main.log).toContain('app token, which lives an hour, and kill-in is 6 h');
    expect(tokensSeen()).toEqual([basic(APP_TOKEN)]);
    expect(server.seen.filter(({ line }) => line.includes('ghs_'))).toEqual([]);
    const meta = execFileSync('git', ['-C', repository, 'show', 'podtrack:meta.json'], { encoding: 'utf8' });
    expect(JSON.parse(meta)).toMatchObject({ repository: { id: '7654321' } });

    server.seen.length = 0;
    server.faults.push({ when: 'read', what: 401, times: 1 });
    const post = await job.step('register', 'post', { state: main.state, env: env() });
    expect(post.code, post.log).toBe(0);
    expect(post.log).toContain('the registry-token was refused by');
    expect(tokensSeen()).toEqual([basic(APP_TOKEN), basic(GITHUB_TOKEN)]);
    expect(job.world.world.pods.has(POD)).toBe(false);
    const log = execFileSync('git', ['-C', repository, 'log', '--format=%s', 'podtrack'], {
      encoding: 'utf8',
    });
    expect(log).toContain('terminated, requested');
    await job.look({ folder: repository });
  }, 120_000);
});
