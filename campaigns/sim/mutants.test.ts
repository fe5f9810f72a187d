import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { CLUSTER_MUTANTS } from "../cluster-sim/cluster-mutants.ts";
import { STEP_MUTANTS } from "../steps/step-mutants.ts";
import { SIM_MUTANTS } from "./sim-mutants.ts";

const PACKAGES = new URL("../../packages/", import.meta.url);

test.each([...SIM_MUTANTS, ...CLUSTER_MUTANTS, ...STEP_MUTANTS])(
  "each text that the mutant replaces occurs exactly once in its module: $fault",
  ({ changes }) => {
    for (const { file, find } of changes) {
      const source = readFileSync(fileURLToPath(new URL(file, PACKAGES)), "utf8");
      expect(source.split(find), `${file}: ${find}`).toHaveLength(2);
    }
  },
);
