import { CRASH_MODELS } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { LONG_PIXEL_HISTORY, SHORT_PIXEL_HISTORY } from "./pixelworld/pixel-history.ts";
import { PIXEL_STEP_MUTANTS, pixelStory } from "./pixelworld/pixel-story.ts";
import { isCaught, proveHistory } from "./proof/prove-history.ts";

const SEED = 5;
const TIMEOUT_MS = 120_000;

describe("power cuts on a pixel world", () => {
  test.each(CRASH_MODELS.map((model) => [model.name, model] as const))(
    "[X30] %s leaves the last save or the one in flight whole at every operation of 24 saves",
    async (_name, model) => {
      const proof = await proveHistory(pixelStory(LONG_PIXEL_HISTORY), {
        models: [model],
        disksPerCut: 2,
        seed: SEED,
      });
      expect(proof.history.digests.length).toBe(25);
      expect(proof.history.compactions).toBeGreaterThan(1);
      expect(proof.kept).toBeGreaterThan(0);
      expect(proof.completed).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  test(
    "leave no fault in the short history that the mutants run on",
    async () => {
      const proof = await proveHistory(pixelStory(SHORT_PIXEL_HISTORY), { disksPerCut: 20, seed: SEED });
      expect(proof.disks).toBeGreaterThan(300);
      expect(proof.history.compactions).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  test.each(PIXEL_STEP_MUTANTS.map((mutant) => [mutant.step, mutant] as const))(
    "expose a writer that leaves out %s",
    async (_step, mutant) => {
      expect(await isCaught(pixelStory(SHORT_PIXEL_HISTORY), mutant, SEED)).toBe(true);
    },
    TIMEOUT_MS,
  );
});
