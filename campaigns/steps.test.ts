import { describe, expect, test } from "vitest";
import { CaseProcess } from "./sim/case-process.ts";
import { killSteps } from "./steps/kill-steps.ts";
import { faultOfMemory } from "./steps/memory-steps.ts";
import { SETTLED_STEPS } from "./steps/poured-water.ts";
import { runUndisturbed } from "./steps/step-content.ts";
import { STEP_MUTANTS } from "./steps/step-mutants.ts";
import { faultOfPowerCuts } from "./steps/step-power-cuts.ts";
import { MUTANT_STEPS, STEP_PROGRAM } from "./steps.ts";

const TIMEOUT_MS = 240_000;

describe("water that is poured over terrain", () => {
  test(
    "settles to the same content although its program is killed",
    async () => {
      const undisturbed = await runUndisturbed(SETTLED_STEPS);
      expect(undisturbed.last.isSettled).toBe(true);
      expect(undisturbed.last.wetVoxels).toBeGreaterThan(1_000);
      const failures: string[] = [];
      const options = { seed: 3, progress: () => undefined };
      expect(await killSteps((kills) => kills < 4, undisturbed, options, failures)).toBe(4);
      expect(failures).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test(
    "[J38] is at a whole step after a power cut at any operation",
    async () => {
      expect(await faultOfPowerCuts(5, MUTANT_STEPS)).toBeUndefined();
    },
    TIMEOUT_MS,
  );

  test(
    "flows in the same way whatever is in memory",
    async () => {
      expect(await faultOfMemory(5, 2)).toBeUndefined();
    },
    TIMEOUT_MS,
  );

  test.each(STEP_MUTANTS.map(({ fault }) => fault))(
    "is not the same after a power cut, or with other things in memory, if %s",
    async (fault) => {
      const player = new CaseProcess(STEP_PROGRAM, fault);
      expect(await player.play({ seed: 1, steps: MUTANT_STEPS })).toMatch(/step/);
      player.close();
    },
    TIMEOUT_MS,
  );
});
