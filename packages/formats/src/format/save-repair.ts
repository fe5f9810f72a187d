import { dimensionsOf } from "@orthant/core";
import type { RepairPlan } from "@orthant/save";
import type { WorldRepair } from "./format.ts";
import { formatAmount, formatBox, formatBytes } from "./text.ts";

/** The part of a journal in a repair. */
export interface RepairedJournal {
  readonly changes: number;
  readonly losses: readonly string[];
}

/** Describes the repair of a save in packs: ours, or a flat one. */
export function describeSaveRepair(
  plan: Pick<
    RepairPlan,
    "findings" | "generation" | "global" | "keptRecords" | "keptBytes" | "players" | "losses"
  >,
  journal: RepairedJournal,
): Omit<WorldRepair, "apply"> {
  const { findings, generation, global, keptRecords, keptBytes, players } = plan;
  const dimensions = dimensionsOf(global.description.chunkShape);
  const losses: readonly {
    readonly what: string;
    readonly chunks: RepairPlan["losses"][number]["chunks"];
    readonly message: string;
  }[] = [
    ...plan.losses,
    ...journal.losses.map((message) => ({ what: "journal", chunks: undefined, message })),
  ];
  const source =
    generation === undefined
      ? "the records alone, without an index"
      : `the index of generation ${generation}`;
  const kept = `${formatAmount(keptRecords, "record")} (${formatBytes(keptBytes)})`;
  return {
    findings,
    facts: {
      generation: generation ?? null,
      keptRecords,
      keptBytes,
      players: players.length,
      journalChanges: journal.changes,
      losses: losses.map(({ what, chunks, message }) => ({ what, chunks: chunks ?? null, message })),
    },
    lines: [
      `from ${source}`,
      `keeps ${kept} and ${formatAmount(players.length, "player")}`,
      ...(journal.changes === 0 ? [] : [`keeps ${formatAmount(journal.changes, "change")} from the journal`]),
      ...losses.map(
        ({ what, chunks, message }) =>
          `loss: ${what}${chunks === undefined ? "" : ` in ${formatBox(chunks, dimensions)}`}: ${message}`,
      ),
      losses.length === 0 ? "loses nothing" : formatAmount(losses.length, "loss", "losses"),
    ],
    hasLosses: losses.length > 0,
  };
}
