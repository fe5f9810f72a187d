import type { GeneratorRegistry } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import type { WriterLock } from "@orthant/disk/files";
import type { SaveChange } from "../change/save-change.ts";
import { generationFiles } from "../codec/files.ts";
import { type GlobalState, generatedChunks } from "../codec/global-record.ts";
import { DEFAULT_LIMITS, type SaveLimits } from "../codec/layout.ts";
import type { Manifest } from "../codec/manifest.ts";
import { DEFAULT_RETENTION, type Retention, requireRetention } from "../history/retention.ts";
import type { NewIndexVersion } from "../leaves/leaf-entry.ts";
import { LeafIndex } from "../leaves/leaf-index.ts";
import { NEWEST_FORMAT } from "../leaves/save-format.ts";
import { PackWriter } from "../pack/pack-writer.ts";
import { existingPacks } from "../read/named-packs.ts";
import { readManifest, requireNewest } from "../read/reader.ts";
import { Save, type SaveState } from "../read/save.ts";
import { prepareFolder } from "./folder.ts";
import { SaveWriter } from "./writer.ts";

/** Options for continuing a save. */
export interface ResumeOptions {
  /** Leaves the active pack unchanged and begins a new one. Use it after a failed sync. */
  readonly newPack?: boolean;
  /** Continues from a generation that is not the newest. Everything after it is dropped from the world. */
  readonly rollBack?: boolean;
  /** The same as when the save was created. */
  readonly generators?: GeneratorRegistry;
  /** Which generations to keep. */
  readonly retention?: Retention;
  /** The same as when the save was created. */
  readonly lock?: WriterLock;
}

/** Creates a save in an empty folder and commits its first generation, number 0. Rule S47. */
export async function createSave(disk: Disk, initial: NewSave): Promise<SaveWriter> {
  const { limits = DEFAULT_LIMITS, retention = DEFAULT_RETENTION, lock } = initial;
  requireRetention(retention);
  const packs = await prepareFolder(disk, limits);
  const generated = generatedChunks(initial.global, initial.generators);
  const writer = new SaveWriter(disk, emptyState(initial, limits), packs, generated, { retention, lock });
  try {
    await (await writer.commit(initial)).close();
    return writer;
  } catch (error) {
    await writer.close();
    throw error;
  }
}

/** Continues a save from the generation that was opened. */
export async function resumeSave(
  disk: Disk,
  save: SaveState,
  options: ResumeOptions = {},
): Promise<SaveWriter> {
  const isBack = options.rollBack === true;
  const found = isBack ? (await readManifest(disk)).manifest : await requireNewest(disk, save.generation);
  const { retention = DEFAULT_RETENTION, lock } = options;
  requireRetention(retention);
  const manifest = { ...found, dataFiles: await existingPacks(disk, found.dataFiles) };
  const packs = await PackWriter.resume(disk, manifest.limits.dataFileMaxBytes, manifest.activeDataFileId);
  if (options.newPack === true) packs.leavePack();
  const generated = generatedChunks(save.global, options.generators);
  const holds = save instanceof Save ? { holds: save.holds } : {};
  return new SaveWriter(disk, { ...save, manifest }, packs, generated, { ...holds, retention, lock });
}

/** Initial content and options of a new save. */
export interface NewSave extends SaveChange {
  readonly global: GlobalState;
  readonly limits?: SaveLimits;
  /** Default: 4. Use 2 for Orthant 0.1, and 1, which has no clocks, for a reader that knows only the specification. */
  readonly indexVersion?: NewIndexVersion;
  /** Generators for storing chunks as changes to their output. Default: those of Orthant. */
  readonly generators?: GeneratorRegistry;
  /** Which generations to keep. */
  readonly retention?: Retention;
  /** Lock that keeps other writers out, if needed. Checked before any file is named or removed. */
  readonly lock?: WriterLock;
}

/** Returns the state before the first commit. */
function emptyState(
  { global, nowMs, indexVersion = NEWEST_FORMAT.indexVersion }: NewSave,
  limits: SaveLimits,
): SaveState {
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
    // The state may be that of another save, whose records are not here.
    global: { ...global, nextDataFileId: 2, lastModifiedMs: nowMs, records: undefined },
    players: [],
    index: LeafIndex.of([]),
    indexVersion,
  };
}
