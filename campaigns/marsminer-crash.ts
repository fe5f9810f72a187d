import type { Campaign } from "./campaign.ts";
import { LONG_HISTORY } from "./marsminer/marsminer-history.ts";
import { isCaught, proveMarsMiner, STEP_MUTANTS, syncMutants } from "./marsminer/prove-marsminer.ts";
import { powerCutCampaign, shuffled } from "./proof/power-cuts.ts";

/** Power cuts during histories of a MarsMiner save, also by writers that lack a step. */
export const marsMinerCrashCampaign: Campaign = powerCutCampaign({
  name: "marsminer-crash",
  summary: "power cuts at every operation of a history of MarsMiner saves, and of writers that lack one sync",
  disks: 50_000,
  mutants: async () => [...STEP_MUTANTS, ...(await syncMutants())],
  isCaught,
  prove: (options) => proveMarsMiner(shuffled(LONG_HISTORY, options.seed), options),
});
