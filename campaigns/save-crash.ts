import type { Campaign } from "./campaign.ts";
import { powerCutCampaign, shuffled } from "./proof/power-cuts.ts";
import { isCaught, proveHistory, syncMutantsOf } from "./proof/prove-history.ts";
import { LONG_HISTORY, SHORT_HISTORY } from "./save/save-history.ts";
import { STEP_MUTANTS, saveStory } from "./save/save-story.ts";

const SHORT = saveStory(SHORT_HISTORY);

/** Power cuts during long histories of the native save, also by writers that lack a step. */
export const saveCrashCampaign: Campaign = powerCutCampaign({
  name: "save-crash",
  summary: "power cuts at every operation of a history of saves, and of writers that lack one sync",
  disks: 250_000,
  mutants: async () => [...STEP_MUTANTS, ...(await syncMutantsOf(SHORT))],
  isCaught: (mutant, seed) => isCaught(SHORT, mutant, seed),
  prove: (options) => proveHistory(saveStory(shuffled(LONG_HISTORY, options.seed)), options),
});
