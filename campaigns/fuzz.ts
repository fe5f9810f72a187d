import { type Campaign, FAILURES_MAX, goesOn } from "./campaign.ts";
import { targets as baseTargets, type Target } from "./fuzz/decoders.ts";
import { BATCH, fuzzBatch } from "./fuzz/fuzz-batch.ts";
import { messageTargets } from "./fuzz/message-decoders.ts";
import { wire1Targets } from "./fuzz/wire1-decoders.ts";
import { marsMinerTargets } from "./marsminer/marsminer-decoders.ts";
import { pixelTargets } from "./pixelworld/pixel-decoders.ts";
import { saveTargets } from "./save/save-decoders.ts";

const TARGETS: readonly Target[] = [
  ...baseTargets,
  ...saveTargets,
  ...messageTargets,
  ...wire1Targets,
  ...marsMinerTargets,
  ...pixelTargets,
];

const CASES = 1_000_000;

/** Random and mutated bytes into every decoder. */
export const fuzzCampaign: Campaign = fuzzCampaignOf(
  "fuzz",
  "hostile bytes into every decoder: only OrthantError, one encoding a value, bounded memory and time",
  TARGETS,
);

/** The same for some decoders, in turn; a million cases for all of them together unless told otherwise. */
export function fuzzCampaignOf(
  name: string,
  summary: string,
  targets: readonly Target[],
  wanted: number = CASES,
): Campaign {
  return {
    name,
    summary,
    async run(options) {
      // A stack trace for each of a million refusals would be most of the work, and says nothing here.
      Error.stackTraceLimit = 0;
      // The first calls also allocate for the engine's own bookkeeping; it is not the decoders' doing.
      for (const target of targets) await fuzzBatch(target, 0, options.seed);
      const failures: string[] = [];
      let cases = 0;
      for (let round = 0; goesOn(cases, wanted, options) && failures.length < FAILURES_MAX; round++) {
        for (const target of targets) {
          failures.push(...(await fuzzBatch(target, round, options.seed)));
          cases += BATCH;
        }
        options.progress(cases);
      }
      return { cases, failures };
    },
  };
}
