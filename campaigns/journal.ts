import type { Campaign, CampaignOptions } from "./campaign.ts";
import { LONG_JOURNAL } from "./journal/journal-history.ts";
import { isCaught, JOURNAL_MUTANTS, journalSyncMutants, proveJournal } from "./journal/prove-journal.ts";
import { killWriters } from "./process/writer-process.ts";
import { explore, type PowerCuts, shuffled, tryMutants } from "./proof/power-cuts.ts";
import type { Mutant } from "./proof/prove-history.ts";

const STATES = 250_000;
const DISKS_PER_CUT = 20;
const KILLS = 100;
const KILLS_PER_WORLD = 25;
/** Largest share of a time limit that kills may take. */
const KILL_TIME_SHARE = 0.2;

/** A world with a journal: power cuts, writers that lack a sync, and kills of a real process. */
export const journalCampaign: Campaign = {
  name: "journal",
  summary: "power cuts and kill -9 of a world with a journal; no edit whose promise was kept may be lost",
  goal: STATES,
  unit: "disks and kills",
  resumes: true,
  async run(options) {
    const failures: string[] = [];
    const mutants = async (): Promise<readonly Mutant[]> => [
      ...JOURNAL_MUTANTS,
      ...(await journalSyncMutants()),
    ];
    await tryMutants({ name: "journal", mutants, isCaught }, options, failures);
    const kills = await kill(options, failures);
    const prove: PowerCuts["prove"] = (cuts) => proveJournal(shuffled(LONG_JOURNAL, cuts.seed), cuts);
    const explored = await explore(
      { prove, disksPerCut: DISKS_PER_CUT },
      {
        ...options,
        casesMax: options.casesMax - kills,
        progress: (disks) => options.progress(kills + disks),
      },
      failures,
    );
    const { cases: disks, distinct, next } = explored;
    console.log(
      `journal: ${kills} kills, ${disks} disks, of which ${distinct} were distinct, and were checked`,
    );
    return { cases: kills + disks, distinct: kills + distinct, failures, next };
  },
};

function kill(options: CampaignOptions, failures: string[]): Promise<number> {
  const nowMs = performance.now();
  const { endsAtMs = Infinity } = options;
  const killsUntilMs = nowMs + (endsAtMs - nowMs) * KILL_TIME_SHARE;
  const goesOn = (count: number): boolean => count < KILLS && performance.now() < killsUntilMs;
  return killWriters({ durability: "journal", killsPerWorld: KILLS_PER_WORLD, goesOn }, options, failures);
}
