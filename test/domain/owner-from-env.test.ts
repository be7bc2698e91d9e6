/** Who a job is, from its runner's environment: renames, matrix legs, emulators and given labels. */
import { describe, expect, it } from 'vitest';
import { sameOwner } from '../../src/domain/owner.ts';
import { type Env, ownerFromEnv, runAddress } from '../../src/domain/owner-from-env.ts';

const RUN: Env = {
  GITHUB_SERVER_URL: 'https://GitHub.com/',
  GITHUB_REPOSITORY: 'acme/ml',
  GITHUB_REPOSITORY_ID: '42',
  GITHUB_RUN_ID: '1001',
  GITHUB_RUN_ATTEMPT: '2',
  GITHUB_JOB: 'train',
};
const WISH = { label: '', uuid: 'u-1', matrix: 'null', checkRunId: '77' };

describe('ownerFromEnv', () => {
  it('takes the run for the owner: label for people, key for the machine', () => {
    expect(ownerFromEnv(RUN, WISH)).toEqual({
      label: 'acme/ml#1001',
      labelGiven: false,
      key: { server: 'https://github.com', repositoryId: '42', runId: '1001' },
      uuid: 'u-1',
      attempt: 2,
      job: 'train',
      matrix: null,
      checkRunId: '77',
      repository: 'acme/ml',
    });
  });

  it('knows the same run again after its repository was renamed', () => {
    const renamed = ownerFromEnv({ ...RUN, GITHUB_REPOSITORY: 'acme/models' }, { ...WISH, uuid: 'u-2' });
    expect(sameOwner(ownerFromEnv(RUN, WISH), renamed)).toBe(true);
  });

  it.each([
    ['an emulator', { ACT: 'true' }],
    ['a host that gives no repository id', { GITHUB_REPOSITORY_ID: '' }],
    ['a repository id that is no number', { GITHUB_REPOSITORY_ID: '0' }],
    ['no server', { GITHUB_SERVER_URL: '' }],
  ])('%s has no key, so that its run 1 is nobody else’s run 1', (_what, change) => {
    const one = ownerFromEnv({ ...RUN, ...change }, WISH);
    expect(one.key).toBeNull();
    expect(sameOwner(one, ownerFromEnv({ ...RUN, ...change }, { ...WISH, uuid: 'u-2' }))).toBe(false);
  });

  it('a given label wins over the run, the input over the environment', () => {
    const env = { ...RUN, PODTRACK_LABEL: 'nightly' };
    expect(ownerFromEnv(env, WISH)).toMatchObject({ label: 'nightly', labelGiven: true });
    expect(ownerFromEnv(env, { ...WISH, label: ' weekly ' })).toMatchObject({ label: 'weekly' });
  });

  it('a given label that reads like a run’s default is still another owner', () => {
    const faked = ownerFromEnv({ ...RUN, GITHUB_RUN_ID: '9' }, { ...WISH, label: 'acme/ml#1001' });
    expect(sameOwner(faked, ownerFromEnv(RUN, WISH))).toBe(false);
  });

  it.each(['a\u0000b', 'x'.repeat(201), 'two\nlines', 'null'])(
    'refuses a label that could not be read back: %j',
    (label) => {
      expect(() => ownerFromEnv(RUN, { ...WISH, label })).toThrow(/label/);
    },
  );

  it('keeps the uuid that an earlier step exported', () => {
    expect(ownerFromEnv({ ...RUN, PODTRACK_OWNER_UUID: 'exported' }, WISH).uuid).toBe('exported');
  });

  it.each([
    ['{\n  "b": 1,\n  "a": [2, {"d": 1, "c": 0}]\n}', '{"a":[2,{"c":0,"d":1}],"b":1}'],
    ['null', null],
    ['', null],
    ['{}', null],
    ['no  json', 'no json'],
  ])('one matrix leg is one text, however it was spaced: %j', (matrix, wanted) => {
    expect(ownerFromEnv(RUN, { ...WISH, matrix }).matrix).toBe(wanted);
  });
});

describe('runAddress', () => {
  it('names the attempt, and nothing where there is no run', () => {
    expect(runAddress(ownerFromEnv(RUN, WISH))).toBe('acme/ml/actions/runs/1001/attempts/2');
    expect(runAddress(ownerFromEnv({}, WISH))).toBeNull();
  });
});
