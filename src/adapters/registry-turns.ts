/** What every registry store does with many callers in one process: one act at a time, waiting reads and commits together. */
import pLimit from 'p-limit';
import type { RegistryOp } from '../domain/registry/ops.ts';
import type { RegistryStore, Snapshot, Submitted } from '../ports.ts';

/** The acts of one store, each of which may count on being alone. */
export type RegistryActs = Omit<RegistryStore, 'submit'> & {
  /** One commit of what applies. */
  write(ops: readonly RegistryOp[]): Promise<Submitted>;
};

type Waiting = {
  readonly ops: readonly RegistryOp[];
  readonly answer: (submitted: Submitted) => void;
  readonly fail: (error: unknown) => void;
};

/** One commit for everything that waits; each caller gets the results of his own ops. */
async function writeAll(acts: RegistryActs, waiting: readonly Waiting[]): Promise<void> {
  try {
    const submitted = await acts.write(waiting.flatMap(({ ops }) => ops));
    let from = 0;
    for (const { ops, answer } of waiting) {
      answer({ ...submitted, results: submitted.results.slice(from, from + ops.length) });
      from += ops.length;
    }
  } catch (error) {
    for (const { fail } of waiting) fail(error);
  }
}

export function inTurns(acts: RegistryActs): RegistryStore {
  const inTurn = pLimit(1);
  let waiting: Waiting[] = [];
  /** A read that has not begun answers everybody who asks meanwhile. */
  let nextRead: Promise<Snapshot> | null = null;
  const writeWaiting = async (): Promise<void> => {
    const taken = waiting;
    waiting = [];
    if (taken.length > 0) await writeAll(acts, taken);
  };
  return {
    place: acts.place,
    read() {
      nextRead ??= inTurn(() => {
        nextRead = null;
        return acts.read();
      });
      return nextRead;
    },
    submit: (ops) =>
      new Promise((answer, fail) => {
        waiting.push({ ops, answer, fail });
        inTurn(writeWaiting).catch(fail);
      }),
    saveSweep: (sweep) => inTurn(() => acts.saveSweep(sweep)),
    history: (filter) => inTurn(() => acts.history(filter)),
    probeWrite: () => inTurn(() => acts.probeWrite()),
  };
}
