import { OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { convertToFlat, convertToV3, type DetectedFormat, verifyFlatSave } from "@orthant/formats";
import { type Save, verifySave } from "@orthant/save";
import type { SaveWithJournal } from "@orthant/world";
import type { Arguments, Command } from "../command.ts";
import type { Context } from "../context.ts";
import { requireNewFolder, requireOutside } from "../files.ts";
import { conversionFromFlat } from "../flat/conversion.ts";
import { describeFormat, findWorld, requireKept } from "../found-world.ts";
import { conversionFromLegacy } from "../legacy/conversion.ts";
import { journalLoss, openAskedSave } from "../live-save.ts";
import { conversionFromMarsMiner, conversionToMarsMiner } from "../marsminer/conversion.ts";
import { MARSMINER_OPTIONS, marsMinerOptions, refuseMarsMinerOptions } from "../marsminer/options.ts";
import type { ConversionOutcome, OpenConversion } from "../open-conversion.ts";
import { integerBetween } from "../parse.ts";
import { conversionFromPixels, conversionToPixels } from "../pixel/conversion.ts";
import { formatAmount, formatCount } from "../report.ts";
import { conversionFromTiles, conversionToTiles } from "../tiles/conversion.ts";
import { EXIT, UsageError } from "../usage.ts";

const TARGETS = ["tree", "v3", "flat", "marsminer", "pxsw", "pxsw1", "tilesave"] as const;
type Target = (typeof TARGETS)[number];

/** `orthant convert`. */
export const convertCommand: Command = {
  name: "convert",
  summary: "Write a world in another format, and tell what is lost",
  details: [
    "tree is what Orthant writes; v3 is the same as the specification has it, without clocks and compression; flat is what the original Polychora opens; marsminer is what MarsMiner wrote;",
    "pxsw is a pixel world, and pxsw1 one that the original game opens; tilesave is the world.sav of a tile game.",
    "The world is only read. What cannot carry over is listed first, and nothing is written unless it is accepted;",
    "then the exit code is 3.",
  ].join(" "),
  arguments: [
    { name: "<world>", description: "the folder of a world, or the file of a pixel or .v4dw world" },
    { name: "<folder>", description: "where the new world goes: empty, or not there yet" },
  ],
  options: [
    {
      flags: "--to <format>",
      description: "the format to write (default: flat from tree, else tree)",
      choices: TARGETS,
    },
    { flags: "--accept-loss", description: "write it although something is lost" },
    { flags: "--generation <number>", description: "an older generation that is still there" },
    {
      flags: "--stand-in <block>",
      description: "what voxels get whose block the format lacks",
      default: "1",
    },
    ...MARSMINER_OPTIONS,
    {
      flags: "--state <address>",
      description: "an older state of a MarsMiner world, as info --count tells it",
    },
    { flags: "--dry-run", description: "say what would be lost, and write nothing" },
  ],
  examples: [
    "orthant convert my-world for-polychora --to flat --accept-loss",
    "orthant convert old-save my-world --dry-run",
    "orthant convert world.save my-world --accept-loss",
    "orthant convert world.v4dw my-world",
    "orthant convert my-world for-others --to v3 --accept-loss",
    "orthant convert tile-game my-world --accept-loss",
  ],

  async run(args, context) {
    const [folder, target] = [args.at(0), args.at(1)];
    const isDry = args.has("dryRun");
    const conversion = await openConversion(args, context, folder);
    try {
      requireOutside(target, folder);
      if (isDry) await requireNewFolder(target);
      const would = await withProgress("looking", conversion, context, (onStep) =>
        conversion.run(undefined, onStep),
      );
      const isRefused = !isDry && would.losses.length > 0 && !args.has("acceptLoss");
      const outcome =
        isDry || isRefused
          ? would
          : await withProgress("converting", conversion, context, (onStep) =>
              context.makeFolder(target, (made) => convertInto(made, conversion, onStep)),
            );
      const { from, to, generation = null } = conversion;
      if (!isRefused) {
        context.printJson({
          world: folder,
          to: target,
          made: !isDry,
          from,
          dialect: to,
          generation,
          ...outcome,
        });
        const did = isDry ? "would convert" : "converted";
        context.print(`${did} ${folder} (${from}) to ${target} (${to}): ${describe(outcome)}`);
      }
      for (const { what, count, remark } of outcome.losses) {
        context.print(`loss: ${what}${count === 1 ? "" : ` (${formatCount(count)})`}: ${remark}`);
      }
      if (isRefused) throw refusal(outcome);
      return outcome.losses.length === 0 ? EXIT.ok : EXIT.loss;
    } finally {
      await conversion.close();
    }
  },
};

async function openConversion(args: Arguments, context: Context, folder: string): Promise<OpenConversion> {
  const to = TARGETS.find((name) => name === args.text("to"));
  const { disk, format } = await findWorld(folder, context);
  if (to !== "marsminer") refuseMarsMinerOptions(args, folder, format);
  const hasGenerations = format.format === "polychora" || format.format === "polychora-flat";
  if (!hasGenerations && args.text("generation") !== undefined) {
    throw new UsageError(`"${folder}" is a world of ${describeFormat(format)}, which has no --generation`);
  }
  switch (format.format) {
    case "pixelworld":
      return conversionFromPixels(disk, format, requireTarget(to, ["tree", "pxsw", "pxsw1"], format));
    case "marsminer":
      requireTarget(to, ["tree"], format);
      return conversionFromMarsMiner(disk, marsMinerOptions(args), args.text("state"));
    case "tilesave":
      requireTarget(to, ["tree"], format);
      return conversionFromTiles(disk, context);
    case "v4dw":
      requireTarget(to, ["tree"], format);
      return conversionFromLegacy(disk, format, context);
    case "polychora-flat":
      requireTarget(to, ["tree"], format);
      return conversionFromFlat(disk, await askedGeneration(disk, args));
    case "polychora":
      return conversionOfNative(disk, to, args);
  }
}

/** Returns the target of a conversion: the one asked for if it is possible, and the first by default. */
function requireTarget<Wanted extends Target>(
  to: Target | undefined,
  possible: readonly [Wanted, ...Wanted[]],
  format: DetectedFormat,
): Wanted {
  const wanted = to === undefined ? possible[0] : possible.find((name) => name === to);
  if (wanted !== undefined) return wanted;
  throw new UsageError(`a world of ${describeFormat(format)} becomes a tree first, and then ${to}`);
}

/** Returns the requested generation, which is still there; `undefined` for the live one. */
async function askedGeneration(disk: Disk, args: Arguments): Promise<number | undefined> {
  const generation = args.parsed("generation", integerBetween(0, Number.MAX_SAFE_INTEGER));
  if (generation !== undefined) await requireKept(disk, generation);
  return generation;
}

async function conversionOfNative(
  disk: Disk,
  to: Target | undefined,
  args: Arguments,
): Promise<OpenConversion> {
  const opened = await openAskedSave(disk, await askedGeneration(disk, args));
  return withJournalLoss(opened, await nativeConversion(opened, to, args));
}

/** Adds the journal changes that cannot be replayed to the losses of the conversion. */
function withJournalLoss(opened: SaveWithJournal, conversion: OpenConversion): OpenConversion {
  const remark = journalLoss(opened);
  if (remark === undefined) return conversion;
  return {
    ...conversion,
    async run(target, onStep) {
      const outcome = await conversion.run(target, onStep);
      return { ...outcome, losses: [{ what: "journal", count: 1, remark }, ...outcome.losses] };
    },
  };
}

async function nativeConversion(
  { save, generation }: SaveWithJournal,
  to: Target | undefined,
  args: Arguments,
): Promise<OpenConversion> {
  const standInBlock = args.parsed("standIn", integerBetween(0, 255)) ?? 1;
  const wanted = to ?? "flat";
  if (wanted === "marsminer") return { ...conversionToMarsMiner(save, marsMinerOptions(args)), generation };
  if (wanted === "tilesave") return { ...conversionToTiles(save), generation };
  if (wanted === "pxsw" || wanted === "pxsw1")
    return { ...conversionToPixels(save, wanted, standInBlock), generation };
  if (wanted === "v3") return { ...conversionToV3(save), generation };
  if (wanted === "tree") {
    await save.close();
    throw new UsageError(`"${args.at(0)}" is ${wanted} already; --to chooses another format`);
  }
  return {
    from: "tree",
    to: "flat",
    unit: "leaves",
    steps: save.index.totals.leaves,
    generation,
    run: (made, onLeaf) => convertToFlat(save, made, { standInBlock, onLeaf }),
    verify: (made) => verifyFlatSave(made),
    close: () => save.close(),
  };
}

/** For programs that implement only the specification of version 3. */
function conversionToV3(save: Save): OpenConversion {
  return {
    from: "tree",
    to: "v3",
    unit: "leaves",
    steps: save.index.totals.leaves,
    run: (made, onLeaf) => convertToV3(save, made, { onLeaf }),
    verify: (made) => verifySave(made),
    close: () => save.close(),
  };
}

async function convertInto(
  made: Disk,
  conversion: OpenConversion,
  onStep: () => void,
): Promise<ConversionOutcome> {
  const converted = await conversion.run(made, onStep);
  const [fault] = (await conversion.verify(made)).filter(({ severity }) => severity === "damage");
  if (fault === undefined) return converted;
  throw new OrthantError("ORT_RECORD", `what was written is not whole: ${fault.message}`);
}

async function withProgress<Value>(
  label: string,
  { unit, steps }: OpenConversion,
  context: Context,
  work: (onStep: () => void) => Promise<Value>,
): Promise<Value> {
  const progress = context.progress(label, unit, steps);
  try {
    return await work(() => progress.advance(1));
  } finally {
    progress.end();
  }
}

function refusal({ losses }: ConversionOutcome): OrthantError {
  const what = losses.map((loss) => loss.what).join(", ");
  return new OrthantError("ORT_LOSS", `nothing was written, because it would lose: ${what}`);
}

function describe({ chunks, entities = 0, players = 0 }: ConversionOutcome): string {
  return [
    formatAmount(chunks, "chunk"),
    formatAmount(entities, "entity", "entities"),
    formatAmount(players, "player"),
  ].join(", ");
}
