import type { Campaign } from "./campaign.ts";
import { LONG_PIXEL_HISTORY, SHORT_PIXEL_HISTORY } from "./pixelworld/pixel-history.ts";
import { PIXEL_STEP_MUTANTS, pixelStory } from "./pixelworld/pixel-story.ts";
import { powerCutCampaign } from "./proof/power-cuts.ts";
import { isCaught, proveHistory, syncMutantsOf } from "./proof/prove-history.ts";

const SHORT = pixelStory(SHORT_PIXEL_HISTORY);
/** Fewer than usual, because each run plays a different history. */
const DISKS_PER_CUT = 60;

/** Power cuts during histories of a pixel world and its compaction, also by writers that lack a step. */
export const pxswCrashCampaign: Campaign = powerCutCampaign({
  name: "pxsw-crash",
  summary:
    "power cuts at every operation of a pixel world and its compaction, and of writers that lack one sync",
  disks: 50_000,
  mutants: async () => [...PIXEL_STEP_MUTANTS, ...(await syncMutantsOf(SHORT))],
  isCaught: (mutant, seed) => isCaught(SHORT, mutant, seed),
  prove(options) {
    const plan = { ...LONG_PIXEL_HISTORY, seed: LONG_PIXEL_HISTORY.seed + options.seed };
    return proveHistory(pixelStory(plan), { ...options, disksPerCut: DISKS_PER_CUT });
  },
});
