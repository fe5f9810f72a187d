import type { Campaign } from "./campaign.ts";
import { fuzzCampaignOf } from "./fuzz.ts";
import { marsMinerReaderTargets } from "./marsminer/marsminer-decoders.ts";

const CASES_EACH = 1_000_000;

/** A million whole saves of each dialect, where `fuzz` has a few thousand. */
export const marsMinerFuzzCampaign: Campaign = fuzzCampaignOf(
  "marsminer-fuzz",
  "as fuzz, with whole MarsMiner saves of each dialect alone",
  marsMinerReaderTargets,
  CASES_EACH,
);
