import { randomInt } from "node:crypto";
import { basename, resolve } from "node:path";
import { createWorld, type NewWorld } from "@orthant/world";
import type { Command } from "../command.ts";
import { GENERATORS } from "../create/generators.ts";
import { findSpawn } from "../create/spawn.ts";
import { TEMPLATES } from "../create/templates.ts";
import { EXIT } from "../exit-codes.ts";
import { parseU64 } from "../parse/values.ts";
import { formatPosition } from "../report/format.ts";
import { describeGenerator, generatorInfoOf } from "../report/generator.ts";
import { factLines } from "../report/table.ts";
import { UsageError } from "../usage-error.ts";

const SEED_END = 2 ** 32;

/** `orthant create`. */
export const createCommand: Command = {
  name: "create",
  summary: "Make a new world from a template",
  details: [
    "Templates: platforms (4D, platforms that float), terrain (3D, hills and caves),",
    "tiles (2D, seen from the side, over a floor or with --generator maze a maze).",
    "The folder must be empty or not there yet.",
  ].join(" "),
  arguments: [{ name: "<folder>", description: "where the world goes" }],
  options: [
    {
      flags: "-t, --template <name>",
      description: "what kind of world",
      default: "platforms",
      choices: TEMPLATES.map(({ name }) => name),
    },
    { flags: "-s, --seed <number>", description: "what makes it differ from others (default: at random)" },
    { flags: "-n, --name <text>", description: "what it is called (default: the name of the folder)" },
    {
      flags: "--generator <name>",
      description: "what fills it, instead of what the template has",
      choices: GENERATORS.map(({ name }) => name),
    },
    {
      flags: "--set <name=value>",
      description: "a parameter of the generator; may be given several times",
      repeated: true,
    },
    { flags: "--dry-run", description: "say what would be made, and make nothing" },
  ],
  notes: [
    "Parameters of the generators, for --set:",
    ...GENERATORS.map(({ name, parameters }) => `${name}: ${parameters}`),
  ],
  examples: [
    "orthant create my-world",
    "orthant create hills --template terrain --seed 7 --set relief=128 --set caves=false",
    "orthant create labyrinth --template tiles --generator maze",
  ],

  async run(args, context) {
    const folder = args.at(0);
    const template = TEMPLATES.find(({ name }) => name === args.text("template"));
    const generatorName = args.text("generator") ?? template?.generator;
    const generator = GENERATORS.find(({ name }) => name === generatorName);
    if (template === undefined || generator === undefined)
      throw new UsageError("no such template or generator");
    const seed = args.parsed("seed", parseU64) ?? BigInt(randomInt(SEED_END));
    const ref = generator.ref(args.all("set"), seed, template.defaults[generator.name]);
    const world: Required<Omit<NewWorld, "catalog" | "limits">> = {
      name: args.text("name") ?? basename(resolve(folder)),
      shape: template.shape,
      generator: ref,
      spawn: findSpawn(ref, template.shape),
    };
    const isDry = args.has("dryRun");
    if (!isDry) await context.makeFolder(folder, async (disk) => (await createWorld(disk, world)).close());
    const info = generatorInfoOf(ref);
    context.printJson({
      world: folder,
      made: !isDry,
      template: template.name,
      name: world.name,
      chunkShape: world.shape.extents,
      generator: info,
      spawn: world.spawn,
    });
    context.print(`${isDry ? "would make" : "made"} ${folder}`);
    context.printAll(
      factLines([
        ["name", world.name],
        ["chunks of", `${world.shape.extents.join(" x ")} voxels`],
        ["generator", describeGenerator(info)],
        ["spawn", formatPosition(world.spawn)],
      ]),
    );
    return EXIT.ok;
  },
};
