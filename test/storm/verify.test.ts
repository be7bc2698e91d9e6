/** The storm's judge, step by step: of each way to spoil a history it finds the one that happened, and no other. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Journal, verify } from '../../bench/storm/verify.ts';
import type { RegistryOp } from '../../src/domain/registry/ops.ts';
import { type GitPlace, inBare, pathPlace } from '../adapters/registry/place-under-test.ts';
import { register, settle } from '../domain/registry/record-maker.ts';

const REF = 'refs/heads/podtrack';

describe('a history is held against what its writers wrote down', () => {
  let place: GitPlace;
  let sent: Map<string, { op: RegistryOp; atNs: bigint }>;
  let told: Map<string, { result: string; atNs: bigint }>;
  let atNs = 0n;
  beforeEach(async () => {
    place = await pathPlace();
    [sent, told, atNs] = [new Map(), new Map(), 0n];
    await write(register('abc'));
    await write(settle('abc', { note: 'first' }));
  });
  afterEach(() => place.close());

  const later = (): bigint => {
    atNs += 1n;
    return atNs;
  };
  async function write(op: RegistryOp): Promise<void> {
    sent.set(op.key, { op, atNs: later() });
    const { results } = await place.store().submit([op]);
    told.set(op.key, { result: results[0]?.kind ?? '', atNs: later() });
  }
  const judged = (over: Partial<Journal> = {}): readonly string[] =>
    verify(place.folder, { sent, told, lines: [], ...over }).violations.map((each) => each.slice(0, 7));
  const git = (...args: string[]): string => inBare(place.folder, args).trim();
  const tip = (): string => git('rev-parse', REF);
  const messageOf = (commit: string): string => git('log', '-1', '--format=%B', commit);
  /** A commit of somebody else upon `parent`, with the same tree; moves the branch there, whatever it was. */
  const force = (parent: string, message: string, tree = `${parent}^{tree}`): void => {
    git('update-ref', REF, git('commit-tree', '-p', parent, '-m', message, tree));
  };
  const next = (seq: number): string => `look, no hands\n\nPodtrack-Seq: ${seq}`;

  it('nothing is found where nothing was spoilt', () => {
    expect(judged()).toEqual([]);
  });

  it('a vandal’s push by force: what it threw away is missing', async () => {
    const seen = tip();
    await write(settle('abc', { note: 'thrown away' }));
    force(seen, next(3));
    expect(judged()).toEqual(['I1 lost']);
  });

  it('a rewind without a trace: what it threw away is missing', async () => {
    const seen = tip();
    await write(settle('abc', { note: 'thrown away' }));
    git('update-ref', REF, seen);
    expect(judged()).toEqual(['I1 lost']);
  });

  it('an event that stands twice', () => {
    const again = messageOf(tip()).replace('Podtrack-Seq: 2', 'Podtrack-Seq: 3');
    force(tip(), again);
    expect(judged()).toContain('I1 doub');
  });

  it('a commit that counts wrong, and one with two parents', () => {
    force(tip(), next(7));
    expect(judged()).toEqual(['I2 seq ']);
    const [first, last] = [git('rev-parse', `${REF}~1`), tip()];
    git('update-ref', REF, git('commit-tree', '-p', last, '-p', first, '-m', next(4), `${last}^{tree}`));
    expect(judged()).toContain('I2 pare');
  });

  it('a record that is not what its ops make of it', () => {
    const path = Object.keys(place.files()).find((each) => each.endsWith('runpod.abc.json')) ?? '';
    place.edit(path, (place.files()[path] ?? '').replace('first', 'forged'));
    force(git('rev-parse', `${REF}~1`), next(3), `${tip()}^{tree}`);
    expect(judged()).toContain(`I3 ${tip().slice(0, 4)}`);
  });

  it('an event that nobody sent, and one that was refused', () => {
    const [key = '', op] = [...sent].at(-1) ?? [];
    expect(judged({ sent: new Map([...sent].slice(0, -1)) })).toContain('I4 nobo');
    expect(op).toBeDefined();
    expect(judged({ told: new Map([...told, [key, { result: 'refused', atNs: 9n }]]) })).toContain('I4 refu');
  });

  it('what was told before another was begun, and stands after it', () => {
    const [first = '', second = ''] = [...sent.keys()];
    const late = new Map([...sent].map(([key, of]) => [key, { ...of, atNs: key === first ? 50n : of.atNs }]));
    const early = new Map([...told, [second, { result: 'applied', atNs: 10n }]]);
    expect(judged({ sent: late, told: early })).toContain(`I5 ${second.slice(0, 4)}`);
  });
});
