import { CRASH_MODELS } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { isCaught, proveHistory } from "./proof/prove-history.ts";
import { LONG_HISTORY, SHORT_HISTORY } from "./save/save-history.ts";
import { STEP_MUTANTS, saveStory } from "./save/save-story.ts";

const SEED = 5;
const TIMEOUT_MS = 120_000;

describe("power cuts on the native save", () => {
  test.each(CRASH_MODELS.map((model) => [model.name, model] as const))(
    "%s leaves the last generation or the one in flight whole at every operation of 27 commits",
    async (_name, model) => {
      const proof = await proveHistory(saveStory(LONG_HISTORY), {
        models: [model],
        disksPerCut: 1,
        seed: SEED,
      });
      expect(proof.history.digests.length).toBeGreaterThanOrEqual(25);
      expect(proof.history.packs).toBeGreaterThan(2);
      expect(proof.history.leavesMax).toBeGreaterThan(8);
      expect(proof.history.pagesMax).toBeGreaterThan(2);
      expect(proof.history.pagesTaken).toBeGreaterThan(0);
      expect(proof.kept).toBeGreaterThan(0);
      expect(proof.completed).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  test(
    "leave no fault in the short history that the mutants run on",
    async () => {
      expect(
        (await proveHistory(saveStory(SHORT_HISTORY), { disksPerCut: 6, seed: SEED })).disks,
      ).toBeGreaterThan(150);
    },
    TIMEOUT_MS,
  );

  test.each(STEP_MUTANTS.map((mutant) => [mutant.step, mutant] as const))(
    "expose a writer that leaves out %s",
    async (_step, mutant) => {
      expect(await isCaught(saveStory(SHORT_HISTORY), mutant, SEED)).toBe(true);
    },
    TIMEOUT_MS,
  );
});
