import { CRASH_MODELS } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { LONG_HISTORY, SHORT_HISTORY } from "./marsminer/marsminer-history.ts";
import { isCaught, proveMarsMiner, STEP_MUTANTS } from "./marsminer/prove-marsminer.ts";

const SEED = 5;
const TIMEOUT_MS = 120_000;

describe("power cuts on a MarsMiner save", () => {
  test.each(CRASH_MODELS.map((model) => [model.name, model] as const))(
    "[M26] %s leaves the last state or the one in flight, and all before, at every operation of 12 commits",
    async (_name, model) => {
      const proof = await proveMarsMiner(LONG_HISTORY, { models: [model], disksPerCut: 2, seed: SEED });
      expect(proof.history.digests.length).toBe(LONG_HISTORY.length + 1);
      expect(proof.history.blobs).toBeGreaterThan(3);
      expect(proof.kept).toBeGreaterThan(0);
      expect(proof.completed).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  test(
    "leave no fault in the short history that the mutants run on",
    async () => {
      expect((await proveMarsMiner(SHORT_HISTORY, { disksPerCut: 20, seed: SEED })).disks).toBeGreaterThan(
        500,
      );
    },
    TIMEOUT_MS,
  );

  test.each(STEP_MUTANTS.map((mutant) => [mutant.step, mutant] as const))(
    "expose a writer that leaves out %s",
    async (_step, mutant) => {
      expect(await isCaught(mutant, SEED)).toBe(true);
    },
    TIMEOUT_MS,
  );
});
