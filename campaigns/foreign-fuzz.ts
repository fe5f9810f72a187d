import type { Campaign } from "./campaign.ts";
import { foreignTargets } from "./fuzz/foreign-decoders.ts";
import { fuzzCampaignOf } from "./fuzz.ts";

const CASES_EACH = 1_000_000;

/** Where `fuzz` has a few thousand inputs for each of them. */
export const foreignFuzzCampaign: Campaign = fuzzCampaignOf(
  "foreign-fuzz",
  "a million hostile inputs into each reader of flat Polychora saves, .v4dw files and tile saves",
  foreignTargets,
  CASES_EACH,
);
