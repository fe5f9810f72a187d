import { readFileSync } from "node:fs";
import { parseAst } from "vite";
import { expect, test } from "vitest";
import { CLUSTER_MUTANTS } from "../cluster-sim/cluster-mutants.ts";
import { IN_PLACE_MUTANTS } from "../in-place/in-place-mutants.ts";
import { LIGHT_MUTANTS } from "../light/light-mutants.ts";
import { STEP_MUTANTS } from "../steps/step-mutants.ts";
import { TRADES_MUTANTS } from "../trades/trades-mutants.ts";
import { moduleOf, mutate } from "./mutation.ts";
import { SIM_MUTANTS } from "./sim-mutants.ts";

test.each([
  ...SIM_MUTANTS,
  ...CLUSTER_MUTANTS,
  ...STEP_MUTANTS,
  ...LIGHT_MUTANTS,
  ...IN_PLACE_MUTANTS,
  ...TRADES_MUTANTS,
])("a mutant finds the code that it changes, and can start: $fault", ({ changes }) => {
  expect(changes.length).toBeGreaterThan(0);
  for (const path of new Set(changes.map(moduleOf))) {
    const source = readFileSync(path, "utf8");
    const mutated = mutate(
      source,
      changes.filter((change) => moduleOf(change) === path),
    );
    expect(mutated).not.toBe(source);
    expect(() => parseAst(mutated)).not.toThrow();
  }
});
