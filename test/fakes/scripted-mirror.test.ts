/** The fake Mirror keeps the same contract as the real one. */
import { mirrorContract } from '../adapters/mirror/mirror-contract.ts';
import { scriptedMirror } from './scripted-mirror.ts';
import { scriptedShell } from './scripted-shell.ts';

mirrorContract('scriptedMirror', async () => {
  const files = new Map<string, string>();
  const links: { path: string; target: string }[] = [];
  const mirror = scriptedMirror(new Map([['pod-1', { files, links }]]));
  const answer = () => 'outcome-unknown' as const;
  const shell = scriptedShell(new Map([['pod-1', { hostKey: 'SHA256:x', answer }]]));
  const address = { host: '127.0.0.1', port: 22, username: 'root' };
  const session = await shell.open({ podId: 'pod-1', address, pins: null });
  const spec = {
    podId: 'pod-1',
    remotePath: '/workspace/results',
    choice: null,
    localPath: null,
    budgetMs: 60_000,
  };
  return {
    mirror,
    session,
    spec,
    absent: { ...spec, podId: 'pod-2' },
    lay(more) {
      for (const [path, content] of Object.entries(more)) files.set(path, content);
    },
    link: (path, target) => void links.push({ path, target }),
    remove: (path) => void files.delete(path),
    copy: () =>
      new Map(
        [...(mirror.copies.get('/mirror/pod-1') ?? [])].sort(([one], [other]) => one.localeCompare(other)),
      ),
    stop: () => session.close(),
  };
});
