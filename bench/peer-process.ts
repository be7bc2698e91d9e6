/** Replays what the Python peer asks of the network in one cycle: every pod after the other, every step a login of its own. */
import { connect } from 'node:net';
import ssh2 from 'ssh2';
import { z } from 'zod';
import { answer, costOf, heard } from './child-side.ts';
import type { PeerStart, WorldPlace } from './messages.ts';

const { world, privateKey } = await heard<PeerStart>();

const listed = z.object({
  pods: z.array(
    z.object({ id: z.string(), ssh: z.object({ direct: z.object({ host: z.string(), port: z.number() }) }) }),
  ),
});
type Door = { readonly host: string; readonly port: number };

async function ask(place: WorldPlace, method: string, path: string): Promise<unknown> {
  const response = await fetch(`${place.restUrl}/v2/${path}`, {
    method,
    headers: { authorization: `Bearer ${place.apiKey}` },
  });
  const text = await response.text();
  return text === '' ? null : JSON.parse(text);
}

/** Connect, one command, leave: what one `ssh` or `rsync` of the peer costs the network, without its process. */
async function command(door: Door, text: string): Promise<void> {
  const client = new ssh2.Client();
  const sock = connect({ ...door, noDelay: true });
  await new Promise<void>((resolve, reject) => {
    client.once('error', reject);
    client.once('ready', () => resolve());
    client.connect({
      sock,
      username: 'root',
      privateKey,
      authHandler: ['publickey'],
      hostVerifier: () => true,
    });
  });
  await new Promise<void>((resolve, reject) => {
    client.exec(text, (error, channel) => {
      if (error !== undefined) return reject(error);
      channel.once('close', resolve);
      channel.resume();
      channel.end();
    });
  });
  client.end();
}

/** A pod past its deadline is not asked for its load; an idle one is sampled until it is sure. */
function stepsFor(podId: string): string[] {
  const heartbeat = 'cat ~/.podtrack_job_alive';
  const load = 'nvidia-smi --query-gpu=utilization.gpu';
  if (podId.startsWith('expired')) return [heartbeat, 'rsync --server --sender', 'find . -type f'];
  if (podId.startsWith('idle'))
    return [heartbeat, `${load} samples=6`, 'rsync --server --sender', 'find . -type f'];
  return [heartbeat, load, 'touch ~/.deadman', 'rsync --server --sender'];
}

async function cycle(): Promise<void> {
  const { pods } = listed.parse(await ask(world, 'GET', 'pods'));
  for (const { id, ssh } of pods) {
    for (const step of stepsFor(id)) await command(ssh.direct, step);
    if (id.startsWith('healthy')) continue;
    for (const method of ['GET', 'DELETE', 'GET']) await ask(world, method, `pods/${id}`);
  }
}

const { cost } = await costOf(cycle);
await answer(cost);
process.exit(0);
