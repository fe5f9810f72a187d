import { type Campaign, FAILURES_MAX, goesOn } from "./campaign.ts";
import { targets as baseTargets, type Target } from "./fuzz/decoders.ts";
import { flatRepairTarget, foreignTargets } from "./fuzz/foreign-decoders.ts";
import { BATCH, fuzzBatch } from "./fuzz/fuzz-batch.ts";
import { messageTargets, wire1Targets } from "./fuzz/message-decoders.ts";
import { marsMinerTargets } from "./marsminer/marsminer-decoders.ts";
import { pixelTargets } from "./pixelworld/pixel-decoders.ts";
import { Watchdog } from "./process/watchdog.ts";
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
const REPORT_INTERVAL_MS = 60_000;

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
      const watchdog = new Watchdog(name);
      // The first calls also allocate for the JavaScript engine, which must not count against the decoders.
      for (const target of targets) await fuzzBatch(target, 0, options.seed, watchdog);
      const failures: string[] = [];
      const accepted = new Map(targets.map((target) => [target, 0]));
      let round = options.from;
      const casesOf = (rounds: number): number => (rounds - options.from) * targets.length * BATCH;
      let shownMs = performance.now();
      for (; goesOn(casesOf(round), options) && failures.length < FAILURES_MAX; round++) {
        for (const target of targets) {
          const batch = await fuzzBatch(target, round, options.seed, watchdog);
          failures.push(...batch.failures);
          accepted.set(target, (accepted.get(target) ?? 0) + batch.accepted);
        }
        options.progress(casesOf(round + 1));
        if (performance.now() - shownMs < REPORT_INTERVAL_MS) continue;
        shownMs = performance.now();
        console.log(`${name}: ${casesOf(round + 1)} inputs, ${failures.length} failures so far`);
      }
      await watchdog.stop();
      const each = (round - options.from) * BATCH;
      for (const [target, count] of accepted) {
        console.log(`${name}: ${target.name}: ${each} inputs, ${count} of them accepted`);
      }
      return { cases: casesOf(round), failures, next: round };
    },
  };
}
