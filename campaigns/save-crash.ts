import type { Campaign } from "./campaign.ts";
import { powerCutCampaign } from "./power-cuts.ts";
import { proveSave } from "./save/prove-save.ts";
import { LONG_HISTORY } from "./save/save-history.ts";
import { isCaught, STEP_MUTANTS, singleSyncMutants } from "./save/save-mutants.ts";

/** Power cuts through a long history of the native save, and through writers with one step missing. */
export const saveCrashCampaign: Campaign = powerCutCampaign({
  name: "save-crash",
  summary: "power cuts at every operation of a history of saves, and of writers that lack one sync",
  disks: 100_000,
  mutants: async () => [...STEP_MUTANTS, ...(await singleSyncMutants())],
  isCaught,
  prove: (options) => proveSave(LONG_HISTORY, options),
});
