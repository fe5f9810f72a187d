import { type ChunkShape, chunkShape } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { applyFlatRepair, openFlatSave, planFlatRepair } from "@orthant/formats";
import { applyRepair, openSave, planRepair, type RepairPlan } from "@orthant/save";
import { type JournalRepair, planJournalRepair } from "@orthant/world";
import type { Command } from "../command.ts";
import { requireOutside } from "../files.ts";
import { findWorld, unreadable } from "../found-world.ts";
import { MARSMINER_OPTIONS, marsMinerOptions, refuseMarsMinerOptions } from "../marsminer/options.ts";
import { mendMarsMiner } from "../marsminer/repair.ts";
import { parsePosition } from "../parse.ts";
import { mendPixelWorld } from "../pixel/repair.ts";
import { findingJson } from "../report/finding.ts";
import { formatAmount, formatBox, formatBytes } from "../report.ts";
import { EXIT, UsageError } from "../usage.ts";

/** `orthant repair`. */
export const repairCommand: Command = {
  name: "repair",
  summary: "Bring back what can be brought back of a damaged world",
  details: [
    "Shows what it would keep and what is lost; with --to it also writes the mended world, in a folder of its own.",
    "The damaged world is only read. The exit code is 3 when something is lost.",
  ].join(" "),
  arguments: [
    { name: "<world>", description: "the folder of the damaged world, or the file of a pixel world" },
  ],
  options: [
    { flags: "--to <folder>", description: "write the mended world here: empty, or not there yet" },
    { flags: "--dry-run", description: "only show the plan, which is what happens without --to" },
    {
      flags: "--chunk-shape <x,y,z,w>",
      description: "voxels of a chunk, for a world that lost the files that say it",
    },
    ...MARSMINER_OPTIONS,
  ],
  examples: ["orthant repair my-world", "orthant repair my-world --to mended"],

  async run(args, context) {
    const folder = args.at(0);
    const target = args.text("to");
    const shape = args.parsed("chunkShape", parseShape);
    const progress = context.progress("reading", "bytes");
    const { disk, format } = await findWorld(folder, context, (bytes) => progress.advance(bytes));
    refuseMarsMinerOptions(args, folder, format);
    if (format.format === "tilesave" || format.format === "v4dw") {
      progress.end();
      throw unreadable(folder, format);
    }
    const writes = target !== undefined && !args.has("dryRun");
    if (target !== undefined) requireOutside(target, folder);
    const request = { folder, disk, target: writes ? target : undefined };
    if (format.format === "pixelworld") {
      return mendPixelWorld(request, format, context).finally(() => progress.end());
    }
    if (format.format === "marsminer") {
      return mendMarsMiner(request, marsMinerOptions(args), context).finally(() => progress.end());
    }
    const planned = format.format === "polychora-flat" ? planFlat(disk) : planAll(disk, shape);
    const { plan, journal, apply } = await planned.finally(() => progress.end());
    if (writes) await context.makeFolder(target, apply);
    const { keptRecords, keptBytes, generation, findings } = plan;
    const losses: readonly ListedLoss[] = [
      ...plan.losses,
      ...journal.losses.map((message) => ({ what: "journal", cell: undefined, message }) as const),
    ];
    context.printJson({
      world: folder,
      wrote: writes ? target : null,
      generation: generation ?? null,
      keptRecords,
      keptBytes,
      players: plan.players.length,
      journalChanges: journal.changes,
      losses: losses.map(({ what, cell, message }) => ({ what, chunks: cell ?? null, message })),
      findings: findings.map(findingJson),
    });
    if (isWhole(findings)) context.print("nothing is damaged");
    context.printAll(planLines(plan, journal, losses));
    context.print(writes ? `wrote ${target}` : "nothing was written; --to FOLDER writes it");
    return losses.length === 0 ? EXIT.ok : EXIT.loss;
  },
};

/** A loss of the repair, in the save or in its journal. */
type ListedLoss = Omit<RepairPlan["losses"][number], "what"> & { readonly what: string };

/** A repair of a save and its journal. */
interface PlannedRepair {
  readonly plan: Pick<
    RepairPlan,
    "findings" | "generation" | "keptRecords" | "keptBytes" | "players" | "losses"
  >;
  readonly journal: Pick<JournalRepair, "changes" | "losses">;
  /** Writes the repaired world, and proves that it can be opened. */
  apply(made: Disk): Promise<void>;
}

/** Plans the repair of the world and of its journal since the last save. */
async function planAll(disk: Disk, shape: ChunkShape | undefined): Promise<PlannedRepair> {
  const plan = await planRepair(disk, shape === undefined ? {} : { chunkShape: shape });
  const journal = await planJournalRepair(disk, plan);
  return {
    plan,
    journal,
    async apply(made) {
      await applyRepair(disk, plan, made);
      await journal.applyTo(made);
      await (await openSave(made)).close();
    },
  };
}

async function planFlat(disk: Disk): Promise<PlannedRepair> {
  const plan = await planFlatRepair(disk);
  return {
    plan,
    journal: { changes: 0, losses: [] },
    async apply(made) {
      await applyFlatRepair(disk, plan, made);
      await (await openFlatSave(made)).close();
    },
  };
}

function planLines(
  { generation, keptRecords, keptBytes, players }: PlannedRepair["plan"],
  { changes }: PlannedRepair["journal"],
  losses: readonly ListedLoss[],
): readonly string[] {
  return [
    `from ${generation === undefined ? "the records alone, without an index" : `the index of generation ${generation}`}`,
    `keeps ${formatAmount(keptRecords, "record")} (${formatBytes(keptBytes)}) and ${formatAmount(players.length, "player")}`,
    ...(changes === 0 ? [] : [`keeps ${formatAmount(changes, "change")} from the journal`]),
    ...losses.map(({ what, cell, message }) => {
      return `loss: ${what}${cell === undefined ? "" : ` in ${formatBox(cell)}`}: ${message}`;
    }),
    losses.length === 0 ? "loses nothing" : formatAmount(losses.length, "loss", "losses"),
  ];
}

function parseShape(text: string): ChunkShape {
  const extents = parsePosition(text);
  if (extents.some((extent) => extent < 1)) throw new UsageError(`"${text}" is no shape; one is 8,8,8,8`);
  return chunkShape(extents);
}
