/** A job that runs elsewhere shows that it lives: the beat is written, is fresh, and goes through no link. */
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { PodStand, underEachShell } from './pod-stand.ts';

const open: PodStand[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

underEachShell((path) => {
  it('writes the heartbeat file, which the probe then sees, without any switch', async () => {
    const pod = new PodStand({ shell: path });
    open.push(pod);
    const beaten = await pod.run('switch', ['beat']);
    expect(beaten.exit, beaten.stderr).toBe(0);
    expect(beaten.said.get('beat')).toBe('written');
    const seen = await pod.run('probe', ['samples=1']);
    expect(seen.said.get('hb')).toBe('present');
  });

  it('refuses to write through a link', async () => {
    const pod = new PodStand({ shell: path });
    open.push(pod);
    const target = join(pod.root, 'elsewhere');
    symlinkSync(target, join(pod.home, '.podtrack_job_alive'));
    const beaten = await pod.run('switch', ['beat']);
    expect(beaten.exit).toBe(3);
    expect(beaten.said.get('refused')).toBe('beat-file-blocked');
    expect(existsSync(target)).toBe(false);
  });
});
