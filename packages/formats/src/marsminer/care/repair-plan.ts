import type { Finding } from "../../files/finding.ts";
import type { MarsMinerDialect } from "../layout.ts";
import type { MarsMinerChunkEntry } from "../records/chunk-reader.ts";
import type { MarsMinerState } from "../records/state-reader.ts";

/** Something that a repair cannot bring back as it was. */
export interface MarsMinerLoss {
  readonly what: "state" | "name" | "chunk" | "octree" | "block types";
  /** Where in the world, when it is of one chunk. */
  readonly place: { readonly x: number; readonly z: number } | undefined;
  /** Why, and what takes its place. */
  readonly message: string;
}

/** What a repair would do. Printing it is a dry run; applying it writes a new save and leaves the old one alone. */
export interface MarsMinerRepairPlan {
  readonly findings: readonly Finding[];
  readonly dialect: MarsMinerDialect;
  readonly cubeSize: number;
  /** The state that is the base; `undefined` when none can be read. */
  readonly base: MarsMinerState | undefined;
  /** Of this state or, where they are damaged there, of older ones. */
  readonly chunks: readonly MarsMinerChunkEntry[];
  readonly losses: readonly MarsMinerLoss[];
}
