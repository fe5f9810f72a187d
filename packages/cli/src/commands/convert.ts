import { OrthantError } from "@orthant/core";
import { type ConversionReport, convertSave, type Dialect, openSave, verifySave } from "@orthant/formats";
import type { Command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { requireFormat } from "../found-world.ts";
import { requireNewFolder } from "../new-folder.ts";
import { integerBetween } from "../parse/values.ts";
import { formatAmount, formatCount } from "../report/format.ts";
import { UsageError } from "../usage-error.ts";

const TARGETS: Readonly<Record<string, Dialect>> = { tree: "tree", flat: "flat" };

/** `orthant convert`. */
export const convertCommand: Command = {
  name: "convert",
  summary: "Write a world in another format, and tell what is lost",
  details: [
    "tree is what Orthant writes; flat is what the original Polychora opens.",
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
      choices: Object.keys(TARGETS),
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
  ],

  async run(args, context) {
    const [folder, target] = [args.at(0), args.at(1)];
    const generation = args.parsed("generation", integerBetween(0, Number.MAX_SAFE_INTEGER));
    const standInMaterial = args.parsed("standIn", integerBetween(0, 255)) ?? 1;
    const isDry = args.has("dryRun");
    const disk = await context.openDisk(folder);
    await requireFormat(disk, folder);
    const save = await openSave(disk, generation === undefined ? {} : { generation });
    try {
      const to = TARGETS[args.text("to") ?? ""] ?? (save.dialect === "tree" ? "flat" : "tree");
      if (to === save.dialect) throw new UsageError(`"${folder}" is ${to} already`);
      const progress = context.progress("converting", "leaves", save.index.totals.leaves);
      const options = { standInMaterial, onLeaf: () => progress.advance(1) };
      let report: ConversionReport;
      try {
        if (isDry) await requireNewFolder(target);
        report = isDry
          ? await convertSave(save, to, undefined, options)
          : await context.makeFolder(target, async (made) => {
              const converted = await convertSave(save, to, made, options);
              const [fault] = (await verifySave(made)).filter(({ severity }) => severity === "damage");
              if (fault === undefined) return converted;
              throw new OrthantError("ORT_RECORD", `what was written is not whole: ${fault.message}`);
            });
      } finally {
        progress.end();
      }
      context.printJson({
        world: folder,
        to: target,
        made: !isDry,
        from: save.dialect,
        dialect: to,
        generation: save.generation,
        ...report,
      });
      context.print(
        `${isDry ? "would convert" : "converted"} ${folder} (${save.dialect}) to ${target} (${to}): ${describe(report)}`,
      );
      for (const { what, count, remark } of report.losses) {
        context.print(`loss: ${what}${count === 1 ? "" : ` (${formatCount(count)})`}: ${remark}`);
      }
      return report.losses.length === 0 ? EXIT.ok : EXIT.loss;
    } finally {
      await save.close();
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
