import { readFile } from "node:fs/promises";
import { openWorld } from "@orthant/world";
import type { Command } from "../command/command.ts";
import { parseNames } from "../command/parse.ts";
import { EXIT, UsageError } from "../command/usage.ts";
import { parseCorners } from "../edit/edit-line.ts";
import { EditSession } from "../edit/edit-session.ts";
import { FolderTarget } from "../edit/edit-target.ts";
import { BYTES_AS_THEY_ARE } from "../world/data-bytes.ts";
import { requireNative } from "../world/found-world.ts";

const STANDARD_INPUT = "/dev/stdin";

/** `orthant edit`. */
export const editCommand: Command = {
  name: "edit",
  summary: "Change many voxels of a world at once",
  details: [
    "An operation is written as in docs/reference/operations.md, such as replace stone 80%stone,20%gravel. It is done as a whole",
    "or, when the command is stopped or fails, not at all. Several operations stand in a file, one a line, besides lines such",
    'as "select box(0,60,0,16,72,16)", which says where the next ones are done, undo and redo, copy, cut and paste 10,64,-4,',
    "and save or load with a file for the clipboard, whose name ends with .clip or .schem. No server may have the world open.",
    "To undo an earlier command, see orthant restore.",
  ].join(" "),
  arguments: [
    { name: "<world>", description: "the folder of a world" },
    { name: "[operation]", description: 'such as "set stone" or "walls brick 2"; without it, --file' },
  ],
  usesGenerators: true,
  options: [
    {
      flags: "--in <selection>",
      description:
        "where: 0,60,0..16,72,16, the second corner exclusive, or a selection such as sphere(0,64,0,8)",
    },
    { flags: "--file <file>", description: "a file with an operation a line; - is the standard input" },
    { flags: "--dry-run", description: "say what would be changed, and change nothing" },
    {
      flags: "--map <names>",
      description:
        "a block of a clipboard, and its name in a saved file, or in the world when one is loaded; may be given several times",
      repeated: true,
    },
    { flags: "--accept-loss", description: "save a clipboard although the file cannot hold all of it" },
    { flags: "--force", description: "replace files of clipboards" },
  ],
  examples: [
    'orthant edit my-world "set stone" --in 0,60,0..16,61,16',
    'orthant edit my-world "replace stone 80%stone,20%gravel" --in "sphere(0,64,0,8)" --dry-run',
    "orthant edit my-world --file street.txt --json",
  ],

  async run(args, context) {
    const [folder, operation] = [args.at(0), args.at(1)];
    const file = args.text("file");
    if ((operation === "") === (file === undefined))
      throw new UsageError("give either an operation or --file with several");
    const lines = file === undefined ? [operation] : await linesOf(file);
    await requireNative(await context.openDisk(folder), folder);
    const isDry = args.has("dryRun");
    const world = await openWorld(await context.openDisk(folder), {
      readOnly: isDry,
      autosave: false,
      time: context.time,
      generators: context.generators,
      dataCodec: BYTES_AS_THEY_ARE,
    });
    try {
      const options = {
        isDry,
        acceptsLoss: args.has("acceptLoss"),
        replacesFiles: args.has("force"),
        names: parseNames(args.all("map")),
      };
      const session = new EditSession(new FolderTarget(world, isDry), options, context);
      const within = args.text("in");
      if (within !== undefined) session.select(parseCorners(within, world.dimensions));
      for (const [index, line] of lines.entries())
        await session.run(line, file === undefined ? undefined : index + 1);
      if (!isDry) await world.save();
      const { results, losses } = session;
      context.printJson({ world: folder, made: !isDry, operations: results, losses });
      return losses.length === 0 ? EXIT.ok : EXIT.loss;
    } finally {
      await world.close();
    }
  },
};

async function linesOf(file: string): Promise<readonly string[]> {
  return (await readFile(file === "-" ? STANDARD_INPUT : file, "utf8")).split("\n");
}
