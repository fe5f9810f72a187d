import type { Finding } from "@orthant/disk/files";
import type { MarsMinerDialect } from "../layout.ts";
import type { MarsMinerChunkEntry } from "../records/chunk-reader.ts";
import type { MarsMinerState } from "../records/state-reader.ts";

/** Something that a repair cannot restore. */
export interface MarsMinerLoss {
  readonly what: "state" | "name" | "chunk" | "octree" | "block types";
  /** Position in the world, if it affects one chunk. */
  readonly place: { readonly x: number; readonly z: number } | undefined;
  /** The reason, and the replacement. */
  readonly message: string;
}

/**
 * The effect of a repair. Printing it is a dry run; applying it writes a new save and leaves the old one
 * alone.
 */
export interface MarsMinerRepairPlan {
  readonly findings: readonly Finding[];
  readonly dialect: MarsMinerDialect;
  readonly cubeSize: number;
  /** The state to repair; `undefined` if none is readable. */
  readonly base: MarsMinerState | undefined;
  /** Chunks of this state or, where they are damaged, of older ones. */
  readonly chunks: readonly MarsMinerChunkEntry[];
  readonly losses: readonly MarsMinerLoss[];
}
