import { CRASH_MODELS, proveSampleStore, STORE_MUTANTS, WEAK } from "@orthant/testkit";
import { type Campaign, FAILURES_MAX, goesOn } from "./campaign.ts";

const DISKS = 100_000;
const DISKS_PER_CUT = 500;

/** Power cuts through the simulator's own specimen, whole and with each durability step left out. */
export const crashCampaign: Campaign = {
  name: "crash",
  summary: "power cuts at every operation of the sample store, and of mutants that must be caught",
  async run(options) {
    const failures: string[] = [];
    let disks = 0;
    for (
      let seed = options.seed;
      goesOn(disks, DISKS, options) && failures.length < FAILURES_MAX;
      seed += 1_000
    ) {
      const cuts = { models: CRASH_MODELS, disksPerCut: DISKS_PER_CUT, seed };
      try {
        disks += (await proveSampleStore(cuts)).disks;
      } catch (error) {
        failures.push(String(error));
      }
      for (const { step, fault } of STORE_MUTANTS) {
        const caught = await proveSampleStore({ ...cuts, models: [WEAK] }, fault).then(
          () => false,
          () => true,
        );
        if (!caught) failures.push(`a commit without ${step} was not caught; seed ${seed}`);
      }
      options.progress(disks);
    }
    return { cases: disks, failures };
  },
};
