import type { Reporter, TestModule } from "vitest/node";

/** Prints one plain line at the end of a run, for people and scripts that only want the numbers. */
export class SummaryReporter implements Reporter {
  onTestRunEnd(testModules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const testModule of testModules) {
      const tests = [...testModule.children.allTests()];
      for (const test of tests) counts[test.result().state]++;
      // A file that fails to load has no tests, and must not look like a success.
      if (tests.length === 0 && testModule.state() === "failed") counts.failed++;
    }
    const skipped = counts.skipped + counts.pending;
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${skipped} skipped`);
  }
}
