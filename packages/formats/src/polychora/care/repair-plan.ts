import type { Box, RegionClock } from "@orthant/core";
import type { Finding } from "../../files/finding.ts";
import type { Dialect } from "../dialect.ts";
import type { SaveLimits } from "../limits.ts";
import type { BlobRef } from "../records/blob-ref.ts";
import type { GlobalRecord } from "../records/global-record.ts";
import type { PlayerRecord } from "../records/player-record.ts";
import type { GeneratedChunks } from "../records/stored-block.ts";
import { describeCell } from "../tree-index/cell.ts";

/** Something that a repair cannot bring back as it was. */
export interface Loss {
  readonly what: "blocks" | "entities" | "players" | "global" | "index" | "manifest";
  /** Where, when it is of one place. */
  readonly cell: Box | undefined;
  /** Why, and what takes its place. */
  readonly message: string;
}

/** Records that a repair copies. */
export interface RepairPiece {
  readonly ref: BlobRef;
  /** Takes only what lies in these chunks: an older record may reach further than the leaf that lost its own. */
  readonly clip: Box | undefined;
}

/** What a repair would do. Printing it is a dry run; applying it writes a new save and leaves the old one alone. */
export interface RepairPlan {
  readonly findings: readonly Finding[];
  readonly dialect: Dialect;
  /** The generation whose index is the base; `undefined` when there is none that can be read. */
  readonly generation: number | undefined;
  readonly createdMs: number;
  readonly limits: SaveLimits;
  readonly global: GlobalRecord;
  /** What the world's generator makes; `undefined` when nobody knows any more which one it had. */
  readonly generated: GeneratedChunks | undefined;
  /** The custom payload of a flat save. */
  readonly customPayload: Uint8Array;
  readonly players: readonly PlayerRecord[];
  readonly pieces: readonly RepairPiece[];
  readonly clocks: readonly RegionClock[];
  /** Cells whose content is not what the live generation had: the clocks of their regions are issued anew. */
  readonly changedCells: readonly Box[];
  readonly keptRecords: number;
  readonly keptBytes: number;
  readonly losses: readonly Loss[];
}

/** The plan for people, a line for each thing. */
export function describeRepair(plan: RepairPlan): readonly string[] {
  const { generation, dialect, keptRecords, keptBytes, players, losses } = plan;
  const base = generation === undefined ? "no index, records alone" : `the index of generation ${generation}`;
  return [
    `${dialect} save, from ${base}`,
    `keeps ${count(keptRecords, "record")} (${count(keptBytes, "byte")}) and ${count(players.length, "player")}`,
    ...losses.map(({ what, cell, message }) => {
      return cell === undefined
        ? `${what}: ${message}`
        : `${what} of the chunks ${describeCell(cell)}: ${message}`;
    }),
    losses.length === 0 ? "loses nothing" : count(losses.length, "loss"),
  ];
}

function count(amount: number, thing: "record" | "byte" | "player" | "loss"): string {
  if (amount === 1) return `1 ${thing}`;
  return `${amount} ${thing}${thing === "loss" ? "es" : "s"}`;
}
