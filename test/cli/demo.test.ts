/** The demo as a whole: what it promises happens on real sockets, shells and git; and whatever happens, nothing stays behind. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runDemo } from '../../src/cli/demo/demo.ts';

const event = z.looseObject({
  event: z.enum(['act', 'step', 'check', 'quote', 'end']),
  at: z.iso.datetime(),
  act: z.string().nullable(),
  kept: z.boolean().optional(),
  says: z.string().optional(),
  home: z.string().optional(),
  lines: z.array(z.string()).optional(),
});
type DemoEvent = z.infer<typeof event>;

type Played = { readonly exitCode: number; readonly events: readonly DemoEvent[]; readonly home: string };

/** Plays the demo in JSON; `each` sees every event as it comes. */
async function played(
  each: (event: DemoEvent, stop: AbortController) => void = () => undefined,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Played> {
  const stop = new AbortController();
  const events: DemoEvent[] = [];
  const write = (text: string): void => {
    expect(text).toMatch(/^[^\n]+\n$/);
    const one = event.parse(JSON.parse(text));
    events.push(one);
    each(one, stop);
  };
  const exitCode = await runDemo({
    json: true,
    out: { write },
    colour: false,
    width: 80,
    signal: stop.signal,
    env,
  });
  const home = events.find((one) => one.home !== undefined)?.home ?? '';
  return { exitCode, events, home };
}

/** Processes whose environment names the private folder of that demo. */
function processesOf(home: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && environOf(pid).includes(dirname(home)));
}

function environOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

function expectNothingLeft({ home }: Played): void {
  expect(home).toMatch(/podtrack-demo-/);
  expect(processesOf(home)).toEqual([]);
  expect(existsSync(dirname(home))).toBe(false);
}

const checksOf = ({ events }: Played): readonly DemoEvent[] => events.filter((one) => one.event === 'check');
const saysOf = (one: DemoEvent): string => one.says ?? '';

describe.runIf(process.platform === 'linux')('podtrack demo', () => {
  it('keeps every promise, act by act, exits 0 and leaves nothing behind', async () => {
    const play = await played();
    const acts = play.events.filter((one) => one.event === 'act').map((one) => one.act);
    expect(acts).toEqual([
      'A world starts',
      'Register and arm',
      'A reap cycle looks at every pod',
      'Somebody kills the watchdog',
      'The next cycle acts',
      'The machine that watched is lost',
      'What can be proven afterwards',
    ]);
    expect(checksOf(play).filter((one) => one.kept !== true)).toEqual([]);
    const promises = checksOf(play).map(saysOf).join('\n');
    for (const word of [
      'started a new watchdog',
      'armed again',
      'The expired pod is gone',
      'The idle pod is gone',
      'the pod had ended itself',
      'The foreign pod runs on',
    ]) {
      expect(promises).toContain(word);
    }
    expect(play.events.at(-1)).toMatchObject({ event: 'end', exitCode: 0, broken: 0 });
    expect(play.exitCode).toBe(0);
    const log = play.events.find((one) => one.event === 'quote')?.lines ?? [];
    expect(
      log.some((line) => line.includes('confirm runpod.expiredpod1: DELETE accepted, then GET 404')),
    ).toBe(true);
    expect(log.join('\n')).not.toContain('foreign');
    expectNothingLeft(play);
  }, 180_000);

  it('says what did not happen and exits 1 where there is no git, and leaves nothing behind', async () => {
    const play = await played(undefined, { PATH: '/nowhere' });
    expect(play.exitCode).toBe(1);
    const broken = checksOf(play).filter((one) => one.kept !== true);
    expect(broken.map(saysOf).join()).toMatch(/Install git/);
    expect(play.events.at(-1)).toMatchObject({ event: 'end', exitCode: 1, broken: 1 });
    expectNothingLeft(play);
  }, 120_000);

  it('ends at once when interrupted in the middle of arming, tells no more of the story, and leaves nothing behind', async () => {
    const play = await played((one, stop) => {
      if (saysOf(one).startsWith('registered:')) stop.abort('SIGINT');
    });
    expect(play.exitCode).toBe(130);
    expect(play.events.some((one) => one.act === 'A reap cycle looks at every pod')).toBe(false);
    expect(play.events.at(-1)).toMatchObject({ event: 'end', exitCode: 130, broken: 0 });
    expectNothingLeft(play);
  }, 120_000);
});
