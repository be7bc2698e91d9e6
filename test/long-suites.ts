/** Suites that `npm test` leaves to `.ci/run` for their length, so that it ends in three minutes on two cores. */

/** The gate's own tests, and storms of faults against real servers. A path given by name runs them all the same. */
export const LONG_SUITES: readonly string[] = [
  'test/gate/**',
  'test/actions/cut-short.test.ts',
  'test/cuts/{cuts,endless-pull}.test.ts',
  'test/adapters/registry/git-faults.test.ts',
  'test/adapters/registry/github-faults.test.ts',
  'test/adapters/registry/killed-writer.test.ts',
  'test/adapters/registry/many-jobs.test.ts',
  'test/adapters/registry/refusals.test.ts',
  'test/adapters/registry/github-reads.test.ts',
  'test/adapters/registry/queue-faults.test.ts',
  'test/runner/fan-out.test.ts',
  'test/runner/several-pods.test.ts',
  'test/runner/stories.test.ts',
  'test/storm/**',
];

/** `.ci/run` sets it, and so does `npm test -- PATH`. */
export const runsAll = (env: Readonly<Record<string, string | undefined>>): boolean =>
  env['PODTRACK_TEST_ALL'] === '1';
