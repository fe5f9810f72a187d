import { availableParallelism } from "node:os";
import { type Campaign, type CampaignOptions, FAILURES_MAX, goesOn } from "../campaign.ts";
import { CaseProcess } from "./case-process.ts";
import type { SimMutant } from "./sim-mutants.ts";

/** Parameters of a campaign of simulated cases. */
interface SimulatedCases {
  readonly name: string;
  readonly summary: string;
  /** Path of the program that plays cases, in a separate process. */
  readonly program: string;
  /** Cases to play without a time limit. */
  readonly cases: number;
  /** Steps per case. */
  readonly steps: number;
  readonly mutants: readonly SimMutant[];
  /** Cases after which a mutant counts as not caught. */
  readonly mutantCasesMax: number;
}

/**
 * Creates a campaign of seeded cases. Case k of a run with seed S is the first case of a run with seed S + k;
 * `--minutes 0` plays only that case. Runs without a time limit also try the mutants.
 */
export function simulationCampaign(simulation: SimulatedCases): Campaign {
  const { name, summary, cases: goal } = simulation;
  return {
    name,
    summary,
    goal,
    unit: "cases of simulated play",
    resumes: true,
    runsAlone: true,
    async run(options) {
      const failures: string[] = [];
      if (options.endsAtMs === undefined && options.from === 0)
        failures.push(...(await tryMutants(simulation, options.seed)));
      const cases = await playCases(simulation, options, failures);
      return { cases, failures, next: options.from + cases };
    },
  };
}

async function tryMutants(simulation: SimulatedCases, seed: number): Promise<readonly string[]> {
  const { name, mutants } = simulation;
  const failures: string[] = [];
  const waiting = [...mutants];
  await inLanes(async () => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const cases = await casesUntilCaught(simulation, mutant, seed);
      if (cases === undefined) failures.push(`not caught: ${mutant.fault}; seed ${seed}`);
      else console.log(`${name}: caught in case ${cases}: ${mutant.fault}`);
    }
  });
  const caught = mutants.length - failures.length;
  console.log(`${name}: ${caught} of ${mutants.length} mutants caught`);
  return failures;
}

async function casesUntilCaught(
  { program, steps, mutantCasesMax }: SimulatedCases,
  { fault }: SimMutant,
  seed: number,
): Promise<number | undefined> {
  const player = new CaseProcess(program, fault);
  try {
    for (let index = 0; index < mutantCasesMax; index++) {
      if ((await player.play({ seed: seed + index, steps })) !== undefined) return index + 1;
    }
    return undefined;
  } finally {
    player.close();
  }
}

async function playCases(
  { name, program, steps }: SimulatedCases,
  options: CampaignOptions,
  failures: string[],
): Promise<number> {
  let begun = 0;
  let ended = 0;
  await inLanes(async () => {
    const player = new CaseProcess(program);
    while (goesOn(begun, options) && failures.length < FAILURES_MAX) {
      const seed = options.seed + options.from + begun++;
      const fault = await player.play({ seed, steps });
      if (fault !== undefined) {
        failures.push(`seed ${seed}: ${fault}\n  npm run campaign -- ${name} --seed ${seed} --minutes 0`);
      }
      options.progress(++ended);
    }
    player.close();
  });
  return ended;
}

const LANES_MAX = 16;

/** Runs `work` in several lanes at once, one for each core. */
async function inLanes(work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), LANES_MAX) }, work));
}
