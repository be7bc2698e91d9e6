/** demo: the main job end to end on a world of its own; nothing of this machine's settings is used. */
import type { Answer, Call, Verb } from '../call.ts';
import { examples } from '../flags.ts';
import { wantsColour } from '../page.ts';

async function act(call: Call): Promise<Answer> {
  const { env, io, json, given } = call;
  const { runDemo } = await import('../demo/demo.ts');
  const exitCode = await runDemo({
    json,
    env,
    out: { write: io.out },
    colour: wantsColour(env, given.declined('color'), io.outIsTerminal),
    width: io.columns,
    signal: io.signal,
  });
  const isKnown = exitCode === 0 || exitCode === 130;
  return { exitCode: isKnown ? exitCode : 1, told: true, value: {}, lines: () => [] };
}

export const demo: Verb = {
  concernsPod: false,
  endsBySignal: true,
  whenCut: { state: 'Every process and folder of the demo was taken away', next: 'Run it again' },
  define(command) {
    examples(command, 'podtrack demo', 'podtrack demo --json   # the same as one event per line');
  },
  act,
};
