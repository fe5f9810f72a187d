import type { Campaign } from "./campaign.ts";
import { foreignTargets } from "./fuzz/foreign-decoders.ts";
import { fuzzCampaignOf } from "./fuzz.ts";

const CASES_EACH = 1_000_000;

/** A million inputs for each reader, where `fuzz` has a few thousand. */
export const foreignFuzzCampaign: Campaign = fuzzCampaignOf(
  "foreign-fuzz",
  "a million hostile inputs into each reader of flat Polychora saves, .v4dw files and tile saves",
  foreignTargets,
  CASES_EACH,
);
