import { randomInt } from "node:crypto";
import { basename, resolve } from "node:path";
import {
  AIR,
  type ChunkShape,
  CUBE_CHUNKS,
  DEFAULT_BLOCKS,
  dimensionsOf,
  type GeneratorRegistry,
  HYPERCUBE_CHUNKS,
  isOrthantError,
  type Position,
  TILE_CHUNKS,
} from "@orthant/core";
import type { GeneratorRef } from "@orthant/core/generate";
import { chunkOfVoxel, voxelIndex } from "@orthant/core/lattice";
import { WorldState } from "@orthant/core/tree";
import { describeGenerator, formatPosition, generatorInfoOf } from "@orthant/formats";
import { createWorldEngine, type NewWorldEngine } from "@orthant/world/engine";
import type { Arguments, Command } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { parseU64 } from "../command/parse.ts";
import { factLines, positionJson } from "../command/report.ts";
import { EXIT, UsageError } from "../command/usage.ts";
import { GENERATORS, itemNamed, type NamedGenerator, newestOf } from "../generators/named-generators.ts";

const SEED_END = 2 ** 32;

/** A template for new worlds. */
interface Template {
  readonly name: string;
  readonly shape: ChunkShape;
  /** The default generator. */
  readonly generator: string;
  /** Parameters that suit the shape better than a generator's own defaults, by the generator's name. */
  readonly defaults: ReadonlyMap<string, object>;
}

/** Chunk shapes of worlds, by the number of their dimensions. */
const SHAPES: ReadonlyMap<string, ChunkShape> = new Map([
  ["2", TILE_CHUNKS],
  ["3", CUBE_CHUNKS],
  ["4", HYPERCUBE_CHUNKS],
]);

/** All templates of Orthant. Each generator of a game is a template too. */
const TEMPLATES: readonly Template[] = [
  { name: "platforms", shape: HYPERCUBE_CHUNKS, generator: "platforms", defaults: new Map() },
  { name: "terrain", shape: CUBE_CHUNKS, generator: "terrain", defaults: new Map() },
  {
    name: "tiles",
    shape: TILE_CHUNKS,
    generator: "flat",
    defaults: new Map<string, object>([
      // Seen from the side, a floor of two tiles would be a line.
      ["flat", { thickness: 16 }],
      ["maze", { origin: [-64, 0, 0, 0], cells: [32, 16, 1, 1] }],
    ]),
  },
];

/** `orthant create`. */
export const createCommand: Command = {
  name: "create",
  summary: "Make a new world from a template",
  details: [
    "Templates: platforms (4D, platforms that float), terrain (3D, hills and caves),",
    "tiles (2D, seen from the side, over a floor, or a maze with --generator maze).",
    "The folder must be empty or not there yet.",
  ].join(" "),
  arguments: [{ name: "<folder>", description: "where the world goes" }],
  usesGenerators: true,
  options: [
    {
      flags: "-t, --template <name>",
      description: "platforms, terrain, tiles, or the id of a generator in --generators",
      default: "platforms",
      suggestions: TEMPLATES.map(({ name }) => name),
    },
    {
      flags: "--dimensions <count>",
      description: "of the world (default: those of the template)",
      choices: [...SHAPES.keys()],
    },
    { flags: "-s, --seed <number>", description: "what makes it differ from others (default: at random)" },
    { flags: "-n, --name <text>", description: "what it is called (default: the name of the folder)" },
    {
      flags: "--generator <name>",
      description:
        "what fills it, instead of what the template has: flat, maze, platforms, terrain or your own",
      suggestions: GENERATORS.map(({ name }) => name),
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
    "orthant create valley --template my-game:hills --set height=40 --generators ./hills.mjs",
  ],

  async run(args, context) {
    const folder = args.at(0);
    const { template, generator } = chosenTemplate(args, context);
    const shape = SHAPES.get(args.text("dimensions") ?? "") ?? template.shape;
    const seed = args.parsed("seed", parseU64) ?? BigInt(randomInt(SEED_END));
    const ref = generator.ref(args.all("set"), seed, template.defaults.get(generator.name));
    const world: Required<Omit<NewWorldEngine, "catalog" | "limits">> = {
      name: args.text("name") ?? basename(resolve(folder)),
      shape,
      generator: ref,
      spawn: spawnIn(ref, shape, context.generators),
    };
    const isDry = args.has("dryRun");
    if (!isDry)
      await context.makeFolder(folder, async (disk) => {
        await (await createWorldEngine(disk, world, { generators: context.generators })).close();
      });
    const info = generatorInfoOf(ref, context.generators);
    const dimensions = dimensionsOf(world.shape);
    context.printJson({
      world: folder,
      made: !isDry,
      template: template.name,
      name: world.name,
      chunkShape: world.shape.extents.slice(0, dimensions),
      generator: info,
      spawn: positionJson(world.spawn, dimensions),
    });
    context.print(`${isDry ? "would make" : "made"} ${folder}`);
    context.printAll(
      factLines([
        ["name", world.name],
        ["chunks of", `${world.shape.extents.slice(0, dimensions).join(" x ")} voxels`],
        ["generator", describeGenerator(info)],
        ["spawn", formatPosition(world.spawn, dimensions)],
      ]),
    );
    return EXIT.ok;
  },
};

/** Returns the template that the user names, with its generator or the one that replaces it. */
function chosenTemplate(
  args: Arguments,
  { gameGenerators, generators }: Context,
): { readonly template: Template; readonly generator: NamedGenerator } {
  const own = newestOf(gameGenerators, generators);
  const templates = [
    ...TEMPLATES,
    ...own.map(({ name, dimensions = "3" }) => {
      return { name, shape: SHAPES.get(dimensions) ?? CUBE_CHUNKS, generator: name, defaults: new Map() };
    }),
  ];
  const template = itemNamed(templates, "--template", args.text("template") ?? "");
  const name = args.text("generator") ?? template.generator;
  return { template, generator: itemNamed([...GENERATORS, ...own], "--generator", name) };
}

/** Distance above and below the origin to search for the ground, in voxels. */
const REACH_VOXELS = 256;

/** Like {@link findSpawn}. Says which generator failed, since that may be the game's own. */
function spawnIn(ref: GeneratorRef, shape: ChunkShape, generators: GeneratorRegistry): Position {
  try {
    return findSpawn(ref, shape, generators);
  } catch (error) {
    if (isOrthantError(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`the generator "${ref.generatorId}" failed: ${reason}`, { cause: error });
  }
}

/** Returns a spawn position: on top of the highest ground near the origin, or else the origin itself. */
function findSpawn(generator: GeneratorRef, shape: ChunkShape, generators: GeneratorRegistry): Position {
  const state = WorldState.open({ generators, generator, shape });
  const isFree = (y: number): boolean => {
    const voxel: Position = [0, y, 0, 0];
    const chunk = state.realizeChunk(...chunkOfVoxel(shape, voxel));
    const block = chunk.get(voxelIndex(shape, ...voxel));
    return block === AIR || DEFAULT_BLOCKS.byId(block)?.solid === false;
  };
  for (let y = REACH_VOXELS; y > -REACH_VOXELS; y--) {
    if (isFree(y) && !isFree(y - 1)) return [0, y, 0, 0];
  }
  return [0, 0, 0, 0];
}
