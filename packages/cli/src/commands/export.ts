import { type Box, type Dimensions, dimensionsOf, OrthantError } from "@orthant/core";
import { boxBetween, boxContains, chunksOfVoxels, intersectBoxes, positionFrom } from "@orthant/core/lattice";
import type { WorldState } from "@orthant/core/tree";
import type { Disk } from "@orthant/disk";
import {
  type ConversionLoss,
  ConversionLosses,
  formatAmount,
  formatBox,
  formatBytes,
} from "@orthant/formats";
import type { Save } from "@orthant/save";
import { openSaveWithJournal } from "@orthant/world/engine";
import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import { type ExportedVoxels, exportSize, readVoxels } from "../export/exported-voxels.ts";
import { glbOf } from "../export/glb.ts";
import { luantiMapOf } from "../export/luanti-map.ts";
import { minecraftRegionBox, regionOfWorld } from "../export/region.ts";
import { schemOf } from "../export/schem.ts";
import { voxOf } from "../export/vox.ts";
import { makeFile } from "../files.ts";
import { openReadable } from "../found-world.ts";
import { journalLoss, retryWhileWritten } from "../live-save.ts";
import { printLosses, refusedLoss } from "../losses.ts";
import { boundsOfMade } from "../map/view.ts";
import { parseBox } from "../parse.ts";
import { neededGenerator, untouchedState } from "../stored-content.ts";
import { EXIT, UsageError } from "../usage.ts";

type Writer = (voxels: ExportedVoxels, losses: ConversionLosses) => Uint8Array;

/** Columns of a region. */
const COLUMNS = 1_024;

/** Writers by the end of the file's name. */
const WRITERS: ReadonlyMap<string, Writer> = new Map([
  [".schem", schemOf],
  [".vox", voxOf],
  [".glb", glbOf],
  ["map.sqlite", luantiMapOf],
]);

/** `orthant export`. */
export const exportCommand: Command = {
  name: "export",
  summary: "Write part of a world for another program, and list losses",
  details: [
    "The end of the file's name says what is written: .schem is a schematic of Sponge (WorldEdit and others open it),",
    ".vox is for MagicaVoxel, .glb is glTF 2.0, which Blender, browsers and engines show, and r.X.Z.mca is a region of",
    "Minecraft 1.21, which has the columns of 512 x 512 voxels that its name says. map.sqlite is the map of a Luanti world.",
    "Voxels without an edit are made by the generator. The command first lists what the other format cannot hold,",
    "and writes nothing unless --accept-loss allows that; then the exit code is 3.",
  ].join(" "),
  arguments: [
    { name: "<world>", description: "the folder of a world, or a file that convert reads" },
    { name: "<file>", description: "a name that ends with .schem, .vox or .glb, r.X.Z.mca, or map.sqlite" },
  ],
  usesGenerators: true,
  options: [
    {
      flags: "--box <box>",
      description: "voxels from the first corner to the second, exclusive (default: all edits)",
    },
    { flags: "--accept-loss", description: "write it although something is lost" },
    { flags: "--dry-run", description: "say what would be lost, and write nothing" },
    { flags: "--force", description: "replace the file if there is one" },
  ],
  examples: [
    "orthant export my-world house.schem --box 0,60,0..32,90,32 --accept-loss",
    "orthant export my-world house.vox --dry-run",
    "orthant export my-world region/r.0.0.mca --accept-loss",
    "orthant export my-world hills.glb --box -64,0,-64..64,128,64 --accept-loss",
  ],

  async run(args, context) {
    const [folder, file] = [args.at(0), args.at(1)];
    const target = targetOf(file);
    const box = args.parsed("box", parseBox);
    const isDry = args.has("dryRun");
    const { disk } = await openReadable(folder, context);
    // A writer may save the world during the reading.
    const made = await retryWhileWritten(disk, () => exportVoxels(disk, box, target, context));
    const { losses, bytes } = made;
    const isRefused = !isDry && losses.length > 0 && !args.has("acceptLoss");
    if (!isDry && !isRefused) {
      context.takeSignals();
      await makeFile(file, args.has("force"), async (append) => {
        await append(bytes);
        context.signal.throwIfAborted();
      });
    }
    if (!isRefused) {
      const voxels = made.size[0] * made.size[1] * made.size[2];
      context.printJson({
        world: folder,
        output: file,
        format: target.ending.split(".").at(-1),
        made: !isDry,
        box: made.box,
        voxels,
        bytes: bytes.length,
        losses,
      });
      const did = isDry ? "would write" : "wrote";
      context.print(
        `${did} ${file}: voxels ${formatBox(made.box, made.dimensions)}, ${formatAmount(voxels, "voxel")}, ${formatBytes(bytes.length)}`,
      );
    }
    printLosses(losses, context);
    if (isRefused) throw refusedLoss(losses);
    return losses.length === 0 ? EXIT.ok : EXIT.loss;
  },
};

/** What is written: a box as one piece, or a region of Minecraft. */
interface Target {
  readonly ending: string;
  readonly writer: Writer | undefined;
  readonly region: Box | undefined;
}

function targetOf(file: string): Target {
  const region = minecraftRegionBox(file);
  if (region !== undefined) return { ending: ".mca", writer: undefined, region };
  for (const [ending, writer] of WRITERS) {
    if (file.toLowerCase().endsWith(ending)) return { ending, writer, region: undefined };
  }
  const endings = [...WRITERS.keys()].join(", ");
  throw new UsageError(
    `"${file}" ends with none of ${endings}, and is not named r.X.Z.mca, which say what is written`,
  );
}

interface Exported {
  readonly box: Box;
  /** Those of the world. */
  readonly dimensions: Dimensions;
  readonly size: ExportedVoxels["size"];
  readonly bytes: Uint8Array;
  readonly losses: readonly ConversionLoss[];
}

async function exportVoxels(
  disk: Disk,
  asked: Box | undefined,
  target: Target,
  context: Context,
): Promise<Exported> {
  const opened = await openSaveWithJournal(disk, { generators: context.generators });
  const { save } = opened;
  try {
    const state = untouchedState(save, context.generators);
    if (state === undefined) {
      const needed = neededGenerator(save, context.generators);
      throw new OrthantError("ORT_GENERATOR_UNKNOWN", `the world cannot be exported without ${needed}`);
    }
    const losses = new ConversionLosses();
    const remark = journalLoss(opened);
    if (remark !== undefined) losses.add("journal", remark);
    const world = { save, state, losses, context };
    return target.region === undefined
      ? await exportBox(world, asked, target.writer as Writer)
      : await exportRegion(world, asked, target.region);
  } finally {
    await save.close();
  }
}

interface OpenWorld {
  readonly save: Save;
  readonly state: WorldState;
  readonly losses: ConversionLosses;
  readonly context: Context;
}

async function exportBox(
  { save, state, losses, context }: OpenWorld,
  asked: Box | undefined,
  writer: Writer,
): Promise<Exported> {
  const box = asked ?? (await boundsOfMade(save, state.shape));
  if (box === undefined) throw new UsageError("this world has no edits; name a --box");
  const size = exportSize(box);
  losses.add("entities", "only voxels are written", await entitiesIn(save, box));
  const { min, max } = chunksOfVoxels(state.shape, box);
  const progress = context.progress("reading", "columns", (max[0] - min[0]) * (max[2] - min[2]));
  try {
    const voxels = await readVoxels(save, state, box, () => progress.advance(1));
    return {
      box,
      dimensions: dimensionsOf(state.shape),
      size,
      bytes: writer(voxels, losses),
      losses: losses.list(),
    };
  } finally {
    progress.end();
  }
}

async function exportRegion(
  { save, state, losses, context }: OpenWorld,
  asked: Box | undefined,
  region: Box,
): Promise<Exported> {
  const box = asked === undefined ? region : sharedBox(asked, region);
  if (box === undefined)
    throw new UsageError("the --box lies outside of the region and of the heights of Minecraft");
  exportSize(
    boxBetween(
      box.min,
      positionFrom((axis) => (axis === 3 ? box.max[3] : box.min[axis] + 1)),
    ),
  );
  const made = await boundsOfMade(save, state.shape);
  const heights = asked ?? made;
  if (heights !== undefined && (heights.min[1] < region.min[1] || heights.max[1] > region.max[1])) {
    losses.add("heights", `only y from ${region.min[1]} to ${region.max[1] - 1} exists there`);
  }
  losses.add("entities", "only voxels are written", await entitiesIn(save, box));
  const progress = context.progress("reading", "columns", COLUMNS);
  try {
    const bytes = await regionOfWorld(save, state, region, box, losses, () => progress.advance(1));
    const size = [box.max[0] - box.min[0], box.max[1] - box.min[1], box.max[2] - box.min[2]] as const;
    return { box, dimensions: dimensionsOf(state.shape), size, bytes, losses: losses.list() };
  } finally {
    progress.end();
  }
}

/** Returns what two boxes share in space; the first one says where on the fourth axis. */
function sharedBox(asked: Box, { min, max }: Box): Box | undefined {
  const [low, high] = [asked.min[3], asked.max[3]];
  return intersectBoxes(asked, boxBetween([min[0], min[1], min[2], low], [max[0], max[1], max[2], high]));
}

async function entitiesIn(save: Save, box: Box): Promise<number> {
  let count = 0;
  const chunks = chunksOfVoxels(save.global.description.chunkShape, box);
  for (const leaf of await save.leavesIn(chunks)) {
    for (const { position } of await save.readEntities(leaf)) {
      if (boxContains(box, position)) count++;
    }
  }
  return count;
}
