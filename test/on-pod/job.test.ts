/** `podtrack-job -- CMD`: the heartbeat lives exactly as long as the job, and the job is not changed by it. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PodStand, underEachShell, until } from './pod-stand.ts';

async function planted(pod: PodStand): Promise<string> {
  const { said } = await pod.install({});
  return said.get('job_tool') ?? '';
}

underEachShell((lay) => {
  it('beats while the job runs, passes arguments, input, environment and exit code through, and ends with it', async ({
    onTestFinished,
  }) => {
    const pod = lay(onTestFinished);
    const tool = await planted(pod);
    expect(tool).toBe(join(pod.root, 'usr/local/bin/podtrack-job'));
    expect(statSync(tool).mode & 0o777).toBe(0o755);
    await pod.run('switch', ['disarm']);
    const beat = join(pod.home, '.podtrack_job_alive');
    const job = `cat; umask; echo "$1|$LC_ALL"; while [ ! -s "${beat}" ]; do sleep 0.05 || sleep 1; done; exit 7`;
    const before =
      'umask 022; LC_ALL=C.UTF-8; export LC_ALL; PODTRACK_JOB_BEAT=1; export PODTRACK_JOB_BEAT; ';
    const ran = await pod.shell(
      ['-c', `${before}sh "$0" -- sh -c "$1" job 'two words'`, tool, job],
      'input\n',
    );
    expect(ran.exit, ran.stderr).toBe(7);
    expect(ran.stdout).toMatch(/^input\n0?022\ntwo words\|C\.UTF-8\n$/);
    expect(readFileSync(beat, 'utf8')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n$/);
    await until('the heart to stop', () => pod.processes().length === 0);
  });
});

it('gives the job its own process, so that a signal to it is a signal to the job', async ({
  onTestFinished,
}) => {
  const pod = new PodStand();
  onTestFinished(() => pod.close());
  const tool = await planted(pod);
  const ran = await pod.shell(['-c', 'echo $$; exec sh "$0" -- sh -c "echo \\$\\$"', tool]);
  const [before, job] = ran.stdout.split('\n');
  expect(job).toBe(before);
});

it('says how it is used, and that a command was not found, as a shell would', async ({ onTestFinished }) => {
  const pod = new PodStand();
  onTestFinished(() => pod.close());
  const tool = await planted(pod);
  expect((await pod.shell([tool, '--'])).exit).toBe(2);
  expect((await pod.shell(['-c', `PODTRACK_JOB_BEAT=1 sh ${tool} -- /no/such/program`])).exit).toBe(127);
  await until(
    'no heart without a job',
    () => !pod.commandLines().some((line) => line.includes('podtrack-job')),
  );
  expect(existsSync(join(pod.home, '.podtrack_job_alive.1'))).toBe(false);
});
