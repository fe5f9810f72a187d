import { describe, expect, test } from "vitest";
import { findGoldenFolder, runSuite } from "./suite.ts";
import { goldenSuites } from "./suites.ts";

const folder = findGoldenFolder();
if (folder === undefined)
  console.warn("golden: SKIPPED, no golden files here; set ORTHANT_GOLDEN to their folder");

describe.skipIf(folder === undefined)("golden files", () => {
  test.each(goldenSuites.map((suite) => [suite.file, suite] as const))(
    "%s decodes as expected",
    async (_file, suite) => {
      const { file, total, failures } = await runSuite(folder ?? "", suite);
      console.log(`golden: ${file}: ${total - failures.length} of ${total}`);
      expect(failures).toEqual([]);
      expect(total).toBeGreaterThan(0);
    },
    120_000,
  );
});
