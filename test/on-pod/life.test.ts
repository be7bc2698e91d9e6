/** The life of a switch under every shell: planted, petted, killed and back, fired, proven, silent. */
import { readlinkSync } from 'node:fs';
import { expect, it } from 'vitest';
import { killIfThere, underEachShell, until } from './pod-stand.ts';
import { noContent, noSuchPod, ProviderStand } from './provider-stand.ts';

underEachShell((lay) => {
  it('is armed, acknowledges a pet, survives the death of either half, fires once and falls silent (case C26)', async ({
    onTestFinished,
  }) => {
    const provider = new ProviderStand({ delete: () => noContent, get: () => noSuchPod });
    onTestFinished(() => provider.close());
    const url = await provider.listen();
    const pod = lay(onTestFinished, { clock: 1000 });

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

underEachShell((lay) => {
  it('says dead for a pair that was killed, and a second install brings it back with its own deadline (case C26)', async ({
    onTestFinished,
  }) => {
    const pod = lay(onTestFinished, { clock: 1000 });
    await pod.install({});
    const pids = [pod.pidOf('supervisor'), pod.pidOf('watchdog')];
    // Halted first: neither may bring the other back between the two kills.
    for (const pid of pids) killIfThere(pid, 'SIGSTOP');
    killIfThere(pod.pidOf('watchdog'));
    // Its parent is halted and cannot take it away: a zombie, which is nobody.
    await until('a dead watchdog', async () => (await pod.status()).said.get('watchdog') === 'dead');
    expect((await pod.status()).said.get('supervisor')).toBe('stopped');
    for (const pid of pids) killIfThere(pid);
    await until('both dead', async () => (await pod.status()).said.get('watchdog') === 'dead');
    const dead = await pod.status();
    expect(dead.said.get('supervisor')).toBe('dead');
    expect(dead.said.get('armed')).toBe('no');
    const petted = await pod.run('switch', [
      'pet',
      'stop_in=9',
      'owner_in=9',
      'absolute_in=9',
      'extensions_left=0',
    ]);
    expect(petted.said.get('refused')).toBe('dead');
    const again = await pod.install({ stop_in: 700, owner_in: 600, key_source: 'planted' }, '');
    expect(again.said.get('armed'), again.stdout).toBe('yes');
    expect(again.said.get('stop_in')).toBe('700');
    expect(again.said.get('key_source')).toBe('explicit');
  });
});

underEachShell((lay) => {
  it('lets go of the login that planted it: no stream is held, and a hang-up of the group ends nothing (case C23)', async ({
    onTestFinished,
  }) => {
    const pod = lay(onTestFinished, { without: ['setsid'] });
    const planted = await pod.install({});
    expect(planted.said.get('armed'), planted.stdout + planted.stderr).toBe('yes');
    for (const role of ['watchdog', 'supervisor'] as const) {
      for (const stream of [0, 1, 2]) {
        expect(readlinkSync(`/proc/${pod.pidOf(role)}/fd/${stream}`)).toBe('/dev/null');
      }
      killIfThere(pod.pidOf(role), 'SIGHUP');
    }
    expect((await pod.status()).said.get('armed')).toBe('yes');
  });
});
