import type { Box, RegionClock } from "@orthant/core";
import type { Finding } from "@orthant/disk/files";
import type { BlobRef } from "../codec/blob-ref.ts";
import type { GlobalRecord } from "../codec/global-record.ts";
import type { SaveLimits } from "../codec/limits.ts";
import type { StoredPlayer } from "../codec/player-record.ts";
import type { GeneratedChunks } from "../codec/stored-chunk.ts";

/** Something that a repair cannot restore. */
export interface Loss {
  readonly what: "chunks" | "entities" | "players" | "global" | "index" | "manifest";
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

/** The effect of a repair. Applying it writes a new save and leaves the old one alone. */
export interface RepairPlan {
  readonly findings: readonly Finding[];
  /** Generation whose index is used; `undefined` if none is readable. */
  readonly generation: number | undefined;
  readonly createdMs: number;
  readonly limits: SaveLimits;
  readonly global: GlobalRecord;
  /** The world's generator; `undefined` if it is unknown. */
  readonly generated: GeneratedChunks | undefined;
  readonly players: readonly StoredPlayer[];
  readonly pieces: readonly RepairPiece[];
  readonly clocks: readonly RegionClock[];
  /** Cells whose content differs from the live generation. The clocks of their regions are reissued. */
  readonly changedCells: readonly Box[];
  readonly keptRecords: number;
  readonly keptBytes: number;
  readonly losses: readonly Loss[];
}
