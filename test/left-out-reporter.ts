/** Ends every test run by naming the suites that were left out: for want of a component, or for their length. */
import type { Reporter, TestModule } from 'vitest/node';
import { LONG_SUITES, runsAll } from './long-suites.ts';

export class LeftOutReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const left = modules.flatMap((module) =>
      [...module.children.allSuites()]
        .filter((suite) => / \[needs [^\]]+\]$/.test(suite.name))
        .map((suite) => `  ${module.relativeModuleId}: ${suite.fullName}`),
    );
    if (!runsAll(process.env)) {
      process.stdout.write(`Left to .ci/run for their length:\n  ${LONG_SUITES.join('\n  ')}\n`);
    }
    if (left.length === 0) {
      process.stdout.write('No suite was left out for want of a component.\n');
      return;
    }
    process.stdout.write(`Left out for want of a component (.ci/run installs them):\n${left.join('\n')}\n`);
  }
}
