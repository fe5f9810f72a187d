import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMMANDS } from "@orthant/cli";
import { Prng } from "@orthant/testkit";
import { NatsCluster, TEST_CREDENTIALS } from "@orthant/testkit/nats";
import { type Campaign, type CampaignOptions, FAILURES_MAX, goesOn } from "./campaign.ts";
import { CHECKS } from "./commands/checks.ts";
import { CommandTester } from "./commands/command-tester.ts";
import { makeWorld } from "./commands/made-world.ts";
import { type Dimensions, makeRecipe, type Recipe, STATES, type State } from "./commands/recipe.ts";

/** Commands that run concurrently on one world. */
const AT_ONCE = 3;
const DIMENSIONS: readonly Dimensions[] = [2, 3, 4];
/** Approximate number of processes that the whole matrix starts. */
const PROCESSES = 1_700;
/** Commands that do not depend on the world and so run once per campaign. */
const ONCE: ReadonlySet<string> = new Set(["token", "bench", "completion"]);

/** Runs every command as a real process, on worlds in every state, and compares the results with a model. */
export const commandsCampaign: Campaign = {
  name: "commands",
  summary: "every command as a process, on worlds of every kind, compared with a model",
  goal: PROCESSES,
  unit: "processes",
  async run(options) {
    const failures = missingChecks();
    const root = await mkdtemp(join(tmpdir(), "orthant-commands-"));
    const nats = await NatsCluster.start(1);
    let cases = 0;
    try {
      const environment = {
        ORTHANT_NATS: nats.urls.join(","),
        ORTHANT_NATS_USER: TEST_CREDENTIALS.user,
        ORTHANT_NATS_PASSWORD: TEST_CREDENTIALS.password,
      };
      const prng = new Prng(options.seed);
      for (let index = 0; goesOn(cases, options) && failures.length < FAILURES_MAX; index++) {
        const recipe = recipeAt(index, prng);
        const names = Object.keys(CHECKS).filter((name) => index === 0 || !ONCE.has(name));
        const folder = join(root, `world-${index}`);
        cases += await tryWorld(recipe, names, folder, environment, options, failures);
        options.progress(cases);
        await rm(root, { recursive: true });
        await mkdir(root);
      }
    } finally {
      await nats.dispose();
      await rm(root, { recursive: true, force: true });
    }
    return { cases, failures };
  },
};

/** Reports the commands that the matrix lacks. */
function missingChecks(): string[] {
  return COMMANDS.filter(({ name }) => CHECKS[name] === undefined).map(
    ({ name }) => `the matrix lacks the command ${name}`,
  );
}

/**
 * Cycles through the matrix: every state in every number of dimensions, with a generator that the command
 * line has and with one that it lacks. The first six worlds cover every state, every number of dimensions and
 * both generators.
 */
function recipeAt(index: number, prng: Prng): Recipe {
  const [turn, column] = [Math.floor(index / STATES.length), index % STATES.length];
  const dimensions = DIMENSIONS[(column + turn + prng.seed) % DIMENSIONS.length] as Dimensions;
  const isForeign = (turn + Math.floor(turn / DIMENSIONS.length) + column + prng.seed) % 2 === 0;
  return makeRecipe(STATES[column] as State, dimensions, isForeign, prng);
}

async function tryWorld(
  recipe: Recipe,
  names: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string>>,
  { seed }: CampaignOptions,
  failures: string[],
): Promise<number> {
  const world = await makeWorld(recipe, folder);
  const label = `seed ${seed}, ${recipe.name}${recipe.isForeign ? " of a foreign generator" : ""}`;
  const waiting = [...names];
  let runs = 0;
  const work = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const tester = new CommandTester(`${label}: ${name}`, `${folder}-${name}`, world, environment);
      await CHECKS[name]?.(tester).catch((error: unknown) => tester.fail(`it threw ${error}`));
      runs += tester.runs;
      failures.push(...tester.failures);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return runs;
}
