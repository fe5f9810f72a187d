import { CRASH_MODELS } from "@orthant/testkit";
import { type Campaign, FAILURES_MAX, goesOn } from "./campaign.ts";
import { proveSave } from "./save/prove-save.ts";
import { LONG_HISTORY } from "./save/save-history.ts";
import { isCaught, STEP_MUTANTS, singleSyncMutants } from "./save/save-mutants.ts";

const DISKS = 100_000;
const DISKS_PER_CUT = 100;

/** Power cuts through a long history of the native save, and through writers with one step missing. */
export const saveCrashCampaign: Campaign = {
  name: "save-crash",
  summary: "power cuts at every operation of a history of saves, and of writers that lack one sync",
  async run(options) {
    const failures: string[] = [];
    const mutants = [...STEP_MUTANTS, ...(await singleSyncMutants())];
    for (const mutant of mutants) {
      if (await isCaught(mutant, options.seed)) continue;
      failures.push(`a commit without ${mutant.step} was not caught; seed ${options.seed}`);
    }
    console.log(`save-crash: ${mutants.length - failures.length} of ${mutants.length} mutants caught`);
    let disks = 0;
    let seed = options.seed;
    while (goesOn(disks, DISKS, options) && failures.length < FAILURES_MAX) {
      try {
        disks += (await proveSave(LONG_HISTORY, { models: CRASH_MODELS, disksPerCut: DISKS_PER_CUT, seed }))
          .disks;
      } catch (error) {
        failures.push(String(error));
      }
      options.progress(disks);
      seed += 10_000;
    }
    return { cases: disks, failures };
  },
};
