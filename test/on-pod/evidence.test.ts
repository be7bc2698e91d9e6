/** Evidence by real shells: processes from /proc alone, the switch's record, nvidia-smi; bounded, and without the key. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type EvidenceText, evidenceTexts } from '../../src/domain/evidence.ts';
import { KEY, PodStand, underEachShell, until } from './pod-stand.ts';

async function textsOf(pod: PodStand): Promise<ReadonlyMap<string, string>> {
  const ran = await pod.run('evidence');
  expect(ran.stderr).toBe('');
  const texts = evidenceTexts({
    podId: 'pod-1',
    at: 0,
    because: 'it was idle',
    log: { kind: 'seen', value: ['epoch 3'] },
    look: { kind: 'seen', value: { exitCode: ran.exit, stdout: ran.stdout } },
  });
  return new Map(texts.map(({ name, text }: EvidenceText) => [name, text]));
}

/** A process as /proc shows it; its name may hold anything. */
function process(pod: PodStand, pid: string, name: string, line: string): void {
  mkdirSync(join(pod.root, 'proc', pid), { recursive: true });
  const rest = Array.from({ length: 40 }, (_, index) => String(index)).join(' ');
  writeFileSync(join(pod.root, 'proc', pid, 'stat'), `${pid} (${name}) S ${rest}\n`);
  writeFileSync(join(pod.root, 'proc', pid, 'cmdline'), line);
}

underEachShell((lay) => {
  it('tells processes, switch and GPU of a pod without ps', async ({ onTestFinished }) => {
    const pod = lay(onTestFinished, { without: ['ps'] });
    process(pod, '2000001', 'py) (th', 'python\0train.py\0--lr\n1e-4\0');
    pod.program('nvidia-smi', '#!/bin/sh\necho "| NVIDIA-SMI 550 |"\n');
    await pod.install({});
    await pod.turned();
    const texts = await textsOf(pod);
    expect(texts.get('processes.txt')).toContain('pid=2000001 parent=0 state=S started=18');
    expect(texts.get('processes.txt')).toContain('py) (th: python train.py --lr 1e-4');
    expect(texts.get('switch.txt')).toContain('armed=yes');
    expect(texts.get('nvidia-smi.txt')).toBe('| NVIDIA-SMI 550 |\n');
    expect(texts.get('container.log')).toBe('epoch 3\n');
    expect([...texts.values()].join('')).not.toContain(KEY);
  });
});

describe('what cannot be seen', () => {
  it('is said in the text about the others', async ({ onTestFinished }) => {
    const pod = new PodStand({ without: ['nvidia-smi'] });
    onTestFinished(() => pod.close());
    const texts = await textsOf(pod);
    expect([...texts.keys()]).toEqual(['about.txt', 'container.log', 'switch.txt']);
    expect(texts.get('about.txt')).toContain('processes.txt: no-process-list');
    expect(texts.get('about.txt')).toContain('nvidia-smi.txt: not-on-the-pod');
    expect(texts.get('switch.txt')).toContain('reason=not-installed');
  });

  it('is a hung nvidia-smi: left behind after its time', async ({ onTestFinished }) => {
    const pod = new PodStand({ clock: 1000 });
    onTestFinished(() => pod.close());
    pod.program('nvidia-smi', '#!/bin/sh\n: >"$PODTRACK_ROOT/hangs"\nexec sleep 600\n');
    const looking = textsOf(pod);
    await until('the hang', () => existsSync(join(pod.root, 'hangs')));
    pod.setClock(1011);
    expect((await looking).get('about.txt')).toContain('nvidia-smi.txt: timed-out');
  });
});

describe('bounds', () => {
  it('hold whatever the pod has to say', async ({ onTestFinished }) => {
    const pod = new PodStand();
    onTestFinished(() => pod.close());
    for (let pid = 2_000_000; pid < 2_000_450; pid += 1)
      process(pod, String(pid), 'worker', 'x'.repeat(5000));
    pod.program('nvidia-smi', '#!/bin/sh\nhead -c 3000000 /dev/zero | tr "\\0" x\n');
    const ran = await pod.run('evidence');
    expect(ran.stdout.match(/^process\| pid=/gm)).toHaveLength(400);
    expect(ran.stdout).toContain('process| and more than 400');
    expect(ran.stdout.length).toBeLessThan(250_000);
  });
});
