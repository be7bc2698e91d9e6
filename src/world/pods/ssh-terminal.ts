/** Joins an SSH channel with a terminal to a shell: echo, line editing, ^C and ^D, for people who look around on a pod by hand. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { ServerChannel } from 'ssh2';
import { signalGroup } from './ssh-command.ts';

/** No real pty behind it: enough for a prompt, not for full-screen programs. */
export function joinTerminal(channel: ServerChannel, child: ChildProcessWithoutNullStreams): void {
  const show = (text: string) => channel.write(Buffer.from(text.replaceAll('\n', '\r\n'), 'latin1'));
  child.stdout.on('data', (bytes: Buffer) => show(bytes.toString('latin1')));
  child.stderr.on('data', (bytes: Buffer) => show(bytes.toString('latin1')));
  const keyboard = lineEditor(child, show);
  channel.on('data', (bytes: Buffer) => {
    for (const key of bytes.toString('latin1')) keyboard(key);
  });
  channel.once('end', () => child.stdin.end());
  for (const stream of [child.stdin, child.stdout, child.stderr, channel])
    stream.on('error', () => undefined);
  child.once('error', (cause) => show(`sh: ${cause.message}\n`));
  child.once('close', (code) => {
    channel.exit(code ?? 255);
    channel.end();
  });
}

function lineEditor(
  child: ChildProcessWithoutNullStreams,
  show: (text: string) => void,
): (key: string) => void {
  let line = '';
  return (key) => {
    if (key === '\r' || key === '\n') {
      show('\n');
      child.stdin.write(`${line}\n`, 'latin1');
      line = '';
    } else if (key === '\x7f' || key === '\b') {
      if (line !== '') show('\b \b');
      line = line.slice(0, -1);
    } else if (key === '\x03') {
      show('^C\n');
      line = '';
      signalGroup(child.pid, 'INT');
    } else if (key === '\x04') {
      if (line === '') child.stdin.end();
    } else {
      show(key);
      line += key;
    }
  };
}
