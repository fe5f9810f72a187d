import type { Campaign } from "./campaign.ts";
import { fuzzCampaignOf } from "./fuzz.ts";
import { marsMinerReaderTarget } from "./marsminer/marsminer-decoders.ts";

/** A million whole saves, where `fuzz` has a few thousand of them among all else. */
export const marsMinerFuzzCampaign: Campaign = fuzzCampaignOf(
  "marsminer-fuzz",
  "as fuzz, with whole MarsMiner saves alone",
  [marsMinerReaderTarget],
);
