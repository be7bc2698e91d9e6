/** When the switch fires and when it does not: stop, absolute, the one extension, the pet window, and clocks that misbehave. */
import { writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { killIfThere, PodStand, until } from './pod-stand.ts';

let pod: PodStand;
afterEach(() => pod.close());

const left = async (name: string): Promise<string | undefined> => (await pod.status()).said.get(name);

async function armed(words: Readonly<Record<string, string | number>>): Promise<void> {
  pod = new PodStand({ clock: 1000 });
  const planted = await pod.install(words);
  expect(planted.said.get('armed'), planted.stdout + planted.stderr).toBe('yes');
}

const fired = (): Promise<void> => pod.wakeUntil('the fire', () => pod.held('fired') !== '');
const granted = (): Promise<void> =>
  pod.wakeUntil('the grant', async () => (await left('extensions_granted')) === '1');

async function firedAt(second: number): Promise<string | undefined> {
  pod.setClock(second);
  await fired();
  return left('fire_reason');
}

async function quietAt(second: number): Promise<void> {
  pod.setClock(second);
  await pod.turned();
  expect(pod.held('fired')).toBe('');
}

describe('stop and absolute', () => {
  it('fires at the stop and not a second before', async () => {
    await armed({ stop_in: 1000, absolute_in: 5000 });
    await quietAt(1999);
    expect(await firedAt(2000)).toBe('stop');
  });

  it('names the absolute deadline when that is what ran out', async () => {
    await armed({ stop_in: 1000, owner_in: 950, absolute_in: 1000 });
    expect(await firedAt(2001)).toBe('absolute');
  });

  it('cannot be talked out of it by a pet once it fired', async () => {
    await armed({});
    await firedAt(9000);
    const before = pod.held('deadline');
    const pet = ['pet', 'stop_in=2000', 'owner_in=1900', 'absolute_in=5000', 'extensions_left=0'];
    const petted = await pod.run('switch', pet);
    expect(petted.exit).toBe(3);
    expect(petted.said.get('refused')).toBe('fired');
    expect(petted.said.get('fired')).toBe('yes');
    expect(pod.held('deadline')).toBe(before);
  });
});

describe('the one extension', () => {
  const words = {
    owner_in: 100,
    pull_margin: 50,
    stop_in: 150,
    absolute_in: 2000,
    pet_min: 300,
    extensions_left: 1,
  };

  it('is exactly the owner deadline as told + pet-min, once, while the heartbeat is fresh', async () => {
    await armed(words);
    pod.heartbeat('', 10);
    pod.setClock(1140);
    await granted();
    expect(await left('owner_in')).toBe(String(1400 - 1140));
    expect(await left('stop_in')).toBe(String(1450 - 1140));
    expect(await left('extensions_left')).toBe('0');
    await quietAt(1449);
    expect(await firedAt(1450)).toBe('stop');
  });

  it('is not granted by a stale heartbeat', async () => {
    await armed({ ...words, hb_grace: 60 });
    pod.heartbeat('', 70);
    expect(await firedAt(1150)).toBe('stop');
    expect(pod.held('grant')).toBe('');
  });

  it('is not granted when none is left, and never reaches beyond the absolute deadline', async () => {
    await armed({ ...words, extensions_left: 0 });
    pod.heartbeat('', 1);
    expect(await firedAt(1150)).toBe('stop');
    await pod.close();
    await armed({ ...words, absolute_in: 200 });
    pod.heartbeat('', 1);
    pod.setClock(1120);
    await granted();
    expect(await left('owner_in')).toBe('80');
    expect(await left('stop_in')).toBe('80');
    expect(await firedAt(1200)).toBe('absolute');
    await pod.close();
    await armed({ ...words, stop_in: 100, absolute_in: 100 });
    pod.heartbeat('', 1);
    expect(await firedAt(1100)).toBe('absolute');
    expect(pod.held('grant')).toBe('');
  });

  it('starts anew from the owner deadline that a pet brings', async () => {
    await armed(words);
    pod.heartbeat('', 1);
    pod.setClock(1120);
    await granted();
    const pet = ['pet', 'stop_in=250', 'owner_in=200', 'absolute_in=1800', 'extensions_left=0'];
    const petted = await pod.run('switch', pet);
    expect(petted.said.get('stop_in')).toBe('250');
    expect(petted.said.get('extensions_granted')).toBe('0');
  });
});

describe('the pet window', () => {
  it('fires that long after the last pet when no heartbeat comes', async () => {
    await armed({ pet_window: 200 });
    await quietAt(1190);
    expect(await firedAt(1201)).toBe('pet-window');
  });

  it('counts a fresh heartbeat on the pod as a sign of life', async () => {
    await armed({ pet_window: 200 });
    pod.heartbeat('', 5);
    await quietAt(1250);
    pod.heartbeat('', 100_000);
    await quietAt(1400);
    expect(await firedAt(1460)).toBe('pet-window');
  });
});

describe('clocks and halts', () => {
  it('fires after a halt (SIGSTOP) that outlasted the deadline, because every turn reads the clock', async () => {
    await armed({});
    killIfThere(pod.pidOf('supervisor'), 'SIGSTOP');
    killIfThere(pod.pidOf('watchdog'), 'SIGSTOP');
    await until('a status that sees the halt', async () => (await left('watchdog')) === 'stopped');
    expect(await left('armed')).toBe('no');
    pod.setClock(2500);
    killIfThere(pod.pidOf('watchdog'), 'SIGCONT');
    await fired();
    killIfThere(pod.pidOf('supervisor'), 'SIGCONT');
  });

  it('counts its own turns when the clock is set back, so that the deadline stays near', async () => {
    await armed({ stop_in: 6, owner_in: 5 });
    expect(await firedAt(10)).toBe('stop');
  });

  it('goes on by the next clock, or by its own turns, when its clock cannot be read any more', async () => {
    await armed({ stop_in: 5, owner_in: 5 });
    expect(await firedAt(Number.NaN)).toBe('stop');
  });
});

describe('never now, never never', () => {
  const bad: readonly (readonly [string, string])[] = [
    ['stop_in', ''],
    ['stop_in', '0'],
    ['stop_in', '-5'],
    ['stop_in', '12\r'],
    ['stop_in', '1e3'],
    ['stop_in', ' 5'],
    ['stop_in', '2678401'],
    ['stop_in', '2147483648'],
    ['stop_in', '2147483648000'],
    ['stop_in', '5001'],
    ['absolute_in', '99999999999999999999'],
    ['absolute_in', '0x10'],
    ['owner_in', 'never'],
    ['owner_in', '5001'],
    ['pet_window', '-1'],
    ['extensions_left', '1.5'],
  ];

  it('refuses every deadline that is no whole number of seconds within 31 days, and changes nothing', async () => {
    await armed({});
    const before = pod.held('deadline');
    for (const [name, value] of bad) {
      const words = {
        stop_in: '2000',
        owner_in: '1900',
        absolute_in: '5000',
        extensions_left: '0',
        pet_window: '0',
      };
      const args = Object.entries({ ...words, [name]: value }).map(([key, text]) => `${key}=${text}`);
      const petted = await pod.run('switch', ['pet', ...args]);
      const expected = name === 'pet_window' && value === '' ? 'not-acted-on' : `bad-${name}`;
      expect([name, value, petted.said.get('refused')]).toEqual([name, value, expected]);
      expect(petted.exit).toBe(3);
    }
    expect(pod.held('deadline')).toBe(before);
  });

  it('reads leading zeros as decimal', async () => {
    await armed({ stop_in: '0100', owner_in: '0090', absolute_in: '0000500' });
    expect(await left('stop_in')).toBe('100');
    expect(await left('absolute_in')).toBe('500');
  });

  it('is not armed, and says why, with a deadline that was cut; the running watchdog keeps the one it knows', async () => {
    await armed({});
    writeFileSync(`${pod.ram}/deadline`, '2000 1900');
    expect(await left('reason')).toBe('deadline-unreadable');
    pod.setClock(2000);
    await fired();
  });
});
