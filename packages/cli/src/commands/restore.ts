import { type Box, dimensionsOf } from "@orthant/core";
import { boxVolume, chunksOfVoxels, regionsTouching } from "@orthant/core/lattice";
import { formatAmount, formatBox } from "@orthant/formats";
import type { Moment } from "@orthant/world";
import type { Command } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { parseBox, parseMoment } from "../command/parse.ts";
import { boxJson } from "../command/report.ts";
import { EXIT, type ExitCode, UsageError } from "../command/usage.ts";
import { KEEP_EVERY_GENERATION } from "../world/live-save.ts";
import { withEngine } from "../world/with-engine.ts";
import { copyWorld } from "./backup.ts";

/** `orthant restore`. */
export const restoreCommand: Command = {
  name: "restore",
  summary: "Copy a backup to a new folder, or roll back part of a world",
  details: [
    "Without --box, copies a backup and verifies the copy; the backup stays as it is. Refuses to restore a damaged",
    "backup. With --box and --from, resets the chunks that the box touches to a saved state that is kept;",
    "everything else stays as it is.",
  ].join(" "),
  arguments: [
    { name: "<backup>", description: "the folder of a backup; with --box, that of the world" },
    { name: "[folder]", description: "where the world goes: empty, or not there yet" },
  ],
  usesGenerators: true,
  options: [
    { flags: "--box <voxels>", description: "the voxels to roll back, such as 0,0,0,0..64,64,64,64" },
    { flags: "--from <state>", description: "a generation, its name, a date, or an age such as 10m or 3d" },
    { flags: "--dry-run", description: "say what would be done, and write nothing" },
  ],
  examples: [
    "orthant restore backups/monday my-world",
    "orthant restore my-world --box 0,0,0,0..64,64,64,64 --from 3d",
    "orthant restore my-world --box -8,0,-8..8,16,8 --from before-the-flood",
  ],

  run(args, context) {
    const [from, to] = [args.at(0), args.at(1)];
    const box = args.parsed("box", parseBox);
    const moment = args.parsed("from", parseMoment(context.time.nowMs()));
    const isDry = args.has("dryRun");
    if (box !== undefined && moment !== undefined) {
      if (to !== "")
        throw new UsageError("with --box a place of the world itself is rolled back: name one folder");
      return rollBack({ folder: from, box, moment, isDry }, context);
    }
    if (box !== undefined || moment !== undefined)
      throw new UsageError("--box and --from belong together: give both, or neither");
    if (to === "") throw new UsageError("name the folder where the world goes, or a --box and --from");
    const request = { from, to, isDry, generation: undefined };
    return copyWorld(request, { did: "restored", would: "would restore" }, context);
  },
};

interface RollBack {
  readonly folder: string;
  /** In voxels. */
  readonly box: Box;
  readonly moment: Moment;
  readonly isDry: boolean;
}

function rollBack({ folder, box, moment, isDry }: RollBack, context: Context): Promise<ExitCode> {
  const options = { readOnly: isDry, retention: KEEP_EVERY_GENERATION };
  return withEngine(folder, options, context, async (world) => {
    const chunks = chunksOfVoxels(world.shape, box);
    const dimensions = dimensionsOf(world.shape);
    const generation = await world.history.generationAt(moment);
    const edit = isDry ? undefined : await world.restoreRegion(chunks, generation);
    context.printJson({
      world: folder,
      box: boxJson(chunks, dimensions),
      generation,
      made: !isDry,
      chunks: edit?.chunks.length ?? null,
    });
    const where = `chunks ${formatBox(chunks, dimensions)} of ${folder}`;
    context.print(
      edit === undefined
        ? `would restore ${where} from generation ${generation}, in ${formatAmount(boxVolume(regionsTouching(chunks)), "region")}`
        : `restored ${where} from generation ${generation}: ${formatAmount(edit.chunks.length, "chunk")} changed`,
    );
    return EXIT.ok;
  });
}
