/** What holds for any ops in any order. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PodRecord } from '../../../src/domain/pod.ts';
import { apply } from '../../../src/domain/registry/apply.ts';
import { parseRecord, recordText } from '../../../src/domain/registry/files.ts';
import { podPath } from '../../../src/domain/registry/layout.ts';
import type { RegistryOp } from '../../../src/domain/registry/ops.ts';
import type { RegistryState } from '../../../src/domain/registry/state.ts';
import { anOp, aStart } from './op-arbitrary.ts';
import { actorOf, empty, register, sha256, stateAfter } from './record-maker.ts';

const someOps = fc.array(anOp, { minLength: 1, maxLength: 25 });

function started(record: PodRecord): RegistryState {
  return stateAfter(
    empty(),
    register('p1', { key: 'start', record: { ...record, name: 'p1' }, actor: actorOf(record.owner) }),
  );
}

/** Calls `check` with every step that applied. */
function walk(
  record: PodRecord,
  ops: readonly RegistryOp[],
  check: (before: RegistryState, op: RegistryOp, after: RegistryState) => void,
): void {
  let state = started(record);
  for (const op of ops) {
    const outcome = apply(state, op);
    if (outcome.kind !== 'applied') continue;
    check(state, op, outcome.state);
    state = outcome.state;
  }
}

const UNMOVING = new Set(['settle', 'fence', 'release', 'confirm', 'arm', 'heartbeat', 'reopen']);

describe('any ops in any order', () => {
  it('are answered without a throw, and what applied can be written and read back', () => {
    fc.assert(
      fc.property(aStart, someOps, (record, ops) => {
        walk(record, ops, (_before, _op, after) => {
          for (const [key, each] of Object.entries(after.pods)) {
            const path = podPath(key, sha256);
            expect(parseRecord(path, recordText(each, null), sha256)).toEqual({ kind: 'whole', value: each });
          }
        });
      }),
      { numRuns: 150 },
    );
  });

  it('raise the rev of what they change by one, and change one record only', () => {
    fc.assert(
      fc.property(aStart, someOps, (record, ops) => {
        walk(record, ops, (before, op, after) => {
          const changed = Object.keys(after.pods).filter((key) => after.pods[key] !== before.pods[key]);
          expect(changed.length).toBeLessThanOrEqual(1);
          const [key] = changed;
          if (key === undefined) return;
          const was = before.pods[key]?.rev;
          const is = after.pods[key]?.rev ?? 0;
          expect(was === undefined ? is >= 1 : is === was + 1).toBe(true);
          expect(after.pods[key]?.keys).toContain(op.key);
        });
      }),
    );
  });

  it('move no limit unless a person asked for it by name', () => {
    fc.assert(
      fc.property(aStart, someOps, (record, ops) => {
        walk(record, ops, (before, op, after) => {
          if (!UNMOVING.has(op.op)) return;
          for (const [key, each] of Object.entries(before.pods))
            expect(after.pods[key]?.deadlines).toEqual(each.deadlines);
        });
      }),
    );
  });

  it('never move an absolute deadline that was given', () => {
    fc.assert(
      fc.property(aStart, someOps, (record, ops) => {
        walk(record, ops, (before, op, after) => {
          if (op.op === 'register') return;
          for (const [key, each] of Object.entries(before.pods)) {
            if (!each.deadlines.absoluteGiven) continue;
            expect(after.pods[key]?.deadlines.absoluteDeadlineAt).toBe(each.deadlines.absoluteDeadlineAt);
          }
        });
      }),
    );
  });

  it('sent twice do nothing the second time', () => {
    fc.assert(
      fc.property(aStart, someOps, (record, ops) => {
        walk(record, ops, (_before, op, after) => expect(apply(after, op).kind).toBe('duplicate'));
      }),
    );
  });

  it('drop no record: what was there is there, but for a promise that was kept', () => {
    fc.assert(
      fc.property(aStart, someOps, (record, ops) => {
        walk(record, ops, (before, op, after) => {
          const gone = Object.keys(before.pods).filter((key) => after.pods[key] === undefined);
          const kept = op.op === 'register' && op.fulfils !== null ? [`runpod.${op.fulfils}`] : [];
          expect(gone).toEqual(gone.length === 0 ? [] : kept);
        });
      }),
    );
  });

  it('end a pod of another owner only through a fence, by the reaper or in absence', () => {
    fc.assert(
      fc.property(aStart, someOps, (record, ops) => {
        walk(record, ops, (before, op, after) => {
          for (const [key, each] of Object.entries(after.pods)) {
            const was = before.pods[key];
            if (each.status !== 'terminating' || was?.status === 'terminating') continue;
            expect(op.actor.kind === 'reaper' || op.actor.uuid === was?.owner.uuid).toBe(true);
          }
        });
      }),
    );
  });
});
