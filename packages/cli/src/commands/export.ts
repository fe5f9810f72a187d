import { type Box, type Dimensions, dimensionsOf, OrthantError } from "@orthant/core";
import { boxVolume } from "@orthant/core/lattice";
import { PLAIN_DATA } from "@orthant/core/world";
import type { Disk } from "@orthant/disk";
import { formatAmount, formatBox, formatBytes } from "@orthant/formats";
import {
  countEntities,
  type ExportedVoxelsFile,
  type ExportSource,
  exportVoxels,
} from "@orthant/formats/exports";
import { catalogOf } from "@orthant/save";
import { openSaveWithJournal } from "@orthant/world/engine";
import type { Command } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { makeFile } from "../command/files.ts";
import { parseBox, parseNames } from "../command/parse.ts";
import { boxJson } from "../command/report.ts";
import { EXIT } from "../command/usage.ts";
import { ChunkSource } from "../map/band.ts";
import { boundsOfMade } from "../map/view.ts";
import { openReadable } from "../world/found-world.ts";
import { journalLoss, retryWhileWritten } from "../world/live-save.ts";
import { printLosses, refusedLoss } from "../world/losses.ts";
import { neededGenerator, untouchedState } from "../world/stored-content.ts";

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
    {
      flags: "--map <names>",
      description:
        "a block of the world, and what it is called in the file, such as planks=minecraft:oak_planks; may be given several times",
      repeated: true,
    },
    { flags: "--accept-loss", description: "write it although something is lost" },
    { flags: "--dry-run", description: "say what would be lost, and write nothing" },
    { flags: "--force", description: "replace the file if there is one" },
  ],
  examples: [
    "orthant export my-world house.schem --box 0,60,0..32,90,32 --accept-loss",
    "orthant export my-world house.schem --map planks=minecraft:oak_planks --accept-loss",
    "orthant export my-world house.vox --dry-run",
    "orthant export my-world region/r.0.0.mca --accept-loss",
    "orthant export my-world hills.glb --box -64,0,-64..64,128,64 --accept-loss",
  ],

  async run(args, context) {
    const [folder, file] = [args.at(0), args.at(1)];
    const box = args.parsed("box", parseBox);
    const names = new Map(Object.entries(parseNames(args.all("map"))));
    const isDry = args.has("dryRun");
    const { disk } = await openReadable(folder, context);
    // A writer may save the world during the reading.
    const made = await retryWhileWritten(disk, () => exportWorld(disk, { box, names }, file, context));
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
      const voxels = boxVolume(made.box);
      context.printJson({
        world: folder,
        output: file,
        format: made.format,
        made: !isDry,
        box: boxJson(made.box, made.dimensions),
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

interface Exported extends ExportedVoxelsFile {
  readonly dimensions: Dimensions;
}

async function exportWorld(
  disk: Disk,
  { box, names }: { readonly box: Box | undefined; readonly names: ReadonlyMap<string, string> },
  file: string,
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
    const { shape } = state;
    const chunks = new ChunkSource(save, state);
    const source: ExportSource = {
      shape,
      catalog: catalogOf(save.global.description),
      dataCodec: PLAIN_DATA,
      names,
      open: (column) => chunks.open(column),
      entitiesIn: (inside) => countEntities(save, inside),
      editedBox: () => boundsOfMade(save, shape),
    };
    const made = await exportVoxels(source, box, file, context);
    const remark = journalLoss(opened);
    const losses = remark === undefined ? [] : [{ what: "journal", count: 1, remark }];
    return { ...made, losses: [...losses, ...made.losses], dimensions: dimensionsOf(shape) };
  } finally {
    await save.close();
  }
}
