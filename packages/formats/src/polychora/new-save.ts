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

/** Initial content and options of a new save. */
export interface NewSave extends SaveChange {
  readonly global: GlobalState;
  readonly limits?: SaveLimits;
  /** Default: 2. Use 1, which has no clocks, for a reader that knows only the specification. */
  readonly indexVersion?: WholeIndexVersion;
  /** Generators for storing chunks as changes to their output. Default: those of Orthant. */
  readonly generators?: GeneratorRegistry;
  /** Which generations to keep. */
  readonly retention?: Retention;
  /** Lock that keeps other writers out, if needed. Checked before any file is named or removed. */
  readonly lock?: WriterLock;
}

/** Returns the state before the first commit. */
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
