import type { Campaign } from "./campaign.ts";
import { fuzzCampaignOf } from "./fuzz.ts";
import { pixelTargets } from "./pixelworld/pixel-decoders.ts";

const CASES_EACH = 1_000_000;

/** A million inputs for each reader, where `fuzz` has a few thousand. */
export const pxswFuzzCampaign: Campaign = fuzzCampaignOf(
  "pxsw-fuzz",
  "a million hostile inputs into each reader of pixel worlds",
  pixelTargets,
  CASES_EACH,
);
