import { type Campaign, FAILURES_MAX, goesOn } from "./campaign.ts";
import { targets as baseTargets, type Target } from "./fuzz/decoders.ts";
import { BATCH, fuzzBatch } from "./fuzz/fuzz-batch.ts";
import { messageTargets } from "./fuzz/message-decoders.ts";
import { wire1Targets } from "./fuzz/wire1-decoders.ts";
import { saveTargets } from "./save/save-decoders.ts";

const targets: readonly Target[] = [...baseTargets, ...saveTargets, ...messageTargets, ...wire1Targets];

const CASES = 1_000_000;
/** Random and mutated bytes into every decoder. */
export const fuzzCampaign: Campaign = {
  name: "fuzz",
  summary:
    "hostile bytes into every decoder: only OrthantError, one encoding a value, bounded memory and time",
  async run(options) {
    // A stack trace for each of a million refusals would be most of the work, and says nothing here.
    Error.stackTraceLimit = 0;
    // The first calls also allocate for the engine's own bookkeeping; it is not the decoders' doing.
    for (const target of targets) fuzzBatch(target, 0, options.seed);
    const failures: string[] = [];
    let cases = 0;
    for (let round = 0; goesOn(cases, CASES, options) && failures.length < FAILURES_MAX; round++) {
      for (const target of targets) {
        failures.push(...fuzzBatch(target, round, options.seed));
        cases += BATCH;
      }
      options.progress(cases);
    }
    return { cases, failures };
  },
};
