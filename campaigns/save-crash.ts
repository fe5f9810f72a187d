import type { Campaign } from "./campaign.ts";
import { runProof } from "./proof/prove-campaign.ts";
import { LONG_HISTORY, SHORT_HISTORY } from "./save/save-history.ts";
import { STEP_MUTANTS } from "./save/save-mutants.ts";
import { saveStory } from "./save/save-story.ts";

/** Power cuts through a long history of the native save, and through writers with one step missing. */
export const saveCrashCampaign: Campaign = {
  name: "save-crash",
  summary: "power cuts at every operation of a history of saves, and of writers that lack one sync",
  run: (options) =>
    runProof(
      {
        name: "save-crash",
        short: saveStory(SHORT_HISTORY),
        steps: STEP_MUTANTS,
        long: () => saveStory(LONG_HISTORY),
        disks: 100_000,
        disksPerCut: 100,
      },
      options,
    ),
};
