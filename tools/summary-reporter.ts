import type { Reporter, TestModule } from "vitest/node";

/** Runs of more files than this also list the slowest ones. */
const SLOWEST = 20;

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
    if (testModules.length > SLOWEST) console.log(slowest(testModules).join("\n"));
    const skipped = counts.skipped + counts.pending;
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${skipped} skipped`);
  }
}

/** Returns a line for each of the files that took longest. */
function slowest(testModules: readonly TestModule[]): readonly string[] {
  const times = testModules.map((testModule) => {
    const { duration, collectDuration, setupDuration } = testModule.diagnostic();
    return {
      file: testModule.relativeModuleId,
      seconds: (duration + collectDuration + setupDuration) / 1000,
    };
  });
  times.sort((a, b) => b.seconds - a.seconds);
  return times.slice(0, SLOWEST).map(({ file, seconds }) => `${seconds.toFixed(1)} s ${file}`);
}
