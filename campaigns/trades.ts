import { fileURLToPath } from "node:url";
import { type Campaign, type CampaignOptions, FAILURES_MAX, goesOn } from "./campaign.ts";
import { faultOfMutant, tryMutants } from "./sim/case-process.ts";
import { cutPowerInTrades, faultOfRush, TRADES_PER_ROUND } from "./trades/faults-of-trades.ts";
import { TRADES_MUTANTS } from "./trades/trades-mutants.ts";

const TRADES = 100_000;
const DISKS_PER_CUT = 6;
/** Each round cuts the power at one of this many operations. */
const PARTS = 16;
/** Seeds after which a mutant counts as not caught. */
const MUTANT_SEEDS = 5;
const BUILT = import.meta.url.endsWith(".ts") ? "../build/campaigns/" : "./";
/** A program that plays trades, as it was built. */
const TRADES_PROGRAM: string = fileURLToPath(new URL(`${BUILT}trades/trades-process.js`, import.meta.url));

/** Players who trade items in transactions: no item is made or lost. */
export const tradesCampaign: Campaign = {
  name: "trades",
  summary:
    "50 clients move items between chests, players and the store in transactions, with power cuts: no item is made or lost",
  goal: TRADES,
  unit: "trades",
  resumes: true,
  async run(options) {
    // Only a run without a time limit has the time for mutants.
    const failures: string[] =
      options.endsAtMs === undefined && options.isSmallest !== true
        ? await tryMutants("trades", TRADES_MUTANTS, faultOfTradesMutant)
        : [];
    let cases = 0;
    let round = options.from;
    for (; goesOn(cases, options) && failures.length < FAILURES_MAX; round++) {
      const fault = await faultOfRush(options.seed + round);
      if (fault !== undefined) failures.push(fault);
      await cutPower(round, options, failures);
      cases += TRADES_PER_ROUND;
      options.progress(cases);
    }
    return { cases, failures, next: round };
  },
};

async function cutPower(round: number, { seed, seen }: CampaignOptions, failures: string[]): Promise<void> {
  const history = seed + Math.floor(round / PARTS);
  const part = { first: round % PARTS, step: PARTS };
  for (const durability of ["journal", "snapshot"] as const)
    try {
      await cutPowerInTrades(durability, history, {
        disksPerCut: DISKS_PER_CUT,
        seed: seed + round,
        part,
        seen,
      });
    } catch (error) {
      failures.push(String(error));
    }
}

/** Returns the first fault that a mutant shows. */
export function faultOfTradesMutant(mutant: string): Promise<string | undefined> {
  const cases = Array.from({ length: MUTANT_SEEDS }, (_, at) => ({ seed: at + 1, steps: 0 }));
  return faultOfMutant(TRADES_PROGRAM, mutant, cases);
}
