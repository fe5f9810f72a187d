import { CRASH_MODELS } from "@orthant/testkit";
import { type Campaign, FAILURES_MAX, goesOn } from "./campaign.ts";
import { LONG_HISTORY } from "./marsminer/marsminer-history.ts";
import { isCaught, STEP_MUTANTS, singleSyncMutants } from "./marsminer/marsminer-mutants.ts";
import { proveMarsMiner } from "./marsminer/prove-marsminer.ts";

const DISKS = 60_000;
const DISKS_PER_CUT = 100;

/** Power cuts through a history of a MarsMiner save, and through writers with one step missing. */
export const marsMinerCrashCampaign: Campaign = {
  name: "marsminer-crash",
  summary: "power cuts at every operation of a history of MarsMiner saves, and of writers that lack one sync",
  async run(options) {
    const failures: string[] = [];
    const mutants = [...STEP_MUTANTS, ...(await singleSyncMutants())];
    for (const mutant of mutants) {
      if (await isCaught(mutant, options.seed)) continue;
      failures.push(`a commit without ${mutant.step} was not caught; seed ${options.seed}`);
    }
    console.log(`marsminer-crash: ${mutants.length - failures.length} of ${mutants.length} mutants caught`);
    let disks = 0;
    let seed = options.seed;
    while (goesOn(disks, DISKS, options) && failures.length < FAILURES_MAX) {
      try {
        const proof = await proveMarsMiner(LONG_HISTORY, {
          models: CRASH_MODELS,
          disksPerCut: DISKS_PER_CUT,
          seed,
        });
        disks += proof.disks;
      } catch (error) {
        failures.push(String(error));
      }
      options.progress(disks);
      seed += 10_000;
    }
    return { cases: disks, failures };
  },
};
