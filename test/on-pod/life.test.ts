/** The life of a switch under every shell that this machine has: planted, petted, killed and back, fired, proven, silent. */
import { afterEach, expect, it } from 'vitest';
import { killIfThere, PodStand, underEachShell, until } from './pod-stand.ts';
import { noContent, noSuchPod, ProviderStand } from './provider-stand.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

underEachShell((path) => {
  it('is armed, acknowledges a pet, survives the death of either half, fires once and falls silent', async () => {
    const provider = new ProviderStand({ delete: () => noContent, get: () => noSuchPod });
    open.push(provider);
    const url = await provider.listen();
    const pod = new PodStand({ shell: path, clock: 1000 });
    open.push(pod);

    const planted = await pod.install({ rest: url, graphql: `${url}/graphql` });
    expect(planted.stderr).toBe('');
    expect(planted.said.get('armed'), planted.stdout).toBe('yes');
    expect(planted.exit).toBe(0);
    expect(planted.said.get('stop_in')).toBe('1000');

    pod.setClock(1100);
    const petted = await pod.run('switch', [
      'pet',
      'stop_in=2000',
      'owner_in=1900',
      'absolute_in=5000',
      'extensions_left=0',
    ]);
    expect(petted.exit, petted.stdout).toBe(0);
    expect(petted.said.get('acted')).toBe('yes');
    expect(petted.said.get('stop_in')).toBe('2000');

    const first = pod.pidOf('watchdog');
    killIfThere(first);
    await until('a new watchdog', () => pod.pidOf('watchdog') !== first);
    const supervisor = pod.pidOf('supervisor');
    killIfThere(supervisor);
    await until('a new supervisor', () => pod.pidOf('supervisor') !== supervisor);
    const back = await pod.status();
    expect(back.said.get('armed'), back.stdout).toBe('yes');
    expect(back.said.get('stop_in')).toBe('2000');
    expect(provider.asked).toEqual([]);

    pod.setClock(3100);
    await pod.wakeUntil('the proof', () => pod.held('record').includes('gone: proven'));
    await until('silence', () => pod.processes().length === 0);
    expect(provider.count('DELETE')).toBe(1);
    expect(pod.held('credential')).toBe('');
    const after = await pod.status();
    expect(after.said.get('armed')).toBe('no');
    expect(after.said.get('reason')).toBe('gone-proven');
    expect(after.said.get('fired')).toBe('yes');
  });
});
