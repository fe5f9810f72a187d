import { CRASH_MODELS } from "@orthant/testkit";
import { type Campaign, FAILURES_MAX, goesOn } from "./campaign.ts";
import { LONG_JOURNAL } from "./journal/journal-history.ts";
import { isCaught, JOURNAL_MUTANTS, journalSyncMutants, proveJournal } from "./journal/prove-journal.ts";
import { killWriters } from "./process/kill-writers.ts";

const DISKS = 12_000;
const DISKS_PER_CUT = 3;
const KILLS = 100;
const KILLS_PER_WORLD = 25;

/** A world with a journal: power cuts, writers that lack a sync, and a real process that is killed. */
export const journalCampaign: Campaign = {
  name: "journal",
  summary: "power cuts and kill -9 of a world with a journal; no edit whose promise was kept may be lost",
  async run(options) {
    const failures: string[] = [];
    const mutants = [...JOURNAL_MUTANTS, ...(await journalSyncMutants())];
    for (const mutant of mutants) {
      if (await isCaught(mutant, options.seed)) continue;
      failures.push(`a journal without ${mutant.step} was not caught; seed ${options.seed}`);
    }
    console.log(`journal: ${mutants.length - failures.length} of ${mutants.length} mutants caught`);
    const kills = await killWriters(
      { durability: "journal", killsPerWorld: KILLS_PER_WORLD, goesOn: (count) => count < KILLS },
      options,
      failures,
    );
    let disks = 0;
    for (
      let seed = options.seed;
      goesOn(disks, DISKS, options) && failures.length < FAILURES_MAX;
      seed += 10_000
    ) {
      try {
        const proof = { models: CRASH_MODELS, disksPerCut: DISKS_PER_CUT, seed };
        disks += (await proveJournal(LONG_JOURNAL, proof)).disks;
      } catch (error) {
        failures.push(String(error));
      }
      options.progress(kills + disks);
    }
    console.log(`journal: ${kills} kills, ${disks} disks`);
    return { cases: kills + disks, failures };
  },
};
