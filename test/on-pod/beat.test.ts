/** A job that runs elsewhere shows that it lives: the beat is written, is fresh, and goes through no link. */
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { underEachShell } from './pod-stand.ts';

underEachShell((lay) => {
  it('writes the heartbeat file, which the probe then sees, without any switch', async ({
    onTestFinished,
  }) => {
    const pod = lay(onTestFinished);
    const beaten = await pod.run('switch', ['beat']);
    expect(beaten.exit, beaten.stderr).toBe(0);
    expect(beaten.said.get('beat')).toBe('written');
    const seen = await pod.run('probe', ['samples=1']);
    expect(seen.said.get('hb')).toBe('present');
  });

  it('refuses to write through a link', async ({ onTestFinished }) => {
    const pod = lay(onTestFinished);
    const target = join(pod.root, 'elsewhere');
    symlinkSync(target, join(pod.home, '.podtrack_job_alive'));
    const beaten = await pod.run('switch', ['beat']);
    expect(beaten.exit).toBe(3);
    expect(beaten.said.get('refused')).toBe('beat-file-blocked');
    expect(existsSync(target)).toBe(false);
  });
});
