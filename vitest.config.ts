/** How the tests run: real sockets and shells, few workers, no module mocking anywhere. */
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { LeftOutReporter } from './test/left-out-reporter.ts';
import { LONG_SUITES, runsAll } from './test/long-suites.ts';

/** .ci/run asks for the figures as JSON beside what people read. */
const figures = process.env['PODTRACK_TEST_JSON'];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(runsAll(process.env) ? [] : LONG_SUITES)],
    environment: 'node',
    pool: 'forks',
    // Most of them wait for a shell, a socket or git: more of them than cores keep the cores at work.
    maxWorkers: 2 * availableParallelism(),
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: [
      'default',
      new LeftOutReporter(),
      ...(figures === undefined
        ? []
        : [['json', { outputFile: figures }] as ['json', { outputFile: string }]]),
    ],
    // These two are published for bundlers only: Node cannot resolve their extensionless imports.
    server: { deps: { inline: [/@actions\/(workflow-parser|expressions)/] } },
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary', 'json-summary'] },
  },
});
