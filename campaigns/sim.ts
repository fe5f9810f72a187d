import { fileURLToPath } from "node:url";
import { type Campaign, type CampaignOptions, FAILURES_MAX, goesOn } from "./campaign.ts";
import { inLanes } from "./sim/lanes.ts";
import { SIM_MUTANTS, type SimMutant } from "./sim/sim-mutants.ts";
import { SimPlayer } from "./sim/sim-player.ts";

const PROGRAM = fileURLToPath(new URL("./sim/sim-process.js", import.meta.url));
const CASES = 2_000;
const STEPS = 1_000;
/** A mutant is caught in so many cases, or not at all. */
const MUTANT_CASES_MAX = 150;

/**
 * A server and its clients over a bad network. Case k of a run with seed S is the first case of a run with seed S + k;
 * with no time at all, `--minutes 0`, that one alone is played. Mutants are tried when no time is given.
 */
export const simCampaign: Campaign = {
  name: "sim",
  summary: "a server that restarts and crashes, and up to 20 clients, over a network that loses and cuts",
  async run(options) {
    const failures: string[] = [];
    if (options.endsAtMs === undefined) failures.push(...(await tryMutants(options.seed)));
    const cases = await playCases(options, failures);
    return { cases, failures };
  },
};

async function tryMutants(seed: number): Promise<readonly string[]> {
  const failures: string[] = [];
  const waiting = [...SIM_MUTANTS];
  await inLanes(async () => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      if (!(await isCaught(mutant, seed))) failures.push(`not caught: ${mutant.fault}; seed ${seed}`);
    }
  });
  const caught = SIM_MUTANTS.length - failures.length;
  console.log(`sim: ${caught} of ${SIM_MUTANTS.length} mutants caught`);
  return failures;
}

async function isCaught({ fault }: SimMutant, seed: number): Promise<boolean> {
  const player = new SimPlayer(PROGRAM, fault);
  try {
    for (let index = 0; index < MUTANT_CASES_MAX; index++) {
      if ((await player.play({ seed: seed + index, steps: STEPS })) !== undefined) return true;
    }
    return false;
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
        failures.push(`seed ${seed}: ${fault}\n  npm run campaign -- sim --seed ${seed} --minutes 0`);
      }
      options.progress(++ended);
    }
    player.close();
  });
  return ended;
}
