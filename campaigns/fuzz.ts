import { type Campaign, FAILURES_MAX, goesOn } from "./campaign.ts";
import { targets as baseTargets, type Target } from "./fuzz/decoders.ts";
import { flatRepairTarget, foreignTargets } from "./fuzz/foreign-decoders.ts";
import { BATCH, fuzzBatch } from "./fuzz/fuzz-batch.ts";
import { messageTargets, wire1Targets } from "./fuzz/message-decoders.ts";
import { marsMinerTargets } from "./marsminer/marsminer-decoders.ts";
import { pixelTargets } from "./pixelworld/pixel-decoders.ts";
import { saveTargets } from "./save/save-decoders.ts";

/** All targets, each once: some foreign readers are also among those of the native save. */
const TARGETS: readonly Target[] = [
  ...baseTargets,
  ...saveTargets,
  ...messageTargets,
  ...wire1Targets,
  ...marsMinerTargets,
  ...pixelTargets,
  flatRepairTarget,
  ...foreignTargets.filter((target) => !saveTargets.includes(target)),
];

/** Inputs per target: about a million for all targets together. */
const CASES_EACH = 10_752;

/** Feeds random and mutated bytes to every decoder. */
export const fuzzCampaign: Campaign = fuzzCampaignOf(
  "fuzz",
  "hostile bytes into every decoder: only OrthantError, one encoding a value, bounded memory and time",
  TARGETS,
  CASES_EACH,
);

/** Creates a campaign that feeds each of `targets` in turn, `casesEach` inputs in total per target. */
export function fuzzCampaignOf(
  name: string,
  summary: string,
  targets: readonly Target[],
  casesEach: number,
): Campaign {
  return {
    name,
    summary,
    goal: targets.length * casesEach,
    unit: "inputs",
    resumes: true,
    async run(options) {
      // A stack trace for each of a million rejections would be most of the work, and is of no use here.
      Error.stackTraceLimit = 0;
      // The first calls also allocate for the JavaScript engine, which must not count against the decoders.
      for (const target of targets) await fuzzBatch(target, 0, options.seed);
      const failures: string[] = [];
      let cases = 0;
      let round = options.from;
      for (; goesOn(cases, options) && failures.length < FAILURES_MAX; round++) {
        for (const target of targets) {
          failures.push(...(await fuzzBatch(target, round, options.seed)));
          cases += BATCH;
        }
        options.progress(cases);
      }
      console.log(`${name}: ${cases / targets.length} inputs for each of ${targets.length} readers`);
      return { cases, failures, next: round };
    },
  };
}
