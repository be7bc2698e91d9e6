/** One process of the bench: started from the built file of its name, told its task and asked over IPC. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export type Child = {
  /** Sends a message and waits for the next one that comes back. */
  ask<Answer>(message: object): Promise<Answer>;
  /** Tells it to end. */
  end(): void;
  /** Resolves when the process has ended; it is killed when it does not end by itself within 10 s. */
  ended(): Promise<void>;
};

async function nextFrom<Answer>(child: ChildProcess, name: string): Promise<Answer> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    const [answer]: [Answer] | unknown[] = await Promise.race([
      once(child, 'message', { signal }),
      once(child, 'exit', { signal }).then(([code]) => {
        throw new Error(`${name} ended with ${String(code)} before it answered`);
      }),
    ]);
    return answer as Answer;
  } finally {
    waiting.abort();
  }
}

export function startChild(name: string): Child {
  const child = fork(join(import.meta.dirname, `${name}.js`), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  return {
    async ask(message) {
      const answer = nextFrom<never>(child, name);
      child.send(message);
      return answer;
    },
    end: () => void child.send({ end: true }),
    async ended() {
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** A process with a single task: told it, heard, and waited for. */
export async function runChild<Answer>(name: string, task: object): Promise<Answer> {
  const child = startChild(name);
  const answer = await child.ask<Answer>(task);
  await child.ended();
  return answer;
}
