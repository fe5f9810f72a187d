import { randomInt } from "node:crypto";
import { basename, resolve } from "node:path";
import {
  AIR,
  type ChunkShape,
  CUBE_CHUNKS,
  chunkOfVoxel,
  DEFAULT_BLOCKS,
  DEFAULT_GENERATORS,
  FLAT_DEFAULTS,
  flatGenerator,
  type GeneratorRef,
  generatorRef,
  HYPERCUBE_CHUNKS,
  isOrthantError,
  MAZE_DEFAULTS,
  mazeGenerator,
  PLATFORMS_DEFAULTS,
  type Position,
  platformsGenerator,
  TERRAIN_DEFAULTS,
  TILE_CHUNKS,
  terrainGenerator,
  voxelIndex,
  type WorldGenerator,
  WorldState,
} from "@orthant/core";
import { describeGenerator, formatPosition, generatorInfoOf } from "@orthant/formats";
import { createWorldStore, type NewWorldStore } from "@orthant/world/store";
import type { Command } from "../command.ts";
import { parsePosition, parseU64 } from "../parse.ts";
import { factLines } from "../report.ts";
import { EXIT, UsageError } from "../usage.ts";

const SEED_END = 2 ** 32;

/** A template for new worlds. */
interface Template {
  readonly name: string;
  readonly shape: ChunkShape;
  /** The default generator. */
  readonly generator: string;
  /** Parameters that suit the shape better than a generator's own defaults, by the generator's name. */
  readonly defaults: Readonly<Record<string, object>>;
}

/** All templates. */
const TEMPLATES: readonly Template[] = [
  { name: "platforms", shape: HYPERCUBE_CHUNKS, generator: "platforms", defaults: {} },
  { name: "terrain", shape: CUBE_CHUNKS, generator: "terrain", defaults: {} },
  {
    name: "tiles",
    shape: TILE_CHUNKS,
    generator: "flat",
    defaults: {
      // Seen from the side, a floor of two tiles would be a line.
      flat: { thickness: 16 },
      maze: { origin: [-64, 0, 0, 0], cells: [32, 16, 1, 1] },
    },
  },
];

/** A generator for new worlds. Turns `name=value` words and a seed into a reference. */
interface NamedGenerator {
  readonly name: string;
  /** Its parameters with their defaults, for help. */
  readonly parameters: string;
  ref(words: readonly string[], seed: bigint, defaults?: object): GeneratorRef;
}

/** All generators included in Orthant. */
const GENERATORS: readonly NamedGenerator[] = [
  named(flatGenerator, FLAT_DEFAULTS),
  named(mazeGenerator, MAZE_DEFAULTS),
  named(platformsGenerator, PLATFORMS_DEFAULTS),
  named(terrainGenerator, TERRAIN_DEFAULTS),
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
    const world: Required<Omit<NewWorldStore, "catalog" | "limits">> = {
      name: args.text("name") ?? basename(resolve(folder)),
      shape: template.shape,
      generator: ref,
      spawn: findSpawn(ref, template.shape),
    };
    const isDry = args.has("dryRun");
    if (!isDry)
      await context.makeFolder(folder, async (disk) => (await createWorldStore(disk, world)).close());
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

function named<Parameters extends object>(
  generator: WorldGenerator<Parameters>,
  defaults: Parameters,
): NamedGenerator {
  return {
    name: generator.id,
    parameters: Object.entries(defaults)
      .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join(",") : value}`)
      .join(" "),
    ref(words, seed, templateDefaults = {}) {
      const parameters = withParameters({ ...defaults, ...templateDefaults }, words);
      try {
        return generatorRef(generator, parameters, seed);
      } catch (error) {
        if (isOrthantError(error)) throw new UsageError(`--set ${words.join(" ")}: ${error.detail}`);
        throw error;
      }
    },
  };
}

/**
 * Returns a generator's parameters: its defaults, changed by words like `relief=32`. The default determines
 * the kind of value: a whole number, `true` or `false`, or a position. `none` removes an optional value.
 */
function withParameters<Parameters extends object>(
  defaults: Parameters,
  words: readonly string[],
): Parameters {
  const values: Record<string, unknown> = Object.fromEntries(Object.entries(defaults));
  for (const word of words) {
    const [name = "", text, ...rest] = word.split("=");
    if (text === undefined || rest.length > 0) {
      throw new UsageError(`--set: "${word}" is not of the form name=value`);
    }
    if (!Object.hasOwn(defaults, name)) {
      const known = Object.keys(defaults).join(", ");
      throw new UsageError(`--set: there is no parameter "${name}"; there are ${known}`);
    }
    values[name] = parameterValue(name, text, values[name]);
  }
  return values as Parameters;
}

function parameterValue(name: string, text: string, before: unknown): unknown {
  if (Array.isArray(before)) return parsePosition(text);
  if (typeof before === "boolean") {
    if (text === "true" || text === "false") return text === "true";
    throw new UsageError(`--set: ${name} is true or false, not "${text}"`);
  }
  if (text === "none" && name === "waterLevel") return undefined;
  if (!/^[-+]?\d{1,15}$/.test(text)) throw new UsageError(`--set: ${name} is a whole number, not "${text}"`);
  return Number(text);
}

/** Distance above and below the origin to search for the ground, in voxels. */
const REACH_VOXELS = 256;

/** Returns a spawn position: on top of the highest ground near the origin, or else the origin itself. */
function findSpawn(generator: GeneratorRef, shape: ChunkShape): Position {
  const state = WorldState.open({ generators: DEFAULT_GENERATORS, generator, shape });
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
