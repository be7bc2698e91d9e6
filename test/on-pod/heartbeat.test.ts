/** How old a heartbeat is, computed on the pod from one clock, in every shell: the table of what a file may hold. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readHeartbeat } from '../../src/domain/heartbeat.ts';
import { underEachShell } from './pod-stand.ts';

const parts = fileURLToPath(new URL('../../on-pod/parts', import.meta.url));
/** 2026-03-02T12:00:00Z */
const NOON = 1_772_452_800;

/** content, seconds from noon to the file's time, the pod's clock as seconds from noon, the age wanted (null = unknown). */
const rows: readonly (readonly [string, number, number, number | null])[] = [
  ['2026-03-02T11:55:00Z', -300, 0, 300],
  ['2026-03-02T12:55:00', -300, 0, 300],
  ['2026-03-02T07:55:00Z', -14_700, -14_400, 300],
  ['2026-03-03T11:00:00Z', 82_800, 0, null],
  ['2026-03-02T11:58:00Z', -10_800, 0, 120],
  ['', -60, 0, 60],
  ['2026-03-02T1', -1, 0, 1],
  ['2026-03-02T12:02:00Z', -500, 0, 0],
  ['2026-03-02T12:02:01Z', -500, 0, 500],
  ['2026-03-02T13:59:00+02:00', -500, 0, 60],
  ['2026-03-02T06:29:00-0530', -500, 0, 60],
  ['2026-03-02 11:59:30.250Z', -500, 0, 30],
  ['2026-02-28T12:00:00Z', -200_000, 0, 172_800],
  ['2024-02-29T12:00:00Z', -80_000_000, 0, 63_244_800],
  ['2026-13-01T00:00:00Z', -77, 0, 77],
  ['2026-03-02T25:00:00Z', -77, 0, 77],
  ['yesterday\n2026-03-02T11:59:59Z', -77, 0, 77],
  ['2026-03-02T11:59:00Z\nanything', -77, 0, 60],
  ['$(touch oops) `x` \\n %s', -77, 0, 77],
];

underEachShell((lay) => {
  it('takes the newer of content and time of writing, believes nothing far ahead, and agrees with the domain', async ({
    onTestFinished,
  }) => {
    const pod = lay(onTestFinished);
    mkdirSync(join(pod.root, 'beats'));
    for (const [index, [content]] of rows.entries())
      writeFileSync(join(pod.root, 'beats', String(index)), content);
    const script = [
      `. ${parts}/ground.sh; . ${parts}/heartbeat.sh; settle_in`,
      'modified() { mtime=$given; }; wall_clock() { wall=$clock_given; }',
      'while [ $# -gt 0 ]; do given=$2 clock_given=$3',
      'if heartbeat_age "$PODTRACK_ROOT/beats/$1"; then raw "$1 $age"; else raw "$1 null"; fi; shift 3; done',
    ].join('\n');
    const args = rows.flatMap(([, written, clock], index) =>
      [index, NOON + written, NOON + clock].map(String),
    );
    const ran = await pod.shell(['-c', script, 'podtrack', ...args]);
    expect(ran.stderr).toBe('');
    expect(ran.stdout.trim().split('\n')).toEqual(rows.map(([, , , age], index) => `${index} ${age}`));
    for (const [content, written, clock, age] of rows) {
      const file = { content: content.split('\n')[0] ?? '', mtimeAt: (NOON + written) * 1000 };
      const read = readHeartbeat(file, (NOON + clock) * 1000);
      const told =
        read.kind === 'seen' && read.value.state === 'beating' ? Math.ceil(read.value.ageMs / 1000) : null;
      expect([content, told]).toEqual([content, age]);
    }
  });
});

underEachShell((lay) => {
  it('reads times of writing from a real file, and never opens a FIFO', async ({ onTestFinished }) => {
    const pod = lay(onTestFinished);
    pod.heartbeat('nothing of use', 1000);
    const script = [
      `. ${parts}/ground.sh; . ${parts}/heartbeat.sh; settle_in`,
      'heartbeat_age "$HOME/.podtrack_job_alive" && [ "$age" -ge 1000 ] && [ "$age" -lt 2000 ] && raw read',
      'mkfifo "$HOME/fifo"; heartbeat_age "$HOME/fifo" || raw not-opened',
      'heartbeat_age "$HOME/missing" || raw missing',
    ].join('\n');
    expect((await pod.shell(['-c', script])).stdout).toBe('read\nnot-opened\nmissing\n');
  });
});
