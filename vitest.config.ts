import { defineConfig } from "vitest/config";
import { SummaryReporter } from "./tools/summary-reporter.ts";

// Tests run from the sources of the workspace packages, so that they see a change without a build.
const conditions = ["@orthant/source", "module", "node", "development"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "{benchmarks,campaigns,examples,golden,tools}/**/*.test.ts"],
    exclude: ["**/{node_modules,build,dist}/**"],
    reporters: ["dot", new SummaryReporter()],
    testTimeout: 30_000,
    pool: "threads",
    maxWorkers: "100%",
  },
});
