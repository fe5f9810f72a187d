import { OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import {
  type ConversionReport,
  type ConvertOptions,
  convertSave,
  type Dialect,
  openSave,
  verifySave,
} from "@orthant/formats";
import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { findFormat } from "../found-world.ts";
import { requireNewFolder } from "../new-folder.ts";
import { integerBetween } from "../parse/values.ts";
import { convertFromPixels, convertToPixels, PIXEL_TARGETS, type PixelWish } from "../pixel/convert.ts";
import { formatAmount, formatCount } from "../report/format.ts";
import { UsageError } from "../usage-error.ts";

const TARGETS: Readonly<Record<string, Dialect>> = { tree: "tree", flat: "flat" };

/** `orthant convert`. */
export const convertCommand: Command = {
  name: "convert",
  summary: "Write a world in another format, and tell what is lost",
  details: [
    "tree is what Orthant writes; flat is what the original Polychora opens; pxsw is a pixel world, and pxsw1 one that",
    "the original game opens. To or from a pixel world nothing is written that would lose something, unless that is",
    "accepted.",
    "The world is only read. The exit code is 3 when something cannot carry over.",
  ].join(" "),
  arguments: [
    { name: "<world>", description: "the folder of a world, or the file of a pixel world" },
    { name: "<folder>", description: "where the new world goes: empty, or not there yet" },
  ],
  options: [
    {
      flags: "--to <format>",
      description: "the format to write (default: the other one)",
      choices: [...Object.keys(TARGETS), ...Object.keys(PIXEL_TARGETS)],
    },
    { flags: "--generation <number>", description: "an older generation that is still there" },
    {
      flags: "--stand-in <material>",
      description: "what voxels get whose material the format lacks",
      default: "1",
    },
    {
      flags: "--accept-losses",
      description: "write a pixel world, or what it becomes, although something is lost",
    },
    { flags: "--dry-run", description: "say what would be lost, and write nothing" },
  ],
  examples: [
    "orthant convert my-world for-polychora --to flat",
    "orthant convert old-save my-world --dry-run",
    "orthant convert world.save my-world --accept-losses",
  ],

  async run(args, context) {
    const [folder, target] = [args.at(0), args.at(1)];
    const generation = args.parsed("generation", integerBetween(0, Number.MAX_SAFE_INTEGER));
    const standInMaterial = args.parsed("standIn", integerBetween(0, 255)) ?? 1;
    const isDry = args.has("dryRun");
    const wanted = args.text("to");
    const progress = context.progress("converting", "chunks");
    const advance = (): void => progress.advance(1);
    const options = {
      standInMaterial,
      acceptLosses: args.has("acceptLosses"),
      onChunk: advance,
      onLeaf: advance,
    };
    const wish = { target, isDry, options };
    const place = await context.openPlace(folder);
    const format = await findFormat(place, folder);
    let converted: Converted;
    try {
      if (format.format === "pixelworld") {
        const to = PIXEL_TARGETS[wanted ?? ""] ?? "tree";
        if (wanted === "flat") throw new UsageError("a pixel world becomes flat by way of tree");
        const report = await convertFromPixels(place.disk, format, to, wish, context);
        converted = { report, from: format.dialect, to, generation: null };
      } else {
        converted = await convertNative(place.disk, folder, generation, wanted, wish, context);
      }
    } finally {
      progress.end();
    }
    const { report, from, to } = converted;
    context.printJson({
      world: folder,
      to: target,
      made: !isDry,
      from,
      dialect: to,
      generation: converted.generation,
      ...report,
    });
    context.print(
      `${isDry ? "would convert" : "converted"} ${folder} (${from}) to ${target} (${to}): ${describe(report)}`,
    );
    for (const { what, count, remark } of report.losses) {
      context.print(`loss: ${what}${count === 1 ? "" : ` (${formatCount(count)})`}: ${remark}`);
    }
    return report.losses.length === 0 ? EXIT.ok : EXIT.loss;
  },
};

interface Converted {
  readonly report: ConversionReport;
  readonly from: string;
  readonly to: string;
  readonly generation: number | null;
}

async function convertNative(
  disk: Disk,
  folder: string,
  generation: number | undefined,
  wanted: string | undefined,
  wish: PixelWish & { readonly options: ConvertOptions },
  context: Context,
): Promise<Converted> {
  const save = await openSave(disk, generation === undefined ? {} : { generation });
  try {
    const from = save.dialect;
    const pixels = PIXEL_TARGETS[wanted ?? ""];
    if (pixels !== undefined) {
      const report = await convertToPixels(save, pixels, wish, context);
      return { report, from, to: pixels, generation: save.generation };
    }
    const to = TARGETS[wanted ?? ""] ?? (from === "tree" ? "flat" : "tree");
    if (to === from) throw new UsageError(`"${folder}" is ${to} already`);
    if (wish.isDry) await requireNewFolder(wish.target);
    const report = wish.isDry
      ? await convertSave(save, to, undefined, wish.options)
      : await context.makeFolder(wish.target, async (made) => {
          const converted = await convertSave(save, to, made, wish.options);
          const [fault] = (await verifySave(made)).filter(({ severity }) => severity === "damage");
          if (fault === undefined) return converted;
          throw new OrthantError("ORT_RECORD", `what was written is not whole: ${fault.message}`);
        });
    return { report, from, to, generation: save.generation };
  } finally {
    await save.close();
  }
}

function describe({ chunks, entities, players }: ConversionReport): string {
  return [
    formatAmount(chunks, "chunk"),
    formatAmount(entities, "entity", "entities"),
    formatAmount(players, "player"),
  ].join(", ");
}
