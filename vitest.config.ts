/** How the tests run: real sockets and shells, few workers, no module mocking anywhere. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    restoreMocks: true,
    // These two are published for bundlers only: Node cannot resolve their extensionless imports.
    server: { deps: { inline: [/@actions\/(workflow-parser|expressions)/] } },
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary', 'json-summary'] },
  },
});
