import { resolve } from "node:path";
import type { Box, Dimensions, Position, VoxelBox } from "@orthant/core";
import { type ConversionLoss, ConversionLosses, formatAmount, formatPosition } from "@orthant/formats";
import { type PasteReport, pasteWorld } from "@orthant/formats/imports";
import { openSave, type Save } from "@orthant/save";
import { openWorld, type World } from "@orthant/world";
import { openSaveWithJournal } from "@orthant/world/engine";
import type { Arguments, Command } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { parseBox, parseNames, parsePosition, requireAxes } from "../command/parse.ts";
import { EXIT, UsageError } from "../command/usage.ts";
import { BYTES_AS_THEY_ARE } from "../world/data-bytes.ts";
import {
  copyInMemory,
  findWorld,
  formatOptions,
  formatRequest,
  requireNative,
} from "../world/found-world.ts";
import { journalLoss } from "../world/live-save.ts";
import { printLosses, refusedLoss } from "../world/losses.ts";
import { nativeFormat } from "../world/native-format.ts";

/** Edits between two saves, 4,194,304 voxels at most: memory does not grow with what is pasted. */
const EDITS_PER_SAVE = 256;

/** `orthant paste`. */
export const pasteCommand: Command = {
  name: "paste",
  summary: "Put a schematic or part of a world into a world that you have",
  details: [
    "The file is a schematic, model or map, or a world of any format that orthant convert reads; it is only read, and",
    "copied into memory, up to 256 MiB. Blocks keep their names and properties: types that the world lacks are added.",
    "Where the file has air, the world stays as it is. The command first lists what is lost, and writes nothing unless",
    "--accept-loss allows that; then the exit code is 3. No server may have the world open. To undo it, see orthant restore.",
  ].join(" "),
  arguments: [
    { name: "<file>", description: "a file or folder that convert reads, or the folder of another world" },
    { name: "<world>", description: "the folder of the world that gets it" },
  ],
  usesGenerators: true,
  options: [
    { flags: "--at <position>", description: "where the lowest corner comes to lie, such as 10,70,-4" },
    {
      flags: "--box <box>",
      description: "the voxels of the file, the second corner exclusive (default: all that is not air)",
    },
    {
      flags: "--rotate <degrees>",
      description:
        "turn it about the vertical axis, clockwise seen from above, with its stairs and logs: 90, 180 or 270",
    },
    { flags: "--air", description: "let air replace blocks, too" },
    {
      flags: "--map <names>",
      description:
        "a block of the file, and what it becomes in the world, such as minecraft:oak_planks=planks; may be given several times",
      repeated: true,
    },
    { flags: "--accept-loss", description: "write it although something is lost" },
    ...formatOptions(),
    { flags: "--dry-run", description: "say what would be done and lost, and write nothing" },
  ],
  examples: [
    "orthant paste house.schem my-world --at 10,70,-4",
    "orthant paste house.schem my-world --at 10,70,-4 --map minecraft:oak_planks=wood",
    "orthant paste house.schem my-world --at 10,70,-4 --rotate 90",
    "orthant paste castle.vox my-world --at 0,64,0 --dry-run",
    "orthant paste other-world my-world --box 0,60,0..32,90,32 --at 100,60,0 --accept-loss",
  ],

  async run(args, context) {
    const [file, folder] = [args.at(0), args.at(1)];
    const at = args.parsed("at", parsePosition);
    if (at === undefined) throw new UsageError("say where it goes, as in --at 10,70,-4");
    const names = parseNames(args.all("map"));
    const rotate: Rotation = args.parsed("rotate", parseRotation) ?? 0;
    const place = { at, box: args.parsed("box", parseBox), air: args.has("air"), names, rotate };
    const isDry = args.has("dryRun");
    if (resolve(file) === resolve(folder)) throw new UsageError(`"${folder}" cannot be pasted into itself`);
    await requireNative(await context.openDisk(folder), folder);
    const source = await openSource(file, args, context);
    try {
      const would = await withWorld(folder, true, context, (world) => paste(world, source, place, true));
      const isRefused = !isDry && would.losses.length > 0 && !args.has("acceptLoss");
      if (isRefused) {
        printLosses(would.losses, context);
        throw refusedLoss(would.losses);
      }
      const report = isDry
        ? would
        : await withWorld(folder, false, context, (world) => paste(world, source, place, false));
      context.printJson({ file, world: folder, made: !isDry, ...report, box: cornersOf(report.box) });
      printReport(file, folder, report, isDry, context);
      return report.losses.length === 0 ? EXIT.ok : EXIT.loss;
    } finally {
      await source.save.close();
    }
  },
};

interface OpenSource {
  readonly save: Save;
  readonly losses: readonly ConversionLoss[];
}

/** Opens what is pasted: a world with its journal, or a copy in memory of one of another format. */
async function openSource(file: string, args: Arguments, context: Context): Promise<OpenSource> {
  const found = await findWorld(file, context);
  const request = formatRequest(found, args, context);
  if (found.format !== nativeFormat) {
    const { disk, outcome } = await copyInMemory(found, request);
    return { save: await openSave(disk, { generators: context.generators }), losses: outcome.losses };
  }
  const opened = await openSaveWithJournal(found.disk, { generators: context.generators });
  const losses = new ConversionLosses();
  const remark = journalLoss(opened);
  if (remark !== undefined) losses.add("journal", remark);
  return { save: opened.save, losses: losses.list() };
}

async function withWorld<Value>(
  folder: string,
  readOnly: boolean,
  context: Context,
  use: (world: World) => Promise<Value>,
): Promise<Value> {
  const world = await openWorld(await context.openDisk(folder), {
    readOnly,
    autosave: false,
    time: context.time,
    generators: context.generators,
    dataCodec: BYTES_AS_THEY_ARE,
  });
  try {
    return await use(world);
  } finally {
    await world.close();
  }
}

/** In degrees, clockwise seen from above. */
type Rotation = 0 | 90 | 180 | 270;

interface Place {
  readonly at: Position;
  readonly box: Box | undefined;
  readonly air: boolean;
  readonly names: Readonly<Record<string, string>>;
  readonly rotate: Rotation;
}

async function paste(
  world: World,
  { save, losses: lost }: OpenSource,
  { at, box, air, names, rotate }: Place,
  dryRun: boolean,
): Promise<PasteReport<Dimensions>> {
  const { dimensions } = world;
  const own = (position: Position, missing: number): Position<Dimensions> => {
    requireAxes(position, dimensions, missing);
    return position.slice(0, dimensions) as unknown as Position<Dimensions>;
  };
  const part: VoxelBox | undefined = box && { unit: "voxels", min: own(box.min, 0), max: own(box.max, 1) };
  let edits = 0;
  const report = await pasteWorld(world, save, {
    at: own(at, 0),
    ...(part && { box: part }),
    air,
    names,
    rotate,
    dataCodec: BYTES_AS_THEY_ARE,
    dryRun,
    onEdit: () => (++edits % EDITS_PER_SAVE === 0 ? world.save() : undefined),
  });
  const losses = new ConversionLosses();
  losses.addAll([...lost, ...report.losses]);
  return { ...report, losses: losses.list() };
}

function parseRotation(text: string): Rotation {
  const degrees = ([90, 180, 270] as const).find((each) => text === String(each));
  if (degrees !== undefined) return degrees;
  throw new UsageError(`"${text}" is not a number of quarter turns; write it as 90, 180 or 270 degrees`);
}

function cornersOf({ min, max }: VoxelBox): object {
  return { min, max };
}

function printReport(
  file: string,
  folder: string,
  { box, at, voxels, data, defined, renamed, losses }: PasteReport<Dimensions>,
  isDry: boolean,
  context: Context,
): void {
  const part = `voxels ${formatPosition(box.min)} to ${formatPosition(box.max)} of ${file}`;
  const counts = [
    formatAmount(voxels, "voxel"),
    `${data} with data`,
    `${formatAmount(defined.length, "new type")} of blocks`,
  ];
  context.print(
    `${isDry ? "would paste" : "pasted"} ${part} into ${folder} at ${formatPosition(at)}: ${counts.join(", ")}`,
  );
  for (const { name, as } of renamed)
    context.print(`"${name}" of this world lacks properties or values of some blocks, which are "${as}"`);
  printLosses(losses, context);
}
