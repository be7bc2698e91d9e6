/** A reaper that cannot see concludes nothing: it ends no pod, says why, and does not end green. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { FaultInput } from '../../src/world/model/faults.ts';
import { serveWorld } from '../../src/world/serve.ts';
import { keyPair } from '../adapters/shell/keys.ts';
import { API_KEY, json, ownHome, podtrack } from './stage.ts';

const POD = 'paperpod00001';

const NO_LOG: FaultInput = { name: 'html', status: 404, on: ['podLogs'] };

/** Pods on paper: nothing listens at their addresses, and nobody has to. */
async function onPaper<T>(
  act: (near: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly world: Awaited<ReturnType<typeof serveWorld>>;
    readonly folder: string;
  }) => Promise<T>,
): Promise<T> {
  const world = await serveWorld({
    // A log that stays silent would be waited for.
    seed: { apiKey: API_KEY, pods: [{ id: POD, name: 'paper' }], faults: [NO_LOG] },
  });
  const { folder, env } = ownHome();
  const key = join(folder, 'ssh.key');
  writeFileSync(key, keyPair().privateText, { mode: 0o600 });
  const near = {
    ...env,
    PODTRACK_SSH_KEY: key,
    RUNPOD_API_KEY: API_KEY,
    RUNPOD_API_BASE_URL: world.restUrl,
    RUNPOD_GRAPHQL_URL: world.graphqlUrl,
    PODTRACK_LABEL: 'blind',
  };
  try {
    return await act({ env: near, world, folder });
  } finally {
    await world.stop();
  }
}

const deletes = (world: Awaited<ReturnType<typeof serveWorld>>): number =>
  world.requests().filter((request) => request.method === 'DELETE' && request.path.includes(POD)).length;

it('an account that does not open is 4 without a live record, and 1 with one', async () => {
  await onPaper(async ({ env, world }) => {
    const locked = { ...env, RUNPOD_API_KEY: 'rpa_revokedREVOKEDrevokedREVOKED' };
    expect((await podtrack('reap', locked)).code).toBe(4);
    const entered = await podtrack(`register ${POD} --no-artifacts --no-arm`, env);
    expect(entered.code, entered.err).toBe(0);
    expect(entered.out).toContain('not armed');
    const reaped = await podtrack('reap', locked);
    expect(reaped.code).toBe(1);
    expect(reaped.out).toContain('red: the account could not be read');
    expect(reaped.out).toContain(`! ${POD}`);
    expect(deletes(world)).toBe(0);
  });
});

it('a registry that cannot be read stops the cycle before any pod is looked at', async () => {
  await onPaper(async ({ env, world, folder }) => {
    await podtrack(`register ${POD} --no-artifacts --no-arm`, env);
    rmSync(join(folder, '.local/share/podtrack/registry.git/objects'), { recursive: true });
    const asked = world.requests().length;
    const reaped = await podtrack('reap --json', env);
    expect(reaped.code).toBe(1);
    expect(json(reaped)).toMatchObject({ error: { name: 'WorldError' } });
    // The list is asked for while the registry is read; nothing is asked about, or of, any pod.
    const since = world.requests().slice(asked);
    expect(since.filter(({ operation }) => operation !== 'listPods')).toEqual([]);
  });
});

it('a list with an item that cannot be read is red, names it, and ends nothing by absence', async () => {
  await onPaper(async ({ env, world }) => {
    await podtrack(`register ${POD} --no-artifacts --no-arm`, env);
    world.setFaults([NO_LOG, { name: 'malformed-item', podId: POD, on: ['listPods'] }]);
    const reaped = json(await podtrack('reap --dry-run --json', env));
    expect(reaped).toMatchObject({ exitCode: 1, counts: { malformed: 1 } });
    expect(reaped['alarms']).toContainEqual(expect.objectContaining({ code: 'list-malformed' }));
    expect(deletes(world)).toBe(0);
  });
});

it('another process under the same label may reclaim; another label may not', async () => {
  await onPaper(async ({ env }) => {
    await podtrack(`register ${POD} --no-artifacts --no-arm`, env);
    const words = `register ${POD} --no-artifacts --no-arm`;
    const later = await podtrack(words, { ...env, PODTRACK_OWNER_UUID: 'a-later-process' });
    expect(later.out).toContain('reclaimed');
    const other = await podtrack(words, { ...env, PODTRACK_LABEL: 'somebody else' });
    expect(other.code).toBe(3);
    expect(other.err).toContain(`podtrack claim ${POD}`);
    const claimed = await podtrack(`claim ${POD} --force --reason "left behind"`, {
      ...env,
      PODTRACK_LABEL: 'new',
    });
    expect(claimed.out).toContain('owned by new');
    expect((await podtrack(`history --pod ${POD}`, env)).out).toContain('left behind');
  });
});
