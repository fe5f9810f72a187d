import type { GeneratorRegistry } from "@orthant/core";
import type { WriterLock } from "@orthant/disk/files";
import { generationFiles } from "../codec/file-names.ts";
import type { GlobalState } from "../codec/global-record.ts";
import type { WholeIndexVersion } from "../codec/leaf-entry.ts";
import type { SaveLimits } from "../codec/limits.ts";
import type { Manifest } from "../codec/manifest.ts";
import type { Retention } from "../history/retention.ts";
import { LeafIndex } from "../index/leaf-index.ts";
import type { SaveState } from "../read/save.ts";
import type { SaveChange } from "./save-change.ts";

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
    generation: -1,
    manifest,
    global: { ...global, nextDataFileId: 2, lastModifiedMs: nowMs },
    players: [],
    index: LeafIndex.of([]),
    indexVersion,
  };
}
