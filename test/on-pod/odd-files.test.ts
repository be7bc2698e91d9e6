/** The switch's own files with something odd in them, and clocks that say odd things: no shell may end at it, and no deadline moves. */
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type PodStand, underEachShell } from './pod-stand.ts';

const parts = fileURLToPath(new URL('../../on-pod/parts', import.meta.url));

/** The fields of a deadline: stop, owner, absolute, extensions, window, set at, revision, end. */
const oddFields: readonly (readonly [string, number, string])[] = [
  ['a leading zero', 0, '01899'],
  ['a leading zero in the window', 4, '00'],
  ['a number that no deadline may be', 0, '999999999'],
  ['an absolute deadline of years', 2, '900000000'],
  ['2^31', 0, '2147483648'],
  ['2^31 ms', 2, '2147483648000'],
  ['a minus', 1, '-5'],
  ['no digits', 0, 'never'],
  ['hexadecimal', 0, '0x7fffffff'],
  ['CR at the end', 7, '.\r'],
];

async function stays(pod: PodStand, what: string): Promise<void> {
  const { said, stderr } = await pod.status();
  expect([what, stderr, said.get('reason')]).toEqual([what, '', 'deadline-unreadable']);
  await pod.turned();
}

underEachShell((lay) => {
  it('keeps the deadline that it knows, whatever a line holds in place of it', async ({ onTestFinished }) => {
    const pod = lay(onTestFinished, { clock: 1000 });
    await pod.install({ stop_in: 500, owner_in: 400 });
    const whole = pod.held('deadline').trim().split(' ');
    for (const [what, field, value] of oddFields) {
      writeFileSync(join(pod.ram, 'deadline'), `${whole.with(field, value).join(' ')}\n`);
      await stays(pod, what);
    }
    for (const text of ['', '\n', '\u0000\u0001\u00ff\n', '\r\n', 'x'.repeat(5000)]) {
      writeFileSync(join(pod.ram, 'deadline'), text);
      await stays(pod, JSON.stringify(text.slice(0, 9)));
    }
    rmSync(join(pod.ram, 'deadline'));
    await stays(pod, 'no file');
    expect(pod.held('fired')).toBe('');
    pod.setClock(1500);
    await pod.wakeUntil('the fire', () => pod.held('fired').startsWith('1500 stop'));
  });
});

underEachShell((lay) => {
  it('does not end at a clock or a time of writing that no shell can count with', async ({
    onTestFinished,
  }) => {
    const pod = lay(onTestFinished);
    const file = join(pod.root, 'beat');
    writeFileSync(file, '');
    const at = 1_772_452_800;
    utimesSync(file, at, at);
    pod.program('date', '#!/bin/sh\nprintf "%s\\n" "$DATE_SAYS"\n');
    pod.program('stat', '#!/bin/sh\nprintf "%s\\n" "$STAT_SAYS"\n');
    const script = [
      `. ${parts}/ground.sh; . ${parts}/heartbeat.sh; settle_in`,
      'look() { DATE_SAYS=$1 STAT_SAYS=$2; export DATE_SAYS STAT_SAYS',
      'if heartbeat_age "$PODTRACK_ROOT/beat"; then raw "$age"; else raw unknown; fi; }',
      `look ${at + 5} ${at}`,
      // A shell that counts in 32 bits would take each of these for a moment ago.
      ...['6067420101', '99999999999999999999999999', '0899', '%s', '-5', '1.5', '1e9', "''"].flatMap(
        (odd) => [`look ${odd} ${at}`, `look ${at + 5} ${odd}`],
      ),
      'raw alive',
    ].join('\n');
    const ran = await pod.shell(['-c', script]);
    expect(ran.stderr).toBe('');
    expect(ran.stdout.trim().split('\n')).toEqual(['5', ...Array(16).fill('unknown'), 'alive']);
  });
});

underEachShell((lay) => {
  it('is planted and fires under the options that a login exports', async ({ onTestFinished }) => {
    const pod = lay(onTestFinished, { clock: 1000 });
    pod.before = 'set -u; set -C; set -f; set -e\n';
    const planted = await pod.install({ stop_in: 500, owner_in: 400 });
    expect([planted.stderr, planted.said.get('armed')]).toEqual(['', 'yes']);
    const again = await pod.install({ stop_in: 600, owner_in: 400 });
    expect([again.stderr, again.said.get('stop_in')]).toEqual(['', '600']);
  });
});
