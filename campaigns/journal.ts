import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CRASH_MODELS, Prng } from "@orthant/testkit";
import { type Campaign, type CampaignOptions, FAILURES_MAX, goesOn } from "./campaign.ts";
import { LONG_JOURNAL } from "./journal/journal-history.ts";
import { isCaught, JOURNAL_MUTANTS, proveJournal, singleSyncMutants } from "./journal/prove-journal.ts";
import { WriterProcess } from "./process/writer-process.ts";
import { faultIn } from "./process/written-world.ts";

const DISKS = 12_000;
const DISKS_PER_CUT = 3;
const KILLS = 100;
const LIFE_MS_MIN = 150;
const LIFE_MS_MAX = 900;
const KILLS_PER_WORLD = 25;

/** A world with a journal: power cuts, writers that lack a sync, and a real process that is killed. */
export const journalCampaign: Campaign = {
  name: "journal",
  summary: "power cuts and kill -9 of a world with a journal; no edit whose promise was kept may be lost",
  async run(options) {
    const failures: string[] = [];
    const mutants = [...JOURNAL_MUTANTS, ...(await singleSyncMutants())];
    for (const mutant of mutants) {
      if (await isCaught(mutant, options.seed)) continue;
      failures.push(`a journal without ${mutant.step} was not caught; seed ${options.seed}`);
    }
    console.log(`journal: ${mutants.length - failures.length} of ${mutants.length} mutants caught`);
    const kills = await killWriters(options, failures);
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

async function killWriters(options: CampaignOptions, failures: string[]): Promise<number> {
  const prng = new Prng(options.seed);
  let kills = 0;
  while (kills < KILLS && failures.length < FAILURES_MAX) {
    const folder = await mkdtemp(join(tmpdir(), "orthant-journal-"));
    let acknowledged = 0;
    for (let life = 0; life < KILLS_PER_WORLD; life++) {
      const writer = new WriterProcess(folder, "journal");
      await delay(prng.between(LIFE_MS_MIN, LIFE_MS_MAX));
      await writer.kill();
      if (writer.complaints !== "") failures.push(`the writer failed: ${writer.complaints}`);
      acknowledged = Math.max(acknowledged, writer.acknowledged);
      const fault = await faultIn(folder, acknowledged);
      if (fault !== undefined) failures.push(`kill ${kills}: ${fault}`);
      options.progress(++kills);
    }
    await rm(folder, { recursive: true });
  }
  return kills;
}
