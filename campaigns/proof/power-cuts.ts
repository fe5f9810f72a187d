import { CRASH_MODELS, type PowerCutOptions } from "@orthant/testkit";
import { type Campaign, FAILURES_MAX, goesOn } from "../campaign.ts";
import type { Mutant } from "./mutants.ts";

/** What a campaign of power cuts is about. */
export interface PowerCuts {
  readonly name: string;
  readonly summary: string;
  /** Disks to look at when no time is given. */
  readonly disks: number;
  mutants(): Promise<readonly Mutant[]>;
  /** Whether the proof notices that a step is missing. */
  isCaught(mutant: Mutant, seed: number): Promise<boolean>;
  /** Disks to look at for each cut; fewer make shorter rounds. */
  readonly disksPerCut?: number;
  /** Cuts the power all over a history; throws when a disk that is left is not as it should be. Rounds count from 0. */
  prove(options: PowerCutOptions, round: number): Promise<{ readonly disks: number }>;
}

const DISKS_PER_CUT = 100;
const SEEDS_PER_ROUND = 10_000;

/** A campaign that first shows that every mutant is caught, and then cuts the power until it has seen enough disks. */
export function powerCutCampaign(cuts: PowerCuts): Campaign {
  const { name, summary } = cuts;
  return {
    name,
    summary,
    async run(options) {
      const failures: string[] = [];
      const mutants = await cuts.mutants();
      for (const mutant of mutants) {
        if (await cuts.isCaught(mutant, options.seed)) continue;
        failures.push(`a writer without ${mutant.step} was not caught; seed ${options.seed}`);
      }
      console.log(`${name}: ${mutants.length - failures.length} of ${mutants.length} mutants caught`);
      let disks = 0;
      const disksPerCut = cuts.disksPerCut ?? DISKS_PER_CUT;
      for (let round = 0; goesOn(disks, cuts.disks, options) && failures.length < FAILURES_MAX; round++) {
        const seed = options.seed + round * SEEDS_PER_ROUND;
        try {
          disks += (await cuts.prove({ models: CRASH_MODELS, disksPerCut, seed }, round)).disks;
        } catch (error) {
          failures.push(String(error));
        }
        options.progress(disks);
      }
      return { cases: disks, failures };
    },
  };
}
