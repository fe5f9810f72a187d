import type { ConversionReport } from "@orthant/formats";
import type { Command } from "../command.ts";
import { conversionOfTiles, conversionOfWorld, TARGETS } from "../convert/conversion.ts";
import { EXIT } from "../exit-codes.ts";
import { findFormat } from "../found-world.ts";
import { requireNewFolder } from "../new-folder.ts";
import { integerBetween } from "../parse/values.ts";
import { formatAmount, formatCount } from "../report/format.ts";

/** `orthant convert`. */
export const convertCommand: Command = {
  name: "convert",
  summary: "Write a world in another format, and tell what is lost",
  details: [
    "tree is what Orthant writes; flat is what the original Polychora opens; tilesave is the world.sav of a tile game.",
    "The world is only read. The exit code is 3 when something cannot carry over.",
  ].join(" "),
  arguments: [
    { name: "<world>", description: "the folder of a world" },
    { name: "<folder>", description: "where the new world goes: empty, or not there yet" },
  ],
  options: [
    {
      flags: "--to <format>",
      description: "the format to write (default: the other one)",
      choices: TARGETS,
    },
    { flags: "--generation <number>", description: "an older generation that is still there" },
    {
      flags: "--stand-in <material>",
      description: "what voxels get whose material the format lacks",
      default: "1",
    },
    { flags: "--dry-run", description: "say what would be lost, and write nothing" },
  ],
  examples: [
    "orthant convert my-world for-polychora --to flat",
    "orthant convert old-save my-world --dry-run",
    "orthant convert tile-game my-world",
  ],

  async run(args, context) {
    const [folder, target] = [args.at(0), args.at(1)];
    const wishes = {
      folder,
      to: args.text("to"),
      generation: args.parsed("generation", integerBetween(0, Number.MAX_SAFE_INTEGER)),
      standInMaterial: args.parsed("standIn", integerBetween(0, 255)) ?? 1,
    };
    const isDry = args.has("dryRun");
    const disk = await context.openDisk(folder);
    const { format } = await findFormat(disk, folder);
    const conversionOf = format === "tilesave" ? conversionOfTiles : conversionOfWorld;
    const conversion = await conversionOf(disk, wishes, context);
    try {
      if (isDry) await requireNewFolder(target);
      const report = isDry
        ? await conversion.run(undefined)
        : await context.makeFolder(target, (made) => conversion.run(made));
      const { from, to, generation = null } = conversion;
      context.printJson({
        world: folder,
        to: target,
        made: !isDry,
        from,
        dialect: to,
        generation,
        ...report,
      });
      context.print(
        `${isDry ? "would convert" : "converted"} ${folder} (${from}) to ${target} (${to}): ${describe(report)}`,
      );
      for (const { what, count, remark } of report.losses) {
        context.print(`loss: ${what}${count === 1 ? "" : ` (${formatCount(count)})`}: ${remark}`);
      }
      return report.losses.length === 0 ? EXIT.ok : EXIT.loss;
    } finally {
      await conversion.close();
    }
  },
};

function describe({ chunks, entities, players }: ConversionReport): string {
  return [
    formatAmount(chunks, "chunk"),
    formatAmount(entities, "entity", "entities"),
    formatAmount(players, "player"),
  ].join(", ");
}
