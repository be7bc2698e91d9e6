/** sshShell on the pods of the embedded world: the same contract, and the faults that pods have in the field. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sshShell } from '../../../src/adapters/ssh-shell.ts';
import { WorldError } from '../../../src/domain/errors.ts';
import type { ShellTarget } from '../../../src/ports.ts';
import type { HostedPod } from '../../../src/world/pod-hosts.ts';
import { createFolderPodHosts, type FolderPodHosts } from '../../../src/world/pods/folder-pod-hosts.ts';
import { CLOSED_PORT, shellOptions, targetAt } from './house.ts';
import { keyPair } from './keys.ts';
import { shellContract } from './shell-contract.ts';

const key = keyPair();

function pod(id: string, publicLine: string): HostedPod {
  return {
    id,
    name: id,
    image: 'runpod/pytorch',
    args: '',
    env: { PUBLIC_KEY: publicLine, RUNPOD_POD_HOSTNAME: `${id}-64410abc` },
    ports: ['22/tcp'],
    sshKeys: publicLine === 'null' ? [] : [publicLine],
    files: {},
    gpu: null,
    volumePath: null,
  };
}

shellContract("sshShell on the world's pods", async () => {
  const hosts = await createFolderPodHosts();
  const good = await hosts.start(pod('good', key.publicLine));
  // PUBLIC_KEY set to the word null: the port answers and nobody can log in.
  const locked = await hosts.start(pod('locked', 'null'));
  return {
    shell: sshShell(shellOptions(key.privateText)),
    good: targetAt(good.port),
    lockedOut: targetAt(locked.port),
    nobody: targetAt(CLOSED_PORT),
    stop: () => hosts.close(),
  };
});

describe("faults of the world's pods", () => {
  let hosts: FolderPodHosts;
  let target: ShellTarget;
  beforeAll(async () => {
    hosts = await createFolderPodHosts();
    target = targetAt((await hosts.start(pod('pod-1', key.publicLine))).port);
  });
  afterAll(async () => {
    await hosts.close();
  });
  const open = (to = target, more = {}) => sshShell(shellOptions(key.privateText, more)).open(to);
  const failureOf = async (work: Promise<unknown>): Promise<string> => {
    const error: unknown = await work.catch((reason: unknown) => reason);
    return error instanceof WorldError ? error.failure : String(error);
  };

  it('a closed port is no route, a silent one is held shut, a refused login is neither (case C28)', async () => {
    await hosts.dropSsh('pod-1');
    expect(await failureOf(open())).toBe('no-route');
    await hosts.restoreSsh('pod-1');
    hosts.freezeSsh('pod-1', true);
    expect(await failureOf(open(target, { loginMs: 300 }))).toBe('held-shut');
    hosts.freezeSsh('pod-1', false);
    hosts.refuseLogin('pod-1', true);
    expect(await failureOf(open())).toBe('refused-login');
    hosts.refuseLogin('pod-1', false);
    await (await open()).close();
  });

  it('a key that changed is refused, and its fingerprint is the one that the pod prints (case C30)', async () => {
    const first = await open();
    await first.close();
    expect(first.hostKey).toBe(hosts.fingerprint('pod-1'));
    const second = await hosts.swapHostKey('pod-1');
    expect(await failureOf(open({ ...target, pins: [first.hostKey] }))).toBe('wrong-host-key');
    await (await open({ ...target, pins: [first.hostKey, second] })).close();
  });

  it('noise before an answer is no part of it', async () => {
    hosts.setNoise('pod-1', 'Welcome to RunPod\n');
    const session = await open();
    expect((await session.run({ script: 'probe', args: ['x'], timeoutMs: 20_000 })).stdout).toBe('<x>\n');
    await session.close();
    hosts.setNoise('pod-1', '');
  });

  it('the proxy, interactive only, is recognised and never hangs (case C29)', async () => {
    const proxy = await hosts.openProxy('pod-1');
    const session = await open(targetAt(proxy.port, 'pod-1-64410abc'));
    const error: unknown = await session
      .run({ script: 'probe', args: [], timeoutMs: 20_000 })
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ failure: 'incomplete-answer' });
    expect(String(error)).toContain('interactive-only door');
    await session.close();
  });
});
