/** The real on-pod switch, planted on a pod of the world, ends that pod through the world's own API and is gone with it. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { onPodText } from '../../../src/on-pod-text.ts';
import { createFolderPodHosts, type FolderPodHosts } from '../../../src/world/pods/folder-pod-hosts.ts';
import { serveWorld, type WorldHandle } from '../../../src/world/serve.ts';
import { visit, visitorKey } from './ssh-visitor.ts';

const id = 'sw1tch0000test';
let hosts: FolderPodHosts;
let world: WorldHandle;

afterEach(async () => {
  await world.stop();
  await hosts.close();
});

async function plant(stopIn: number): Promise<string> {
  await hosts.writeFile(id, '~/install.sh', onPodText.install);
  const limits = `stop_in=${stopIn} owner_in=0 absolute_in=900 extensions_left=0 pet_window=0`;
  const rules = 'pull_margin=900 pet_min=1800 hb_grace=1200 tick=1';
  const who = `pod_id=${id} registry_id=0123456789abcdef owner_uuid=u1 key_source=injected`;
  const where = `rest=${world.restUrl} graphql=${world.graphqlUrl}`;
  const told = await hosts.run(id, `sh ~/install.sh ${limits} ${rules} ${who} ${where}`);
  return told.stdout;
}

describe.runIf(process.platform === 'linux')('the switch', () => {
  it.each(['when-missing', 'always'] as const)('fires, with the stand-in for curl %s', async (curl) => {
    hosts = await createFolderPodHosts({ curl });
    const pods = [{ id, name: 'alone', sshKeys: [visitorKey.publicLine] }];
    world = await serveWorld({ seed: { pods }, podHosts: hosts });
    const gone = new Promise<string>((resolve) => {
      world.onPod((change) => {
        if (change.kind === 'terminated') resolve(change.podId);
      });
    });
    expect(await plant(600)).toMatch(/^armed=yes$/m);
    expect(hosts.processes(id).length).toBeGreaterThanOrEqual(2);
    const killed = await hosts.killProcess(id, 'watchdog');
    expect(await plant(1)).toMatch(/^(armed=yes|fired=yes)$/m);
    expect(await gone).toBe(id);
    await world.settled();
    expect(hosts.processes(id)).toEqual([]);
    expect(killed).toBeGreaterThan(1);
    expect(() => hosts.folder(id)).toThrow(id);
  });
});

describe('an account over these hosts', () => {
  it('hands out the address that really answers, and its log names the host key met there', async () => {
    hosts = await createFolderPodHosts();
    world = await serveWorld({
      seed: { pods: [{ id, name: 'alone', sshKeys: [visitorKey.publicLine] }] },
      podHosts: hosts,
    });
    const headers = { authorization: `Bearer ${world.apiKey}` };
    const answer = await fetch(`${world.restUrl}/v2/pods/${id}`, { headers });
    const address = z.object({ host: z.string(), port: z.int() });
    const pod = z.object({ ssh: z.object({ direct: address }) }).parse(await answer.json());
    const guest = await visit(pod.ssh.direct);
    expect(
      hosts
        .logs(id)
        .map(({ line }) => line)
        .join('\n'),
    ).toContain(guest.hostKey);
    guest.end();
  });
});
