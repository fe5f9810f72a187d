import type { Box, RegionClock } from "@orthant/core";
import type { Finding } from "@orthant/disk/files";
import type { BlobRef } from "../codec/blob-ref.ts";
import type { Dialect } from "../codec/dialect.ts";
import type { GlobalRecord } from "../codec/global-record.ts";
import type { SaveLimits } from "../codec/limits.ts";
import type { StoredPlayer } from "../codec/player-record.ts";
import type { GeneratedChunks } from "../codec/stored-block.ts";
import { describeCell } from "../index/cell.ts";

/** Something that a repair cannot restore. */
export interface Loss {
  readonly what: "blocks" | "entities" | "players" | "global" | "index" | "manifest";
  /** The affected cell, if the loss is local. */
  readonly cell: Box | undefined;
  /** The reason, and the replacement. */
  readonly message: string;
}

/** A record that a repair copies. */
export interface RepairPiece {
  readonly ref: BlobRef;
  /** Limits the copy to these chunks: an older record may extend beyond the leaf that lost its own. */
  readonly clip: Box | undefined;
}

/**
 * The effect of a repair. Printing it is a dry run; applying it writes a new save and leaves the old one
 * alone.
 */
export interface RepairPlan {
  readonly findings: readonly Finding[];
  readonly dialect: Dialect;
  /** Generation whose index is used; `undefined` if none is readable. */
  readonly generation: number | undefined;
  readonly createdMs: number;
  readonly limits: SaveLimits;
  readonly global: GlobalRecord;
  /** The world's generator; `undefined` if it is unknown. */
  readonly generated: GeneratedChunks | undefined;
  /** Custom payload of a flat save. */
  readonly customPayload: Uint8Array;
  readonly players: readonly StoredPlayer[];
  readonly pieces: readonly RepairPiece[];
  readonly clocks: readonly RegionClock[];
  /** Cells whose content differs from the live generation. The clocks of their regions are reissued. */
  readonly changedCells: readonly Box[];
  readonly keptRecords: number;
  readonly keptBytes: number;
  readonly losses: readonly Loss[];
}

/** Formats the plan for people, one line per item. */
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
