import { CRASH_MODELS, type PowerCutOptions, Prng } from "@orthant/testkit";
import { type Campaign, type CampaignOptions, FAILURES_MAX, goesOn } from "../campaign.ts";
import type { Mutant } from "./prove-history.ts";

/** Parameters of a campaign of power cuts. */
export interface PowerCuts {
  readonly name: string;
  readonly summary: string;
  /** Disks of a full run. */
  readonly disks: number;
  mutants(): Promise<readonly Mutant[]>;
  /** Returns whether the proof detects that a step is missing. */
  isCaught(mutant: Mutant, seed: number): Promise<boolean>;
  /** Disks to check for each cut. */
  readonly disksPerCut?: number;
  /** Cuts the power throughout a history. Throws when a surviving disk is wrong. Rounds count from 0. */
  prove(
    options: PowerCutOptions,
    round: number,
  ): Promise<{ readonly disks: number; readonly distinct: number }>;
}

const DISKS_PER_CUT = 100;
const SEEDS_PER_ROUND = 10_000;
/** A round explores every cut of a history in this many interleaved parts, which take seconds each. */
const PARTS_PER_ROUND = 64;
/** Largest share of a time limit that mutants may take. */
const MUTANT_TIME_SHARE = 0.25;

/** Creates a campaign that tries the mutants, then cuts the power until it has checked enough disks. */
export function powerCutCampaign(cuts: PowerCuts): Campaign {
  const { name, summary, disks: goal } = cuts;
  return {
    name,
    summary,
    goal,
    unit: "disks",
    resumes: true,
    async run(options) {
      const failures: string[] = [];
      await tryMutants(cuts, options, failures);
      const explored = await explore(cuts, options, failures);
      console.log(`${name}: ${explored.distinct} of ${explored.cases} disks were distinct, and were checked`);
      return { ...explored, failures };
    },
  };
}

/** Cuts the power in parts of rounds, from where an earlier run stopped. */
export async function explore(
  { prove, disksPerCut = DISKS_PER_CUT }: Pick<PowerCuts, "prove" | "disksPerCut">,
  options: CampaignOptions,
  failures: string[],
): Promise<{ readonly cases: number; readonly distinct: number; readonly next: number }> {
  const { seed, from, seen } = options;
  let next = from;
  let cases = 0;
  let distinct = 0;
  for (; goesOn(cases, options) && failures.length < FAILURES_MAX; next++) {
    const round = Math.floor(next / PARTS_PER_ROUND);
    const part = { first: next % PARTS_PER_ROUND, step: PARTS_PER_ROUND };
    const cuts = { models: CRASH_MODELS, disksPerCut, seed: seed + round * SEEDS_PER_ROUND, part, seen };
    try {
      const report = await prove(cuts, round);
      cases += report.disks;
      distinct += report.distinct;
    } catch (error) {
      failures.push(String(error));
    }
    options.progress(cases);
  }
  return { cases, distinct, next };
}

/**
 * Adds a failure for each mutant that is not caught. A run with a time limit tries some mutants, and a later
 * run others. A run without one tries all, unless it continues an earlier run.
 */
export async function tryMutants(
  { name, mutants, isCaught }: Pick<PowerCuts, "name" | "mutants" | "isCaught">,
  { seed, from, endsAtMs }: CampaignOptions,
  failures: string[],
): Promise<void> {
  if (endsAtMs === undefined && from > 0) return;
  const startMs = performance.now();
  const untilMs = startMs + ((endsAtMs ?? Infinity) - startMs) * MUTANT_TIME_SHARE;
  const all = await mutants();
  let tried = 0;
  let caught = 0;
  while (tried < all.length && (tried === 0 || performance.now() < untilMs)) {
    const mutant = all[(from + tried++) % all.length] as Mutant;
    if (await isCaught(mutant, seed)) caught++;
    else failures.push(`a writer without ${mutant.step} was not caught; seed ${seed}`);
  }
  const untried = tried < all.length ? `; ${all.length - tried} others were not tried in this time` : "";
  console.log(`${name}: ${caught} of ${tried} mutants caught${untried}`);
}

/** Shuffles items by a seed: the same steps in another order lead to other disks. */
export function shuffled<Item>(items: readonly Item[], seed: number): readonly Item[] {
  const prng = new Prng(seed);
  const rest = [...items];
  return items.map(() => rest.splice(prng.below(rest.length), 1)[0] as Item);
}
