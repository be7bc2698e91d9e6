/** What every registry store does with many callers in one process: one act at a time, waiting reads and commits together. */
import pLimit from 'p-limit';
import { WorldError } from '../domain/errors.ts';
import type { RegistryOp } from '../domain/registry/ops.ts';
import { mayWait } from '../domain/registry/queue-entry.ts';
import type { RegistryStore, Snapshot, Submitted } from '../ports.ts';

/** The acts of one store, each of which may count on being alone. */
export type RegistryActs = Omit<RegistryStore, 'submit'> & {
  /** One commit of what applies. */
  write(ops: readonly RegistryOp[]): Promise<Submitted>;
  /** Keeps ops that may come late under a ref of their own. Throws WorldError where that fails too. */
  enqueue(ops: readonly RegistryOp[]): Promise<Submitted>;
  /** For people: what takes its time, and why. */
  notice(line: string): void;
};

type Waiting = {
  readonly ops: readonly RegistryOp[];
  readonly answer: (submitted: Submitted) => void;
  readonly fail: (error: unknown) => void;
};

/** Each caller gets the results of his own ops. */
function answerAll(waiting: readonly Waiting[], submitted: Submitted): void {
  let from = 0;
  for (const { ops, answer } of waiting) {
    answer({ ...submitted, results: submitted.results.slice(from, from + ops.length) });
    from += ops.length;
  }
}

/** Contention, quotas and lost answers pass; what was refused or could not be read does not get better in a queue. */
function ranOutOfTime(error: unknown): error is WorldError {
  return (
    error instanceof WorldError && ['conflict', 'rate-limited', 'outcome-unknown'].includes(error.failure)
  );
}

function failedTwice(first: WorldError, second: unknown): unknown {
  if (!(second instanceof WorldError)) return second;
  const cameBack = `${first.told.cameBack}; nor could it be queued: ${second.told.cameBack}`;
  return new WorldError(first.failure, { ...first.told, cameBack, cause: second }, { retryable: true });
}

/** What may come late is queued; who decides a race is told that it was not decided. */
async function queueRest(acts: RegistryActs, waiting: readonly Waiting[], error: unknown): Promise<void> {
  const late = waiting.filter(
    ({ ops }) => ranOutOfTime(error) && ops.length > 0 && ops.every((op) => mayWait(op)),
  );
  for (const each of waiting) if (!late.includes(each)) each.fail(error);
  if (late.length === 0 || !ranOutOfTime(error)) return;
  try {
    const submitted = await acts.enqueue(late.flatMap(({ ops }) => ops));
    const count = submitted.results.filter(({ kind }) => kind === 'queued').length;
    if (count > 0)
      acts.notice(
        `${count} change${count === 1 ? '' : 's'} queued in ${acts.place}, to be committed by the next writer or the reaper (${error.told.cameBack})`,
      );
    answerAll(late, submitted);
  } catch (second) {
    const both = failedTwice(error, second);
    for (const { fail } of late) fail(both);
  }
}

/** One commit for everything that waits. */
async function writeAll(acts: RegistryActs, waiting: readonly Waiting[]): Promise<void> {
  try {
    answerAll(waiting, await acts.write(waiting.flatMap(({ ops }) => ops)));
  } catch (error) {
    await queueRest(acts, waiting, error);
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
