import { fileURLToPath } from "node:url";
import { type Campaign, type CampaignOptions, goesOn } from "./campaign.ts";
import { CaseProcess } from "./sim/case-process.ts";
import { killSteps } from "./steps/kill-steps.ts";
import { faultOfMemory } from "./steps/memory-steps.ts";
import { SETTLED_STEPS } from "./steps/poured-water.ts";
import { runUndisturbed, type UndisturbedRun } from "./steps/step-content.ts";
import { STEP_MUTANTS } from "./steps/step-mutants.ts";
import { cutPowerInSteps } from "./steps/step-power-cuts.ts";

const KILLS = 100;
const BUILT = import.meta.url.endsWith(".ts") ? "../build/campaigns/" : "./";
/** A program that plays power cuts, as it was built. */
export const STEP_PROGRAM: string = fileURLToPath(new URL(`${BUILT}steps/step-process.js`, import.meta.url));
const STEPS_WITH_CUTS = 12;
/** Steps of the cases that mutants play. */
export const MUTANT_STEPS = 4;
const DISKS_PER_CUT = 6;
const MEMORY_RUNS = 8;

/** Water that is poured over terrain on a real disk, by programs that are killed; and power cuts in its steps. */
export const stepsCampaign: Campaign = {
  name: "steps",
  summary: "kill -9, power cuts and little memory in a simulated world: the same steps, and no number twice",
  goal: KILLS,
  unit: "kills",
  async run(options) {
    const failures: string[] = [];
    const undisturbed = await runUndisturbed(SETTLED_STEPS);
    if (!undisturbed.last.isSettled) failures.push("the water of the undisturbed run has not settled");
    const memoryFault = await faultOfMemory(options.seed, MEMORY_RUNS);
    if (memoryFault !== undefined) failures.push(memoryFault);
    // Only a run without a time limit has the time for mutants and power cuts.
    if (options.endsAtMs === undefined) {
      await tryMutants(options, failures);
      await cutPower(undisturbed, options, failures);
    }
    const cases = await killSteps((kills) => goesOn(kills, options), undisturbed, options, failures);
    return { cases, failures };
  },
};

async function tryMutants({ seed }: CampaignOptions, failures: string[]): Promise<void> {
  let caught = 0;
  for (const { fault } of STEP_MUTANTS) {
    const player = new CaseProcess(STEP_PROGRAM, fault);
    if ((await player.play({ seed, steps: MUTANT_STEPS })) === undefined)
      failures.push(`not caught: ${fault}`);
    else caught++;
    player.close();
  }
  console.log(`steps: ${caught} of ${STEP_MUTANTS.length} mutants caught`);
}

async function cutPower(
  undisturbed: UndisturbedRun,
  { seed, seen }: CampaignOptions,
  failures: string[],
): Promise<void> {
  for (const durability of ["journal", "snapshot"] as const)
    try {
      const history = { durability, steps: STEPS_WITH_CUTS };
      const report = await cutPowerInSteps(history, undisturbed, { disksPerCut: DISKS_PER_CUT, seed, seen });
      console.log(`steps: ${report.cuts} power cuts (${durability}), ${report.distinct} distinct disks`);
    } catch (error) {
      failures.push(String(error));
    }
}
