import { type Box, OrthantError } from "@orthant/core";
import { chunksOfVoxels } from "@orthant/core/engine";
import type { Disk } from "@orthant/disk";
import { type ConversionLoss, formatAmount, formatBox, formatBytes, formatCount } from "@orthant/formats";
import type { Save } from "@orthant/save";
import { openSaveWithJournal, type SaveWithJournal } from "@orthant/world/engine";
import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import { ExportLosses } from "../export/export-losses.ts";
import { type ExportedVoxels, exportSize, readVoxels } from "../export/exported-voxels.ts";
import { glbOf } from "../export/glb.ts";
import { schemOf } from "../export/schem.ts";
import { voxOf } from "../export/vox.ts";
import { makeFile } from "../files.ts";
import { openReadable } from "../found-world.ts";
import { journalLoss, retryWhileWritten } from "../live-save.ts";
import { boundsOfMade } from "../map/view.ts";
import { parseBox } from "../parse.ts";
import { neededGenerator, untouchedState } from "../stored-content.ts";
import { EXIT, UsageError } from "../usage.ts";

type Writer = (voxels: ExportedVoxels, losses: ExportLosses) => Uint8Array;

/** Writers by the end of the file's name. */
const WRITERS: ReadonlyMap<string, Writer> = new Map([
  [".schem", schemOf],
  [".vox", voxOf],
  [".glb", glbOf],
]);

/** `orthant export`. */
export const exportCommand: Command = {
  name: "export",
  summary: "Write part of a world for another program, and list losses",
  details: [
    "The end of the file's name says what is written: .schem is a schematic of Sponge (WorldEdit and others open it),",
    ".vox is for MagicaVoxel, and .glb is glTF 2.0, which Blender, browsers and engines show.",
    "Voxels without an edit are made by the generator. The command first lists what the other format cannot hold,",
    "and writes nothing unless --accept-loss allows that; then the exit code is 3.",
  ].join(" "),
  arguments: [
    { name: "<world>", description: "the folder of a world, or a file that convert reads" },
    { name: "<file>", description: "what to write: a name that ends with .schem, .vox or .glb" },
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
    "orthant export my-world hills.glb --box -64,0,-64..64,128,64 --accept-loss",
  ],

  async run(args, context) {
    const [folder, file] = [args.at(0), args.at(1)];
    const [ending, writer] = [...WRITERS].find(([suffix]) => file.toLowerCase().endsWith(suffix)) ?? [];
    if (ending === undefined || writer === undefined) {
      throw new UsageError(
        `"${file}" ends with none of ${[...WRITERS.keys()].join(", ")}, which say what is written`,
      );
    }
    const box = args.parsed("box", parseBox);
    const isDry = args.has("dryRun");
    const { disk } = await openReadable(folder, context);
    // A writer may save the world during the reading.
    const made = await retryWhileWritten(disk, () => exportVoxels(disk, box, writer, context));
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
        format: ending.slice(1),
        made: !isDry,
        box: made.box,
        voxels,
        bytes: bytes.length,
        losses,
      });
      const did = isDry ? "would write" : "wrote";
      context.print(
        `${did} ${file}: voxels ${formatBox(made.box)}, ${formatAmount(voxels, "voxel")}, ${formatBytes(bytes.length)}`,
      );
    }
    for (const { what, count, remark } of losses) {
      context.print(`loss: ${what}${count === 1 ? "" : ` (${formatCount(count)})`}: ${remark}`);
    }
    if (isRefused) {
      const what = losses.map((loss) => loss.what).join(", ");
      throw new OrthantError("ORT_LOSS", `nothing was written, because it would lose: ${what}`);
    }
    return losses.length === 0 ? EXIT.ok : EXIT.loss;
  },
};

interface Exported {
  readonly box: Box;
  readonly size: ExportedVoxels["size"];
  readonly bytes: Uint8Array;
  readonly losses: readonly ConversionLoss[];
}

async function exportVoxels(
  disk: Disk,
  asked: Box | undefined,
  writer: Writer,
  context: Context,
): Promise<Exported> {
  const opened = await openSaveWithJournal(disk, { generators: context.generators });
  try {
    return await exportOpen(opened, asked, writer, context);
  } finally {
    await opened.save.close();
  }
}

async function exportOpen(
  opened: SaveWithJournal,
  asked: Box | undefined,
  writer: Writer,
  context: Context,
): Promise<Exported> {
  const { save } = opened;
  const state = untouchedState(save, context.generators);
  if (state === undefined) {
    const needed = neededGenerator(save, context.generators);
    throw new OrthantError("ORT_GENERATOR_UNKNOWN", `the world cannot be exported without ${needed}`);
  }
  const box = asked ?? (await boundsOfMade(save, state.shape));
  if (box === undefined) throw new UsageError("this world has no edits; name a --box");
  const size = exportSize(box);
  const losses = new ExportLosses();
  const remark = journalLoss(opened);
  if (remark !== undefined) losses.add("journal", remark);
  losses.add("entities", "only voxels are written", await entitiesIn(save, box));
  const { min, max } = chunksOfVoxels(state.shape, box);
  const progress = context.progress("reading", "columns", (max[0] - min[0]) * (max[2] - min[2]));
  try {
    const voxels = await readVoxels(save, state, box, () => progress.advance(1));
    return { box, size, bytes: writer(voxels, losses), losses: losses.list() };
  } finally {
    progress.end();
  }
}

async function entitiesIn(save: Save, box: Box): Promise<number> {
  let count = 0;
  const chunks = chunksOfVoxels(save.global.description.chunkShape, box);
  for (const leaf of await save.leavesIn(chunks)) {
    for (const { position } of await save.readEntities(leaf)) {
      if (position.every((at, axis) => at >= (box.min[axis] as number) && at < (box.max[axis] as number)))
        count++;
    }
  }
  return count;
}
