/** Runs the switch table alone: it takes minutes and needs root, so it is no part of `npm test`. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/switch-table/*.table.ts'],
    environment: 'node',
    pool: 'forks',
  },
});
