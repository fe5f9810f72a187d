import { CRASH_MODELS, proveSampleStore, STORE_MUTANTS, WEAK } from "@orthant/testkit";
import { type Campaign, FAILURES_MAX, goesOn } from "./campaign.ts";

const DISKS = 100_000;
const DISKS_PER_CUT = 500;
const SEEDS_PER_ROUND = 1_000;

/** Power cuts on the simulator's sample store, both correct and with each durability step left out. */
export const crashCampaign: Campaign = {
  name: "crash",
  summary: "power cuts at every operation of the sample store, and of mutants that must be caught",
  goal: DISKS,
  unit: "disks",
  resumes: true,
  async run(options) {
    const failures: string[] = [];
    let disks = 0;
    let distinct = 0;
    let round = options.from;
    for (; goesOn(disks, options) && failures.length < FAILURES_MAX; round++) {
      const seed = options.seed + round * SEEDS_PER_ROUND;
      const cuts = { models: CRASH_MODELS, disksPerCut: DISKS_PER_CUT, seed };
      try {
        const report = await proveSampleStore({ ...cuts, seen: options.seen });
        disks += report.disks;
        distinct += report.distinct;
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
    console.log(`crash: ${distinct} of ${disks} disks were distinct, and were checked`);
    return { cases: disks, distinct, failures, next: round };
  },
};
