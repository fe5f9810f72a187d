import { CRASH_MODELS } from "@orthant/testkit";
import { type CampaignOptions, type CampaignResult, FAILURES_MAX, goesOn } from "../campaign.ts";
import { isCaught, type Mutant, proveHistory, type SavingStory, singleSyncMutants } from "./prove-history.ts";

type AnyStory = SavingStory<{ readonly digests: readonly string[] }>;

/** What a campaign of power cuts needs. */
export interface ProofPlan {
  readonly name: string;
  /** A short story, on which mutants are tried, and the steps that they leave out. */
  readonly short: AnyStory;
  readonly steps: readonly Mutant[];
  /** A long one, by seed. */
  readonly long: (seed: number) => AnyStory;
  readonly disks: number;
  readonly disksPerCut: number;
}

/** Tries every mutant, then cuts the power through long histories until there were enough disks. */
export async function runProof(plan: ProofPlan, options: CampaignOptions): Promise<CampaignResult> {
  const failures: string[] = [];
  const mutants = [...plan.steps, ...(await singleSyncMutants(plan.short))];
  for (const mutant of mutants) {
    if (await isCaught(plan.short, mutant, options.seed)) continue;
    failures.push(`a save without ${mutant.step} was not caught; seed ${options.seed}`);
  }
  console.log(`${plan.name}: ${mutants.length - failures.length} of ${mutants.length} mutants caught`);
  let disks = 0;
  let seed = options.seed;
  while (goesOn(disks, plan.disks, options) && failures.length < FAILURES_MAX) {
    try {
      const search = { models: CRASH_MODELS, disksPerCut: plan.disksPerCut, seed };
      disks += (await proveHistory(plan.long(seed), search)).disks;
    } catch (error) {
      failures.push(String(error));
    }
    options.progress(disks);
    seed += 10_000;
  }
  return { cases: disks, failures };
}
