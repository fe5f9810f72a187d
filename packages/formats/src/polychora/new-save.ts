import type { GeneratorRegistry } from "@orthant/core";
import type { WriterLock } from "../files/write-temporary.ts";
import { generationFiles } from "./files/file-names.ts";
import type { Retention } from "./history/retention.ts";
import type { SaveLimits } from "./limits.ts";
import type { GlobalState } from "./records/global-record.ts";
import type { WholeIndexVersion } from "./records/leaf-entry.ts";
import type { Manifest } from "./records/manifest.ts";
import type { SaveState } from "./save.ts";
import type { SaveChange } from "./save-change.ts";
import { LeafIndex } from "./tree-index/leaf-index.ts";

/** What a new save begins with. */
export interface NewSave extends SaveChange {
  readonly global: GlobalState;
  readonly limits?: SaveLimits;
  /** 2, unless the save is for a reader that knows the specification and no more: then 1, which has no clocks. */
  readonly indexVersion?: WholeIndexVersion;
  /** To store chunks as changes to what the world's generator makes; without it, those that Orthant has. */
  readonly generators?: GeneratorRegistry;
  /** Which generations are kept. */
  readonly retention?: Retention;
  /** The lock that keeps others from writing, where one is needed; checked before anything gets or loses its name. */
  readonly lock?: WriterLock;
}

/** The state before the first commit. */
export function nothingYet({ global, nowMs, indexVersion = 2 }: NewSave, limits: SaveLimits): SaveState {
  const manifest: Manifest = {
    ...generationFiles(0),
    currentGeneration: -1,
    createdMs: nowMs,
    lastModifiedMs: nowMs,
    activeDataFileId: 1,
    dataFileCount: 1,
    dataFiles: [],
    limits,
    chunkExtents: global.description.chunkShape.extents,
  };
  return {
    dialect: "tree",
    generation: -1,
    manifest,
    global: { ...global, nextDataFileId: 2, lastModifiedMs: nowMs },
    players: [],
    index: LeafIndex.of([]),
    indexVersion,
    flat: undefined,
  };
}
