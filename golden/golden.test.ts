import { hasGolden } from "@orthant/testkit/golden";
import { describe, expect, test } from "vitest";
import { runSuite } from "./suite.ts";
import { goldenSuites } from "./suites.ts";

describe("golden files", () => {
  for (const suite of goldenSuites)
    test.skipIf(!hasGolden(suite.file))(
      `${suite.file} decodes as expected`,
      async () => {
        const { file, total, failures } = await runSuite(suite);
        console.log(`golden: ${file}: ${total - failures.length} of ${total}`);
        expect(failures).toEqual([]);
        expect(total).toBeGreaterThan(0);
      },
      120_000,
    );
});
