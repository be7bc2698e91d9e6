/** Ownership: who is the same owner, and what one owner may do with another's record. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forTheRun, judgeOwnership, type Owner, ownerIdentity, sameOwner } from '../../src/domain/owner.ts';
import { seen, unseen } from '../../src/domain/part.ts';
import { anOwner } from './build.ts';

const key = { server: 'https://github.com', repositoryId: '501', runId: '7' };
const given = (label: string, of: Partial<Owner> = {}) => anOwner({ label, labelGiven: true, ...of });

describe('sameOwner', () => {
  it.each([
    [
      'two laptops under an emulator that calls every run 1 (case C65 a)',
      anOwner({ key: null, uuid: 'a' }),
      anOwner({ key: null, uuid: 'b' }),
      false,
    ],
    ['one process under an emulator', anOwner({ key: null }), anOwner({ key: null }), true],
    [
      'two forges that count alike (case C65 b)',
      anOwner({ key: { ...key, server: 'https://one.example' } }),
      anOwner({ key: { ...key, server: 'https://two.example' } }),
      false,
    ],
    [
      'a repository that was renamed and moved (case C65 c)',
      anOwner({ label: 'orchard/old#7', repository: 'orchard/old' }),
      anOwner({ label: 'harbour/new#7', repository: 'harbour/new' }),
      true,
    ],
    ['two attempts of a run', anOwner({ attempt: 1 }), anOwner({ attempt: 2 }), true],
    ['two runs', anOwner(), anOwner({ key: { ...key, runId: '70' } }), false],
    [
      'equal given labels in one repository',
      given('nightly'),
      given('nightly', { key: { ...key, runId: '8' } }),
      true,
    ],
    [
      'equal given labels in two repositories',
      given('nightly'),
      given('nightly', { key: { ...key, repositoryId: '502' } }),
      false,
    ],
    ['equal given labels, one from a laptop', given('nightly'), given('nightly', { key: null }), true],
    ['a given label that looks like a default one', given('acme/ml#7'), anOwner(), false],
    ['unlabelled and unlabelled', anOwner({ label: null }), anOwner({ label: null }), false],
    ['a key and no key', anOwner(), anOwner({ key: null }), false],
  ])('%s: %#', (_what, left, right, same) => {
    expect(sameOwner(left, right)).toBe(same);
    expect(sameOwner(right, left)).toBe(same);
  });

  it('is an equivalence among labelled owners, whatever their fields', () => {
    const some = fc.record({
      label: fc.constantFrom('a', 'b'),
      labelGiven: fc.boolean(),
      key: fc.constantFrom(null, key, { ...key, runId: '8' }),
      uuid: fc.constantFrom('u', 'v'),
    });
    fc.assert(
      fc.property(some, some, (left, right) => {
        expect(sameOwner(anOwner(left), anOwner(left))).toBe(true);
        expect(sameOwner(anOwner(left), anOwner(right))).toBe(sameOwner(anOwner(right), anOwner(left)));
      }),
    );
  });
});

describe('judgeOwnership', () => {
  const mine = anOwner({ uuid: 'me', attempt: 2 });
  const running = seen({ state: 'in-progress' as const });
  const over = seen({ state: 'completed' as const, completedAt: 0, conclusion: 'failure' });
  const blind = unseen('forbidden');
  it.each([
    ['my own record', anOwner({ uuid: 'me' }), blind, 'mine'],
    ['the earlier attempt’s, of which nothing is known', anOwner(), blind, 'reclaim'],
    ['the earlier attempt’s, whose run shows in progress because mine does', anOwner(), running, 'reclaim'],
    ['a process of this attempt that is alive', anOwner({ attempt: 2 }), running, 'sibling-alive'],
    ['a process of this attempt that is over', anOwner({ attempt: 2 }), over, 'reclaim'],
    [
      'a matrix sibling of which nothing is known',
      anOwner({ attempt: 2, matrix: '{"gpu":"b"}' }),
      blind,
      'sibling-alive',
    ],
    ['another job of the run that is alive', anOwner({ attempt: 2, job: 'eval' }), running, 'sibling-alive'],
    ['another job of the run that is over', anOwner({ attempt: 2, job: 'eval' }), over, 'reclaim'],
    [
      'one that was entered for the whole run',
      forTheRun(anOwner({ attempt: 2, matrix: '{}' })),
      running,
      'reclaim',
    ],
    [
      'one that was entered for a later attempt of it',
      forTheRun(anOwner({ attempt: 3 })),
      running,
      'sibling-alive',
    ],
    ['another run’s, even when it is over', anOwner({ key: { ...key, runId: '9' } }), over, 'other'],
    ['an unlabelled one’s', anOwner({ label: null }), over, 'other'],
    ['my uuid under another label', anOwner({ uuid: 'me', labelGiven: true }), over, 'other'],
  ])('%s', (_what, record, former, kind) => {
    expect(judgeOwnership(record, mine, former).kind).toBe(kind);
  });
});

describe('ownerIdentity', () => {
  it('differs for every leg of a matrix (case C65 d) and survives a rename', () => {
    const leg = (gpu: string) => ownerIdentity(anOwner({ matrix: `{"gpu":"${gpu}"}` }));
    expect(leg('a')).not.toBe(leg('b'));
    expect(ownerIdentity(anOwner())).toBe(
      ownerIdentity(anOwner({ label: 'harbour/new#7', repository: 'harbour/new' })),
    );
  });
});
