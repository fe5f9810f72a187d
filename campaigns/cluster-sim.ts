import { fileURLToPath } from "node:url";
import { type Campaign, type CampaignOptions, FAILURES_MAX, goesOn } from "./campaign.ts";
import { CLUSTER_MUTANTS } from "./cluster-sim/cluster-mutants.ts";
import { inLanes } from "./sim/lanes.ts";
import type { SimMutant } from "./sim/sim-mutants.ts";
import { SimPlayer } from "./sim/sim-player.ts";

const PROGRAM = fileURLToPath(new URL("./cluster-sim/cluster-process.js", import.meta.url));
const CASES = 20_000;
const STEPS = 100;
/** A mutant is caught in so many cases, or not at all. */
const MUTANT_CASES_MAX = 1_500;

/**
 * A cluster on an engine in memory. Case k of a run with seed S is the first case of a run with seed S + k; with no
 * time at all, `--minutes 0`, that one alone is played. Mutants are tried when no time is given.
 */
export const clusterSimCampaign: Campaign = {
  name: "cluster-sim",
  summary: "three owners, two gateways and their guests, with crashes, zombies, partitions and lost journals",
  async run(options) {
    const failures: string[] = [];
    if (options.endsAtMs === undefined) failures.push(...(await tryMutants(options.seed)));
    const cases = await playCases(options, failures);
    return { cases, failures };
  },
};

async function tryMutants(seed: number): Promise<readonly string[]> {
  const failures: string[] = [];
  const waiting = [...CLUSTER_MUTANTS];
  await inLanes(async () => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const cases = await casesUntilCaught(mutant, seed);
      if (cases === undefined) failures.push(`not caught: ${mutant.fault}; seed ${seed}`);
      else console.log(`cluster-sim: caught in case ${cases}: ${mutant.fault}`);
    }
  });
  const caught = CLUSTER_MUTANTS.length - failures.length;
  console.log(`cluster-sim: ${caught} of ${CLUSTER_MUTANTS.length} mutants caught`);
  return failures;
}

async function casesUntilCaught({ fault }: SimMutant, seed: number): Promise<number | undefined> {
  const player = new SimPlayer(PROGRAM, fault);
  try {
    for (let index = 0; index < MUTANT_CASES_MAX; index++) {
      if ((await player.play({ seed: seed + index, steps: STEPS })) !== undefined) return index + 1;
    }
    return undefined;
  } finally {
    player.close();
  }
}

async function playCases(options: CampaignOptions, failures: string[]): Promise<number> {
  let begun = 0;
  let ended = 0;
  await inLanes(async () => {
    const player = new SimPlayer(PROGRAM);
    while ((begun === 0 || goesOn(begun, CASES, options)) && failures.length < FAILURES_MAX) {
      const seed = options.seed + begun++;
      const fault = await player.play({ seed, steps: STEPS });
      if (fault !== undefined) {
        failures.push(`seed ${seed}: ${fault}\n  npm run campaign -- cluster-sim --seed ${seed} --minutes 0`);
      }
      options.progress(++ended);
    }
    player.close();
  });
  return ended;
}
