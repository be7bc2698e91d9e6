/** One pull of ours in a fresh process: login, pull, and equal to the pod by size and SHA-256 when it says so. */
import { sshMirror } from '../src/adapters/ssh-mirror.ts';
import { sshShell } from '../src/adapters/ssh-shell.ts';
import { systemClock } from '../src/adapters/system-clock.ts';
import { onPodText } from '../src/on-pod-text.ts';
import type { MirrorResult, MirrorStart } from './messages.ts';

process.once('message', (start: MirrorStart) => {
  pull(start).then(
    (result) => process.send?.(result, () => process.exit(0)),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});

async function pull({
  port,
  username,
  privateKey,
  remotePath,
  localPath,
}: MirrorStart): Promise<MirrorResult> {
  const log = { say: () => undefined, progress: () => undefined };
  const clock = systemClock();
  const begunAt = performance.now();
  const used = process.cpuUsage();
  const shell = sshShell({ privateKey, scripts: onPodText, clock, log });
  const address = { host: '127.0.0.1', port, username };
  const session = await shell.open({ podId: 'pod-1', address, pins: null });
  const loginMs = performance.now() - begunAt;
  const mirror = sshMirror({ root: localPath, clock, log });
  const spec = { podId: 'pod-1', remotePath, choice: null, localPath, budgetMs: 600_000 };
  const { files, bytes, refused, moving } = await mirror.pull(session, spec);
  if (refused.length + moving.length > 0) throw new Error('not everything came');
  const wallMs = performance.now() - begunAt;
  const { user, system } = process.cpuUsage(used);
  // What the list alone costs: mostly the hashing on the pod's side.
  const listedAt = performance.now();
  await mirror.manifest(session, spec);
  const listMs = performance.now() - listedAt;
  await session.close();
  return { wallMs, loginMs, cpuMs: (user + system) / 1000, listMs, files, bytes };
}
