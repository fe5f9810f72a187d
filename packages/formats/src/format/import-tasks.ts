import type { EncodedLeaf } from "@orthant/save";
import type { ConversionLoss } from "./losses.ts";

/** What a piece adds to what a first pass finds. */
export interface PieceCensus {
  /** States that no earlier piece of the same tasks had. */
  readonly states: readonly string[];
  readonly chunks: number;
  readonly entities: number;
  readonly losses: readonly ConversionLoss[];
  readonly savedAtMs: number;
}

/** The work on the pieces of a world: in this thread, or in others. */
export interface ImportTasks {
  /** Number of pieces that may be under way at once. */
  readonly width: number;
  /** Pieces are asked for in ascending order. */
  takeCensus(piece: number): Promise<PieceCensus>;
  /** Sets our numbers of all states, before anything is encoded. */
  useBlocks(blocks: ReadonlyMap<string, number>): void;
  encode(piece: number): Promise<readonly EncodedLeaf[]>;
  close(): Promise<void>;
}
