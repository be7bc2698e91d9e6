/** Whether this machine reaches anybody by SSH: an "unreachable pod" means nothing when nobody can be reached. */
import { connect } from 'node:net';
import type { Clock } from '../../ports.ts';
import { bounded } from './bounded.ts';

export type Reference = { readonly host: string; readonly port: number };

/** Well-kept SSH doors that greet everybody; the greeting is read and nothing is sent. */
export const REFERENCES: readonly Reference[] = [
  { host: 'github.com', port: 22 },
  { host: 'ssh.github.com', port: 443 },
  { host: 'ssh.runpod.io', port: 22 },
];

const PATIENCE_MS = 5_000;

async function greets(reference: Reference, clock: Clock): Promise<void> {
  const socket = connect(reference);
  const greeting = new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed without a greeting')));
    socket.once('data', (bytes: Buffer) => {
      if (bytes.subarray(0, 4).toString('latin1') === 'SSH-') resolve();
      else reject(new Error('greeted with something that is not SSH'));
    });
  });
  try {
    const overdue = (): Error => new Error('no greeting in time');
    await bounded({ clock, untilAt: clock.now() + PATIENCE_MS, overdue }, () => greeting);
  } finally {
    socket.destroy();
  }
}

/** True as soon as one of them greets. */
export async function anyGreets(references: readonly Reference[], clock: Clock): Promise<boolean> {
  return Promise.any(references.map((reference) => greets(reference, clock))).then(
    () => true,
    () => false,
  );
}
