import { type ChunkShape, chunkShape } from "@orthant/core";
import { isWhole } from "@orthant/disk/files";
import type { Command } from "../command/command.ts";
import { requireOutside } from "../command/files.ts";
import { parsePosition } from "../command/parse.ts";
import { findingJson } from "../command/report.ts";
import { EXIT, UsageError } from "../command/usage.ts";
import { findWorld, formatOptions, formatRequest, unsupported } from "../world/found-world.ts";
import { dimensionsOfDamaged } from "../world/live-save.ts";

/** `orthant repair`. */
export const repairCommand: Command = {
  name: "repair",
  summary: "Recover a damaged world into a new folder",
  details: [
    "Shows what it would keep and what is lost; with --to it also writes the repaired world, in a folder of its own.",
    "The damaged world is only read. The exit code is 3 when something is lost.",
  ].join(" "),
  arguments: [
    { name: "<world>", description: "the folder of the damaged world, or the file of a pixel world" },
  ],
  usesGenerators: true,
  options: [
    { flags: "--to <folder>", description: "write the repaired world here: empty, or not there yet" },
    { flags: "--dry-run", description: "only show the plan, which is what happens without --to" },
    {
      flags: "--chunk-shape <x,y,z,w>",
      description: "voxels of a chunk, for a world that lost the files that say it",
    },
    ...formatOptions(),
  ],
  examples: ["orthant repair my-world", "orthant repair my-world --to repaired"],

  async run(args, context) {
    const folder = args.at(0);
    const target = args.text("to");
    const shape = args.parsed("chunkShape", parseShape);
    const progress = context.progress("reading", "bytes");
    const found = await findWorld(folder, context, (bytes) => progress.advance(bytes));
    const request = { ...formatRequest(found, args, context), chunkShape: shape };
    const { format } = found;
    if (format.planRepair === undefined) throw unsupported(found);
    if (target !== undefined) requireOutside(target, folder);
    const writes = target !== undefined && !args.has("dryRun");
    const plan = await format.planRepair(request).finally(() => progress.end());
    if (writes) await context.makeFolder(target, (made) => plan.apply(made));
    const { facts, findings, lines, hasLosses } = plan;
    const dimensions = findings.length === 0 ? undefined : await dimensionsOfDamaged(found.disk);
    const listed = findings.map((finding) => findingJson(finding, dimensions));
    context.printJson({ world: folder, wrote: writes ? target : null, ...facts, findings: listed });
    if (isWhole(findings)) context.print("nothing is damaged");
    context.printAll(lines);
    context.print(writes ? `wrote ${target}` : "nothing was written; --to FOLDER writes it");
    return hasLosses ? EXIT.loss : EXIT.ok;
  },
};

function parseShape(text: string): ChunkShape {
  const extents = parsePosition(text);
  if (extents.some((extent) => extent < 1))
    throw new UsageError(`"${text}" is not a shape; write it as 8,8,8,8`);
  return chunkShape(extents);
}
