import { CRASH_MODELS } from "@orthant/testkit";
import { type Campaign, FAILURES_MAX, goesOn } from "./campaign.ts";
import { LONG_PIXEL_HISTORY } from "./pixelworld/pixel-history.ts";
import { isPixelMutantCaught, PIXEL_STEP_MUTANTS, singlePixelSyncs } from "./pixelworld/pixel-mutants.ts";
import { provePixels } from "./pixelworld/prove-pixels.ts";

const DISKS = 50_000;
const DISKS_PER_CUT = 60;

/** Power cuts through a long history of a pixel world, compaction included, and through writers with one step missing. */
export const pxswCrashCampaign: Campaign = {
  name: "pxsw-crash",
  summary:
    "power cuts at every operation of a pixel world and its compaction, and of writers that lack one sync",
  async run(options) {
    const failures: string[] = [];
    const mutants = [...PIXEL_STEP_MUTANTS, ...(await singlePixelSyncs())];
    for (const mutant of mutants) {
      if (await isPixelMutantCaught(mutant, options.seed)) continue;
      failures.push(`a save without ${mutant.step} was not caught; seed ${options.seed}`);
    }
    console.log(`pxsw-crash: ${mutants.length - failures.length} of ${mutants.length} mutants caught`);
    let disks = 0;
    let seed = options.seed;
    while (goesOn(disks, DISKS, options) && failures.length < FAILURES_MAX) {
      try {
        const plan = { ...LONG_PIXEL_HISTORY, seed: LONG_PIXEL_HISTORY.seed + seed };
        disks += (await provePixels(plan, { models: CRASH_MODELS, disksPerCut: DISKS_PER_CUT, seed })).disks;
      } catch (error) {
        failures.push(String(error));
      }
      options.progress(disks);
      seed += 10_000;
    }
    return { cases: disks, failures };
  },
};
