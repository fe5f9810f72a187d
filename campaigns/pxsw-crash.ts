import type { Campaign } from "./campaign.ts";
import { LONG_PIXEL_HISTORY, SHORT_PIXEL_HISTORY } from "./pixelworld/pixel-history.ts";
import { PIXEL_STEP_MUTANTS } from "./pixelworld/pixel-mutants.ts";
import { pixelStory } from "./pixelworld/pixel-story.ts";
import { runProof } from "./proof/prove-campaign.ts";

/** Power cuts through long histories of a pixel world, compaction included, and through writers with one step missing. */
export const pxswCrashCampaign: Campaign = {
  name: "pxsw-crash",
  summary:
    "power cuts at every operation of a pixel world and its compaction, and of writers that lack one sync",
  run: (options) =>
    runProof(
      {
        name: "pxsw-crash",
        short: pixelStory(SHORT_PIXEL_HISTORY),
        steps: PIXEL_STEP_MUTANTS,
        long: (seed) => pixelStory({ ...LONG_PIXEL_HISTORY, seed: LONG_PIXEL_HISTORY.seed + seed }),
        disks: 50_000,
        disksPerCut: 60,
      },
      options,
    ),
};
