import { dimensionsOf } from "@orthant/core";
import { Prng } from "@orthant/testkit";
import {
  type Campaign,
  type CampaignOptions,
  type CampaignResult,
  FAILURES_MAX,
  goesOn,
} from "./campaign.ts";
import { LitCase } from "./light/lit-case.ts";

const GOAL = 1_000_000;
/** Comparisons in a world, by its dimensions: the model takes long in four. */
const ROUNDS = { 2: 20, 3: 12, 4: 2 } as const;

/** Edits small worlds at random, and compares light with that of a plain model. */
export const lightCampaign: Campaign = {
  name: "light",
  summary:
    "light of worlds in two, three and four dimensions after random edits, compared with a plain model",
  goal: GOAL,
  unit: "edits",
  run: compareLight,
};

async function compareLight(options: CampaignOptions): Promise<CampaignResult> {
  const failures: string[] = [];
  let cases = 0;
  for (let world = 0; goesOn(cases, options) && failures.length < FAILURES_MAX; world++) {
    const seed = options.seed * 1_000_003 + world;
    const lit = new LitCase(new Prng(seed));
    for (let round = 0; round < (options.isSmallest ? 1 : ROUNDS[dimensionsOf(lit.shape)]); round++) {
      const difference = lit.round();
      options.progress(cases + lit.edits);
      if (difference === undefined) continue;
      failures.push(
        `world ${world} of seed ${options.seed}, [${lit.shape.extents}], round ${round}: ${difference}`,
      );
      break;
    }
    cases += lit.edits;
  }
  return { cases, failures };
}
