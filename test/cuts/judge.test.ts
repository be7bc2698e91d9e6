/** The judge of cut runs sees what must never be: a pod alive, an end without results, an end twice. */
import { describe, expect, it } from 'vitest';
import type { Trace } from './cut-run.ts';
import { judge } from './verdict.ts';

const LOGIN = { part: 'arm', what: 'ssh login', when: 'before', nth: 1 } as const;
const GOOD: Trace = {
  point: { number: 1, place: LOGIN, cut: 'lose-runner', rescue: 'reaper' },
  places: [],
  wasCut: true,
  death: { at: 1, kept: true, during: 'the job' },
  deletes: [{ by: 'job', status: 204 }],
  record: { status: 'terminated', end: { reason: 'requested', verified: true } },
  ends: 1,
  overtaken: [],
  history: ['register runpod.x by acme/ml#1001'],
  passes: 0,
  leaks: [],
  log: [],
  tookMs: 1,
};
const unkept = { at: 1, kept: false, during: 'the job' };
const stray = { status: 'terminated', end: { reason: 'stray-orphan', verified: false } };

describe('the judge', () => {
  it.each<[string, Partial<Trace>, string[]]>([
    ['a good end', {}, []],
    ['a living pod', { death: null, deletes: [], ends: 0, passes: 1 }, ['the pod is alive after 1 passes']],
    ['a second pass', { passes: 2 }, ['it took 2 passes of the reaper']],
    ['a stray in two passes', { passes: 2, record: stray, death: unkept, history: [] }, []],
    [
      'an end before the results are kept',
      { death: unkept, record: { status: 'terminated', end: { reason: 'requested', verified: false } } },
      ['ended unverified, because requested'],
    ],
    [
      'a false word',
      { death: unkept },
      ['ended unverified, because requested', 'its record says verified, and nothing was kept'],
    ],
    [
      'the end by force',
      { death: unkept, record: { status: 'terminated', end: { reason: 'forced', verified: false } } },
      [],
    ],
    ['the end by the switch', { death: unkept, deletes: [{ by: 'switch', status: 200 }], record: null }, []],
    [
      'two parties',
      {
        deletes: [
          { by: 'job', status: 204 },
          { by: 'reaper', status: 404 },
        ],
      },
      ['DELETE came from job and reaper'],
    ],
    [
      'a post that left it to the reaper',
      {
        point: { number: 1, place: LOGIN, cut: 'kill-step', rescue: 'reaper' },
        deletes: [{ by: 'reaper', status: 204 }],
      },
      ['post had all that it needs, and did not end it'],
    ],
    ['a place that was passed by', { wasCut: false }, ['the point was never reached']],
    [
      'a deadline that did not come',
      {
        point: { number: 1, place: LOGIN, cut: 'lose-runner', rescue: 'deadline' },
        deletes: [{ by: 'reaper', status: 204 }],
      },
      ['its own deadline did not end it'],
    ],
    ['a fence that was not respected', { overtaken: ['b took it from a'] }, ['b took it from a']],
    ['two ends', { ends: 2 }, ['2 ends of it stand in the ledger']],
    [
      'a secret that was said',
      { leaks: [{ secret: 'key', how: 'plain', where: 'log of train' }] },
      ['key (plain) was found: log of train'],
    ],
    ['no end told', { ends: 0 }, ['no end of it stands in the ledger']],
    [
      'a record that goes on',
      { record: { status: 'terminating', end: null } },
      ['its record does not say that it is over'],
    ],
  ])('%s', (_, change, problems) => {
    expect(judge({ ...GOOD, ...change }).problems).toEqual(problems);
  });
});
