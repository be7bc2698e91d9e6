/** Ends every test run by naming the suites that were left out because this machine lacks a component. */
import type { Reporter, TestModule } from 'vitest/node';

export class LeftOutReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const left = modules.flatMap((module) =>
      [...module.children.allSuites()]
        .filter((suite) => / \[needs [^\]]+\]$/.test(suite.name))
        .map((suite) => `  ${module.relativeModuleId}: ${suite.fullName}`),
    );
    if (left.length === 0) {
      process.stdout.write('No suite was left out.\n');
      return;
    }
    process.stdout.write(`Left out for want of a component (.ci/run installs them):\n${left.join('\n')}\n`);
  }
}
