import { CRASH_MODELS } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { COMPACTION_MUTANTS, isCaught, proveCompaction } from "./save/prove-compaction.ts";

const SEED = 5;
/** Two compactions, with a reopen between them. */
const LENGTH = { before: 19, commits: 5 };
const TIMEOUT_MS = 120_000;
/** The others take a minute each, which only `npm run campaign -- compaction` spends. */
const QUICK_MUTANTS = COMPACTION_MUTANTS.filter(({ step }) => !/ pack$/.test(step));

describe("power cuts on compaction and the collection of generations", () => {
  test.each(CRASH_MODELS.map((model) => [model.name, model] as const))(
    "[S89, S90, S91, S92] %s leaves every kept generation whole at every operation",
    async (_name, model) => {
      const proof = await proveCompaction(LENGTH, { models: [model], disksPerCut: 1, seed: SEED });
      expect(proof.history.packsRewritten).toBeGreaterThan(4);
      expect(proof.history.packsRemoved).toBeGreaterThan(0);
      expect(proof.history.pagesMax).toBeGreaterThan(1);
      expect(proof.generationsRead).toBeGreaterThan(2 * proof.distinct);
    },
    TIMEOUT_MS,
  );

  test.each(QUICK_MUTANTS.map((mutant) => [mutant.step, mutant] as const))(
    "expose a compaction that leaves out %s",
    async (_step, mutant) => {
      expect(await isCaught(mutant, SEED)).toBe(true);
    },
    TIMEOUT_MS,
  );
});
