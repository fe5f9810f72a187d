import { type Campaign, goesOn } from "./campaign.ts";
import { killWriters } from "./process/writer-process.ts";

const KILLS = 1_000;
const KILLS_PER_WORLD = 50;

/** Kills a real process while it writes to a real disk. */
export const killCampaign: Campaign = {
  name: "kill",
  summary: "kill -9 of a process that saves a world on a real disk; what it acknowledged must be there",
  goal: KILLS,
  unit: "kills",
  async run(options) {
    const failures: string[] = [];
    const cases = await killWriters(
      {
        durability: "snapshot",
        killsPerWorld: KILLS_PER_WORLD,
        goesOn: (kills) => goesOn(kills, options),
      },
      options,
      failures,
    );
    return { cases, failures };
  },
};
