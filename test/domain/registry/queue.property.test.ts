/** Any ops by any writers, committed or queued and folded in any interleaving, are some serial order of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryHost, memoryRegistry } from '../../../src/adapters/memory-registry.ts';
import { nodeChance } from '../../../src/adapters/node-chance.ts';
import { WorldError } from '../../../src/domain/errors.ts';
import { applyAll } from '../../../src/domain/registry/apply.ts';
import { parseOpTrailer } from '../../../src/domain/registry/message.ts';
import type { RegistryOp } from '../../../src/domain/registry/ops.ts';
import { emptyRegistry } from '../../../src/domain/registry/state.ts';
import type { Clock } from '../../../src/ports.ts';
import { anOp } from './op-arbitrary.ts';
import { NOW, register } from './record-maker.ts';

const clock: Clock = { now: () => NOW, sleep: async () => undefined };
/** One act: who, what, and whether a storm is on meanwhile. */
const anAct = fc.record({
  writer: fc.nat(3),
  ops: fc.array(anOp, { maxLength: 3 }),
  jammed: fc.boolean(),
});

describe('any interleaving of any ops by any writers, queued or not', () => {
  it('gives the records of the serial order that its history tells, each event once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anAct, { minLength: 1, maxLength: 12 }), async (acts) => {
        const host = memoryHost();
        const open = () => memoryRegistry({ clock, chance: nodeChance(), repository: null, host });
        const writers = [open(), open(), open(), open()];
        const start = register('p1', { key: 'start' });
        await open().submit([start]);
        const sent = new Map<string, RegistryOp>([[start.key, start]]);
        for (const { writer, ops, jammed } of acts) {
          host.jammed = jammed;
          // Keys of one's own, or a history could not tell which op it means.
          const own = ops.map((op, index) => ({ ...op, key: `${sent.size}/${index}/${op.key}` }));
          for (const op of own) sent.set(op.key, op);
          await writers[writer]?.submit(own).catch((error: unknown) => {
            if (!(error instanceof WorldError)) throw error;
          });
        }
        host.jammed = false;
        for (let round = 0; round < 20 && host.queue.length > 0; round += 1) await open().submit([]);
        const history = await open().history({ limit: 1000 });
        const told = history.flatMap(({ trailers }) =>
          trailers.filter(([name]) => name === 'Podtrack-Op').map(([, value]) => parseOpTrailer(value)),
        );
        const { state } = await open().read();
        let serial = emptyRegistry(state.meta.registryId, null, NOW);
        expect(new Set(told.map(({ key }) => key)).size).toBe(told.length);
        for (const { key = '' } of told) {
          const next = applyAll(
            serial,
            [sent.get(key)].flatMap((op) => op ?? []),
          );
          expect(next.events).toHaveLength(1);
          serial = next.state;
        }
        expect(serial.pods).toEqual(state.pods);
        expect(state.meta.seq).toBe(host.commits.length);
      }),
      { numRuns: 150 },
    );
  }, 60_000);
});
