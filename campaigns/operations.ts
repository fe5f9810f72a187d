import { fileURLToPath } from "node:url";
import { type Campaign, type CampaignOptions, FAILURES_MAX, goesOn } from "./campaign.ts";
import { cutPowerInOperations, faultOfOperations } from "./operations/faults-of-operations.ts";
import { OPERATIONS_MUTANTS } from "./operations/operations-mutants.ts";
import { faultOfMutant, tryMutants } from "./sim/case-process.ts";

const OPERATIONS = 1_000_000;
const OPERATIONS_PER_WORLD = 500;
const OPERATIONS_PER_SMALLEST = 40;
const DISKS_PER_CUT = 4;
/** The power is cut in the operations of each world whose number is a multiple of this. */
const ROUNDS_PER_CUT = 4;
/** Each of them cuts the power at one of this many operations of a disk. */
const PARTS = 16;
/** Seeds after which a mutant counts as not caught. */
const MUTANT_SEEDS = 8;
const BUILT = import.meta.url.endsWith(".ts") ? "../build/campaigns/" : "./";
/** A program that plays operations, as it was built. */
const OPERATIONS_PROGRAM: string = fileURLToPath(
  new URL(`${BUILT}operations/operations-process.js`, import.meta.url),
);

/** Changes of many voxels at once: what they do, beside others who edit, and over power cuts. */
export const operationsCampaign: Campaign = {
  name: "operations",
  summary:
    "Operations in 2D, 3D and 4D do what a plain model does, beside other edits, undone and done again, and whole over power cuts",
  goal: OPERATIONS,
  unit: "operations",
  resumes: true,
  async run(options) {
    // Only a run without a time limit has the time for mutants.
    const failures: string[] =
      options.endsAtMs === undefined && options.isSmallest !== true
        ? await tryMutants("operations", OPERATIONS_MUTANTS, faultOfOperationsMutant)
        : [];
    const perWorld = options.isSmallest === true ? OPERATIONS_PER_SMALLEST : OPERATIONS_PER_WORLD;
    let cases = 0;
    let round = options.from;
    for (; goesOn(cases, options) && failures.length < FAILURES_MAX; round++) {
      const fault = await faultOfOperations(options.seed + round, perWorld);
      if (fault !== undefined) failures.push(fault);
      if (round % ROUNDS_PER_CUT === 0) await cutPower(round / ROUNDS_PER_CUT, options, failures);
      cases += perWorld;
      options.progress(cases);
    }
    return { cases, failures, next: round };
  },
};

async function cutPower(round: number, { seed, seen }: CampaignOptions, failures: string[]): Promise<void> {
  const part = { first: round % PARTS, step: PARTS };
  for (const durability of ["journal", "snapshot"] as const)
    try {
      await cutPowerInOperations(durability, seed + Math.floor(round / PARTS), {
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
export function faultOfOperationsMutant(mutant: string): Promise<string | undefined> {
  const cases = Array.from({ length: MUTANT_SEEDS }, (_, at) => ({ seed: at + 1, steps: 0 }));
  return faultOfMutant(OPERATIONS_PROGRAM, mutant, cases);
}
