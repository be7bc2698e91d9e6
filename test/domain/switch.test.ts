/** What the pod says of its switch, read strictly: a status that is not whole never counts as armed. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grantExtension, setDeadlines, setKeep } from '../../src/domain/deadlines.ts';
import { Refusal } from '../../src/domain/errors.ts';
import { seen } from '../../src/domain/part.ts';
import { checkCall, installCall, petCall, switchCall, switchLimits } from '../../src/domain/switch/calls.ts';
import { readKeyCheck } from '../../src/domain/switch/key.ts';
import { readProbe } from '../../src/domain/switch/probe.ts';
import { linesOf, readSwitchMark, readSwitchStatus, refusedBecause } from '../../src/domain/switch.ts';

const WHOLE: Readonly<Record<string, string>> = {
  pod_now: '1772452800',
  uptime: '1000',
  place: '/dev/shm/podtrack',
  pod_id: 'pod1',
  registry_id: 'reg1',
  owner_uuid: 'owner%201',
  key_source: 'injected',
  stop_in: '1000',
  owner_in: '-5',
  absolute_in: '5000',
  extensions_left: '1',
  extensions_granted: '0',
  pet_window: '0',
  last_pet_ago: '12',
  acted: 'yes',
  watchdog: 'alive',
  supervisor: 'alive',
  fired: 'no',
  fire_tries: '0',
  http_tool: 'curl',
  credential: 'present',
  armed: 'yes',
};
const text = (lines: Readonly<Record<string, string>>): string =>
  Object.entries(lines)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
const read = (lines: Readonly<Record<string, string>>, exitCode = 0) =>
  readSwitchStatus({ exitCode, stdout: text(lines) });

describe('status', () => {
  it('reads a whole one into milliseconds and parts', () => {
    expect(read(WHOLE)).toEqual({
      kind: 'seen',
      value: {
        armed: true,
        reason: null,
        watchdog: 'alive',
        supervisor: 'alive',
        deadlines: {
          kind: 'seen',
          value: {
            stopInMs: 1_000_000,
            ownerInMs: -5_000,
            absoluteInMs: 5_000_000,
            extensionsLeft: 1,
            extensionsGranted: 0,
            petWindowMs: 0,
            lastPetAgoMs: 12_000,
            acted: true,
          },
        },
        mark: { kind: 'seen', value: { podId: 'pod1', registryId: 'reg1', ownerUuid: 'owner 1' } },
        fired: null,
        credential: 'present',
        key: { kind: 'unseen', reason: 'not-asked' },
        keySource: 'injected',
        httpTool: 'curl',
        ca: null,
        jobTool: null,
      },
    });
  });

  it('is not armed when a part is missing, whatever the line says', () => {
    for (const name of ['watchdog', 'supervisor', 'stop_in', 'absolute_in', 'acted']) {
      const { [name]: _gone, ...rest } = WHOLE;
      expect([name, read(rest)]).toMatchObject([name, { value: { armed: false, reason: 'parts-missing' } }]);
    }
    for (const [name, value] of [
      ['watchdog', 'stopped'],
      ['supervisor', 'dead'],
      ['stop_in', '1e3'],
      ['stop_in', ''],
    ])
      expect([name, read({ ...WHOLE, [name ?? '']: value ?? '' })]).toMatchObject([
        name,
        { value: { armed: false } },
      ]);
  });

  it('is not armed with a key that the provider refuses; what was not asked or not answered says nothing', () => {
    expect(read({ ...WHOLE, key: 'works' })).toMatchObject({ value: { armed: true, key: seen('works') } });
    expect(read({ ...WHOLE, key: 'refused' })).toMatchObject({
      value: { armed: false, reason: 'key-refused', key: seen('refused') },
    });
    expect(read({ ...WHOLE, key: 'refused', watchdog: 'dead' })).toMatchObject({
      value: { armed: false, reason: 'parts-missing' },
    });
    for (const key of ['unseen:timed-out', 'unseen:rest=503,graphql=errors', 'REFUSED', 'refused ', ''])
      expect([key, read({ ...WHOLE, key })]).toMatchObject([
        key,
        { value: { armed: true, key: { kind: 'unseen' } } },
      ]);
  });

  it('tells fired from not fired, and why', () => {
    const fired = {
      fired: 'yes',
      fire_reason: 'pet-window',
      fire_tries: '3',
      fire_last: 'key=explicit delete=500',
    };
    expect(read({ ...WHOLE, ...fired })).toMatchObject({
      value: { armed: true, fired: { because: 'pet-window', tries: 3, last: 'key=explicit delete=500' } },
    });
  });

  it('is unseen, not "off", when the pod said nothing of it', () => {
    expect(readSwitchStatus({ exitCode: 127, stdout: 'sh: not found\n' })).toMatchObject({ kind: 'unseen' });
    expect(readSwitchStatus({ exitCode: 0, stdout: '' })).toMatchObject({ kind: 'unseen' });
  });

  it('never takes any mixture of lines without a living watchdog for an armed switch, and never throws', () => {
    const lines = text(WHOLE)
      .split('\n')
      .filter((line) => line !== 'watchdog=alive');
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom(...lines)), { maxLength: 60 }),
        (mixture) => {
          const stdout = mixture.join('\n');
          const status = readSwitchStatus({ exitCode: 0, stdout });
          expect(status.kind === 'seen' && status.value.armed).toBe(false);
          readProbe({ exitCode: 0, stdout });
        },
      ),
    );
  });

  it('names what was refused, and an exit without a word', () => {
    expect(refusedBecause({ exitCode: 3, stdout: 'refused=fired\n' })).toBe('fired');
    expect(refusedBecause({ exitCode: 1, stdout: '' })).toBe('exit-1');
    expect(refusedBecause({ exitCode: 0, stdout: text(WHOLE) })).toBeNull();
  });

  it('lets a later line of the same name change nothing', () => {
    expect(linesOf('armed=no\narmed=yes\n').get('armed')).toBe('no');
  });

  it('reads the mark, and leaves an encoding that is not ours as it is', () => {
    const stdout = 'pod_id=a\nregistry_id=b\nowner_uuid=%zz\n';
    expect(readSwitchMark({ exitCode: 0, stdout })).toMatchObject({ value: { ownerUuid: '%zz' } });
    expect(readSwitchMark({ exitCode: 1, stdout: 'reason=not-installed\n' })).toEqual({
      kind: 'unseen',
      reason: 'not-installed',
    });
  });
});

describe('limits', () => {
  const now = 1_800_000_000_000;
  const minute = 60_000;
  const deadlines = setDeadlines({
    now,
    killInMs: 60 * minute,
    killAbsoluteMs: null,
    maxExtensions: 1,
    petMinMs: 30 * minute,
    pullMarginMs: 15 * minute,
  });

  it('are whole seconds left: stop = owner + pull-margin, at most absolute', () => {
    expect(switchLimits({ deadlines, now: now + 500 })).toEqual({
      stopInS: 75 * 60 - 1,
      ownerInS: 60 * 60 - 1,
      absoluteInS: 90 * 60 - 1,
      extensionsLeft: 1,
      petWindowS: null,
    });
    const extended = grantExtension(deadlines) ?? deadlines;
    expect(switchLimits({ deadlines: extended, now })).toMatchObject({ stopInS: 90 * 60, extensionsLeft: 0 });
  });

  it('leave nothing to grant during a keep or a last pull, whose stop is the one that was asked, at most absolute', () => {
    const kept = setKeep(deadlines, now + 20 * minute).deadlines;
    expect(switchLimits({ deadlines: kept, now })).toMatchObject({ stopInS: 20 * 60, extensionsLeft: 0 });
    const pull = switchLimits({ deadlines, now: now + 80 * minute, stopAt: now + 200 * minute });
    expect(pull).toMatchObject({ stopInS: 10 * 60, ownerInS: 0, extensionsLeft: 0 });
  });

  it('are refused when they would fire at once or lie beyond 31 days', () => {
    expect(() => switchLimits({ deadlines, now: now + 75 * minute })).toThrow(Refusal);
    const far = { ...deadlines, absoluteDeadlineAt: now + 32 * 24 * 60 * minute };
    expect(() => switchLimits({ deadlines: far, now })).toThrow(/31 days/);
  });
});

describe('calls', () => {
  const address = { podId: 'pod1', rest: 'https://api.example', graphql: 'https://api.example/graphql' };
  const limits = { stopInS: 10, ownerInS: 5, absoluteInS: 20, extensionsLeft: 1, petWindowS: null };

  it('carry the key over stdin and nowhere else', () => {
    const deadlines = setDeadlines({
      now: 0,
      killInMs: 60_000,
      killAbsoluteMs: null,
      maxExtensions: 1,
      petMinMs: 60_000,
      pullMarginMs: 0,
    });
    const plan = {
      ...address,
      limits,
      deadlines,
      hbGraceMs: 60_000,
      registryId: 'r',
      ownerUuid: "it's\n*mine* \ud800",
    };
    const call = installCall({ ...plan, keySource: 'explicit', key: 'rpa_secret' });
    expect(call.stdin).toBe('rpa_secret\n');
    expect(call.args.join('\n')).not.toContain('rpa_secret');
    expect(call.args).toContain('pet_window=0');
    expect(call.args).toContain('owner_uuid=it%27s%0A%2Amine%2A%20%EF%BF%BD');
    expect(checkCall(address, 'injected', null)).toMatchObject({ script: 'switch', stdin: '\n' });
  });

  it('leave the pet window as it is unless it is told', () => {
    expect(petCall(limits).args).toEqual([
      'pet',
      'stop_in=10',
      'owner_in=5',
      'absolute_in=20',
      'extensions_left=1',
    ]);
    expect(petCall({ ...limits, petWindowS: 0 }).args).toContain('pet_window=0');
    expect(switchCall('status').args).toEqual(['status']);
  });
});

describe('the check of a key', () => {
  const check = (lines: Readonly<Record<string, string>>) =>
    readKeyCheck({ exitCode: 0, stdout: text({ http_tool: 'curl', key: 'usable', ...lines }) });
  const answers = (readRest: string, endRest: string, readGraphql: string, endGraphql: string) =>
    check({ read_rest: readRest, end_rest: endRest, read_graphql: readGraphql, end_graphql: endGraphql });

  it.each([
    [answers('ok', 'absent', 'unauthorized', 'unauthorized'), 'yes', 'yes', 'rest'],
    [answers('403', '403', 'ok', 'not-found'), 'yes', 'yes', 'graphql'],
    [answers('ok', '403', 'unauthorized', 'unauthorized'), 'yes', 'no', null],
    [answers('401', '401', '401', '401'), 'no', 'no', null],
    [answers('ok', '404-unclear', 'ok', 'errors'), 'yes', 'unknown', null],
    [answers('absent', 'absent', 'absent', 'not-found'), 'unknown', 'yes', 'rest'],
  ])('%# is judged by each answer', (judged, mayRead, mayTerminate, route) => {
    expect(judged).toMatchObject({ kind: 'seen', value: { mayRead, mayTerminate, route, reached: true } });
  });

  it('tells an unreachable provider, a missing key and half an answer apart', () => {
    const unreached = answers('tls-failed', 'no-such-host', 'timed-out', 'no-connection');
    expect(unreached).toMatchObject({ value: { reached: false, mayTerminate: 'unknown' } });
    expect(check({ key: 'absent' })).toMatchObject({ kind: 'unseen' });
    expect(check({ read_rest: 'ok' })).toMatchObject({ kind: 'unseen' });
    expect(readKeyCheck({ exitCode: 3, stdout: 'refused=no-ram\n' })).toMatchObject({ kind: 'unseen' });
  });
});
