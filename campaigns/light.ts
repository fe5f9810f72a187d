import { fileURLToPath } from "node:url";
import {
  type Campaign,
  type CampaignOptions,
  type CampaignResult,
  FAILURES_MAX,
  goesOn,
} from "./campaign.ts";
import { LIGHT_MUTANTS } from "./light/light-mutants.ts";
import { playLightWorld } from "./light/light-worlds.ts";
import { faultOfMutant, tryMutants } from "./sim/case-process.ts";

const GOAL = 1_000_000;
const BUILT = import.meta.url.endsWith(".ts") ? "../build/campaigns/" : "./";
/** A program that plays worlds, as it was built. */
const LIGHT_PROGRAM: string = fileURLToPath(new URL(`${BUILT}light/light-process.js`, import.meta.url));
/** Worlds after which a mutant counts as not caught, and comparisons in each. */
const [MUTANT_WORLDS_MAX, MUTANT_ROUNDS] = [60, 20];

/** Edits small worlds at random, in memory and on disk, and compares light with that of a plain model. */
export const lightCampaign: Campaign = {
  name: "light",
  summary:
    "light of worlds in two, three and four dimensions after random edits, compared with a plain model: in memory, on disk, in snapshots and in steps",
  goal: GOAL,
  unit: "edits",
  async run(options) {
    // Only a run without a time limit has the time for mutants.
    const missed =
      options.endsAtMs === undefined ? await tryMutants("light", LIGHT_MUTANTS, faultOfLightMutant) : [];
    const { cases, failures } = await compareLight(options);
    return { cases, failures: [...missed, ...failures] };
  },
};

async function compareLight(options: CampaignOptions): Promise<CampaignResult> {
  const failures: string[] = [];
  let cases = 0;
  for (let world = 0; goesOn(cases, options) && failures.length < FAILURES_MAX; world++) {
    const roundsMax = options.isSmallest === true ? 1 : undefined;
    const { edits, fault } = await playLightWorld(options.seed, world, { roundsMax });
    cases += edits;
    options.progress(cases);
    if (fault !== undefined) failures.push(fault);
  }
  return { cases, failures };
}

/** Returns how the light of a mutant differs from the model's, in the first world that shows it. */
export function faultOfLightMutant(mutant: string): Promise<string | undefined> {
  const cases = Array.from({ length: MUTANT_WORLDS_MAX }, (_, world) => ({
    seed: world,
    steps: MUTANT_ROUNDS,
  }));
  return faultOfMutant(LIGHT_PROGRAM, mutant, cases);
}
