import { CRASH_MODELS } from "@orthant/testkit";
import { type Campaign, FAILURES_MAX, goesOn } from "./campaign.ts";
import { COMPACTION_MUTANTS, isCaught, singleCompactionMutants } from "./save/compaction-mutants.ts";
import { proveCompaction } from "./save/prove-compaction.ts";

const DISKS = 100_000;
const DISKS_PER_CUT = 100;
const LENGTH = { before: 0, commits: 30 };

/** Power cuts through commits, compactions and the collection of generations, and through compactions that lack a step. */
export const compactionCampaign: Campaign = {
  name: "compaction",
  summary: "power cuts at every operation of a history with compactions, and of ones that lack one sync",
  async run(options) {
    const failures: string[] = [];
    const mutants = [...COMPACTION_MUTANTS, ...(await singleCompactionMutants())];
    for (const mutant of mutants) {
      if (await isCaught(mutant, options.seed)) continue;
      failures.push(`a compaction without ${mutant.step} was not caught; seed ${options.seed}`);
    }
    console.log(`compaction: ${mutants.length - failures.length} of ${mutants.length} mutants caught`);
    let disks = 0;
    let seed = options.seed;
    while (goesOn(disks, DISKS, options) && failures.length < FAILURES_MAX) {
      try {
        const power = { models: CRASH_MODELS, disksPerCut: DISKS_PER_CUT, seed };
        disks += (await proveCompaction(LENGTH, power)).disks;
      } catch (error) {
        failures.push(String(error));
      }
      options.progress(disks);
      seed += 10_000;
    }
    return { cases: disks, failures };
  },
};
