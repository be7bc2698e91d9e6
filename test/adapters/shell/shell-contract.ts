/** What every Shell keeps, run on the fake and on real servers alike. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WorldError } from '../../../src/domain/errors.ts';
import type { Shell, ShellTarget } from '../../../src/ports.ts';

/** The contract's own scripts; a fake answers in their place as they would. */
export const contractScripts = {
  evidence: 'echo seen\n',
  probe: 'for a do printf "<%s>\\n" "$a"; done; cat; printf "complaint\\n" >&2; exit 7\n',
  switch: 'case $1 in hang) while kill -0 $PPID; do sleep 0.2; done ;; vanish) kill -9 $$ ;; esac\n',
  install: 'IFS= read -r secret; echo "read $secret, and $(wc -c) bytes behind"\n',
};

/** A shell and pods to try it on. */
export type ShellHouse = {
  readonly shell: Shell;
  /** A pod that answers. */
  readonly good: ShellTarget;
  /** A pod that does not take the key; null where the house cannot have one. */
  readonly lockedOut: ShellTarget | null;
  /** Nobody listens there. */
  readonly nobody: ShellTarget;
  stop(): Promise<void>;
};

async function failureOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  return error instanceof WorldError ? error.failure : String(error);
}

export function shellContract(name: string, build: () => Promise<ShellHouse>): void {
  describe(`${name} keeps the contract of Shell`, () => {
    let house: ShellHouse;
    beforeAll(async () => {
      house = await build();
    });
    afterAll(async () => {
      await house.stop();
    });

    it('hands arguments, stdin, both outputs and the exit code through unchanged', async () => {
      const session = await house.shell.open(house.good);
      const args = ['-n', "it's", 'two  blanks', '$HOME `id` "x"', '', 'ü'];
      const answer = await session.run({ script: 'probe', args, stdin: 'one\ntwo', timeoutMs: 20_000 });
      expect(answer).toEqual({
        exitCode: 7,
        stdout: `${args.map((arg) => `<${arg}>\n`).join('')}one\ntwo`,
        stderr: 'complaint\n',
      });
      await session.close();
    });

    it('reports the key of a first contact and takes it as pin from then on', async () => {
      const first = await house.shell.open({ ...house.good, pins: null });
      expect(first.hostKey).toMatch(/^SHA256:/);
      expect(first.podId).toBe(house.good.podId);
      await first.close();
      const second = await house.shell.open({ ...house.good, pins: ['SHA256:another', first.hostKey] });
      expect(second.hostKey).toBe(first.hostKey);
      await second.close();
    });

    it('tells the three failures apart: wrong host key, refused login, no route', async () => {
      expect(await failureOf(house.shell.open({ ...house.good, pins: ['SHA256:other'] }))).toBe(
        'wrong-host-key',
      );
      expect(await failureOf(house.shell.open({ ...house.good, pins: [] }))).toBe('wrong-host-key');
      expect(await failureOf(house.shell.open(house.nobody))).toBe('no-route');
      const { lockedOut } = house;
      const refused = lockedOut === null ? 'refused-login' : await failureOf(house.shell.open(lockedOut));
      expect(refused).toBe('refused-login');
    });

    it('answers several scripts of one session at once, each with its own answer', async () => {
      const session = await house.shell.open(house.good);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          session.run({ script: 'probe', args: [`${index}`], timeoutMs: 20_000 }),
        ),
      );
      expect(answers.map((answer) => answer.stdout)).toEqual(answers.map((_, index) => `<${index}>\n`));
      await session.close();
    });

    it('gives up a script that does not end, and goes on with the next', async () => {
      const session = await house.shell.open(house.good);
      const hanging = session.run({ script: 'switch', args: ['hang'], timeoutMs: 300 });
      expect(await failureOf(hanging)).toBe('timed-out');
      expect((await session.run({ script: 'probe', args: [], timeoutMs: 20_000 })).exitCode).toBe(7);
      await session.close();
    });

    it('takes a script that dies without a word as an incomplete answer, never as an empty one', async () => {
      const session = await house.shell.open(house.good);
      const dead = session.run({ script: 'switch', args: ['vanish'], timeoutMs: 20_000 });
      expect(await failureOf(dead)).toBe('incomplete-answer');
      await session.close();
    });

    it('may be closed twice and refuses to run afterwards', async () => {
      const session = await house.shell.open(house.good);
      await session.close();
      await session.close();
      const late = session.run({ script: 'probe', args: [], timeoutMs: 20_000 });
      expect(await failureOf(late)).toBe('incomplete-answer');
    });
  });
}
