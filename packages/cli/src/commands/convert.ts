import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { isOrthantError, OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import {
  type ConversionOutcome,
  type FormatRequest,
  formatAmount,
  type OpenConversion,
} from "@orthant/formats";
import { IMPORTED_FORMATS } from "@orthant/formats/imports";
import type { Arguments, Command } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { requireNewFolder, requireOutside, unfinishedFolder } from "../command/files.ts";
import { parseInteger } from "../command/parse.ts";
import { EXIT, UsageError } from "../command/usage.ts";
import { GENERATORS, itemNamed, newestOf } from "../generators/named-generators.ts";
import {
  CONVERSION_TARGETS,
  describeFormat,
  type FoundWorld,
  findWorld,
  formatOptions,
  formatRequest,
  importStarter,
} from "../world/found-world.ts";
import { requireKept } from "../world/live-save.ts";
import { printLosses, refusedLoss } from "../world/losses.ts";

/** Threads by default: each takes memory, and one disk does not feed many. */
const THREADS_MAX = 8;

/** `orthant convert`. */
export const convertCommand: Command = {
  name: "convert",
  summary: "Write a world in another format, and list what is lost",
  details: [
    "Formats: orthant is what Orthant itself writes; v3 is the plain form of it that is published for other programs,",
    "without clocks and compression; flat is what the game Polychora opens; marsminer is what MarsMiner wrote;",
    "pxsw is a pixel world, and pxsw1 one that the original game opens; tilesave is the world.sav of a tile game.",
    "Only read, and recognized by themselves: folders and region files (.mca) of Minecraft, schematics (.schem, .schematic,",
    ".litematic, .nbt), MagicaVoxel (.vox), Tiled (.tmj, .tmx), and folders or map.sqlite of Luanti.",
    "The world is only read. The command first lists what the other format cannot hold, and writes nothing unless",
    "--accept-loss allows that; then the exit code is 3. A large world of Minecraft or Luanti is converted in parts:",
    "after a kill or a power cut, the same command goes on where it was.",
  ].join(" "),
  arguments: [
    { name: "<world>", description: "the folder of a world, or its file" },
    { name: "<folder>", description: "where the new world goes: empty, or not there yet" },
  ],
  usesGenerators: true,
  options: [
    {
      flags: "--to <format>",
      description: "the format to write (default: orthant, or flat for a world of Orthant)",
      choices: CONVERSION_TARGETS,
    },
    { flags: "--accept-loss", description: "write it although something is lost" },
    {
      flags: "--generation <number>",
      description: "convert this older generation (see orthant log), without the journal",
    },
    {
      flags: "--stand-in <block>",
      description: "the block for voxels whose own block the format lacks",
      default: "1",
    },
    {
      flags: "--threads <count>",
      description: "that read a large Minecraft or Luanti world (default: one for each processor)",
    },
    {
      flags: "--generator <name>",
      description:
        "what fills the space around an imported world (default: nothing): flat, terrain or another",
      suggestions: GENERATORS.map(({ name }) => name),
    },
    {
      flags: "--set <name=value>",
      description: "a parameter of the generator; may be given several times",
      repeated: true,
    },
    ...formatOptions(true),
    { flags: "--dry-run", description: "say what would be lost, and write nothing" },
  ],
  examples: [
    "orthant convert my-world for-polychora --to flat --accept-loss",
    "orthant convert old-save my-world --dry-run",
    "orthant convert world.save my-world --accept-loss",
    "orthant convert world.v4dw my-world",
    "orthant convert my-world for-others --to v3 --accept-loss",
    "orthant convert tile-game my-world --accept-loss",
    "orthant convert ~/.minecraft/saves/Home my-world --accept-loss",
    "orthant convert house.schem my-house",
    "orthant convert house.schem my-house --generator flat --set block=3",
  ],

  async run(args, context) {
    const [folder, target] = [args.at(0), args.at(1)];
    const isDry = args.has("dryRun");
    const conversion = await openConversion(args, context, folder);
    try {
      requireOutside(target, folder);
      if (isDry) await requireNewFolder(target);
      await takeOver(conversion, target, context);
      const would = await withProgress("reading", conversion, context, (onStep) =>
        conversion.run(undefined, onStep),
      );
      const isRefused = !isDry && would.losses.length > 0 && !args.has("acceptLoss");
      const outcome =
        isDry || isRefused
          ? would
          : await withProgress("converting", conversion, context, (onStep) =>
              conversion.resume === undefined
                ? context.makeFolder(target, (made) => convertInto(made, conversion, onStep))
                : context.makeFolderInParts(target, (made) => convertInto(made, conversion, onStep)),
            );
      const { from, to, generation = null } = conversion;
      if (!isRefused) {
        context.printJson({
          world: folder,
          to: target,
          made: !isDry,
          from,
          dialect: to,
          generation,
          ...outcome,
        });
        const did = isDry ? "would convert" : "converted";
        context.print(`${did} ${folder} (${from}) to ${target} (${to}): ${describe(outcome)}`);
      }
      printLosses(outcome.losses, context);
      if (isRefused) throw refusedLoss(outcome.losses);
      return outcome.losses.length === 0 ? EXIT.ok : EXIT.loss;
    } finally {
      await conversion.close();
    }
  },
};

async function openConversion(args: Arguments, context: Context, folder: string): Promise<OpenConversion> {
  const found = await findWorld(folder, context);
  const { disk, format, world } = found;
  const [standard = ""] = format.targets;
  const to = args.text("to") ?? standard;
  const request = formatRequest(found, args, context, to);
  const generation = args.parsed("generation", parseInteger(0, Number.MAX_SAFE_INTEGER));
  if (generation !== undefined) {
    if (format.hasGenerations !== true)
      throw new UsageError(`"${folder}" is a world of ${describeFormat(world)}, which has no --generation`);
    await requireKept(disk, generation);
  }
  const standInBlock = args.parsed("standIn", parseInteger(0, 255));
  if (!format.targets.includes(to)) {
    if (format.targets.includes("orthant"))
      throw new UsageError(
        `convert this world of ${describeFormat(world)} to an Orthant world first (--to orthant), and that to ${to}`,
      );
    throw new UsageError(`"${folder}" is ${to} already; --to chooses another format`);
  }
  try {
    const startImport = importStarter(
      found,
      request,
      args.parsed("threads", parseInteger(1, 64)) ?? defaultThreads(),
    );
    const generator = generatorOf(args, context, found);
    return await format.convert({ ...request, generation, standInBlock, startImport, generator }, to);
  } catch (error) {
    if (isOrthantError(error, "ORT_ARGUMENT")) throw new UsageError(error.detail);
    throw error;
  }
}

/** Returns what makes the chosen generator from the seed of the world. */
function generatorOf(
  args: Arguments,
  { gameGenerators, generators }: Context,
  { path, format, world }: FoundWorld,
): FormatRequest["generator"] {
  const name = args.text("generator");
  const words = args.all("set");
  if (name === undefined) {
    if (words.length > 0) throw new UsageError("--set needs --generator");
    return undefined;
  }
  if (!IMPORTED_FORMATS.includes(format))
    throw new UsageError(
      `--generator is for imported worlds, and "${path}" is one of ${describeFormat(world)}`,
    );
  const chosen = itemNamed([...GENERATORS, ...newestOf(gameGenerators, generators)], "--generator", name);
  return (seed) => chosen.ref(words, BigInt.asUintN(64, seed));
}

/** Resumes a conversion to the same folder that was stopped or killed. */
async function takeOver(conversion: OpenConversion, target: string, context: Context): Promise<void> {
  const folder = unfinishedFolder(target);
  if (conversion.resume === undefined || !existsSync(folder)) return;
  await conversion.resume(await context.openDisk(folder));
  context.note(`resuming the unfinished conversion in ${folder}`);
}

async function convertInto(
  made: Disk,
  conversion: OpenConversion,
  onStep: () => void,
): Promise<ConversionOutcome> {
  const converted = await conversion.run(made, onStep);
  const [fault] = (await conversion.verify(made)).filter(({ severity }) => severity === "damage");
  if (fault === undefined) return converted;
  throw new OrthantError("ORT_RECORD", `what was written is not whole: ${fault.message}`);
}

async function withProgress<Value>(
  label: string,
  { unit, steps }: OpenConversion,
  context: Context,
  work: (onStep: () => void) => Promise<Value>,
): Promise<Value> {
  const progress = context.progress(label, unit, steps);
  try {
    return await work(() => progress.advance(1));
  } finally {
    progress.end();
  }
}

function defaultThreads(): number {
  return Math.min(availableParallelism(), THREADS_MAX);
}

function describe({ chunks, entities = 0, players = 0 }: ConversionOutcome): string {
  return [
    formatAmount(chunks, "chunk"),
    formatAmount(entities, "entity", "entities"),
    formatAmount(players, "player"),
  ].join(", ");
}
