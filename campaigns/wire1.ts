import type { Campaign } from "./campaign.ts";
import { wire1Targets } from "./fuzz/message-decoders.ts";
import { fuzzCampaignOf } from "./fuzz.ts";

const CASES_EACH = 5_000_000;

/** Mutated datagrams of Wire v1. */
export const wire1Campaign: Campaign = fuzzCampaignOf(
  "wire1",
  "mutated datagrams of Wire v1: what is accepted has the bytes that it is written as",
  wire1Targets.slice(0, 1),
  CASES_EACH,
);
