import { generationFiles } from "../codec/files.ts";
import { type Manifest, withoutJournal, withPacks } from "../codec/manifest.ts";

/** What a commit adds to a manifest. */
interface ManifestChange {
  readonly nowMs: number;
  readonly activeDataFileId: number;
  /** Packs that got records. */
  readonly packIds: Iterable<number>;
}

/** Returns the manifest of the next generation, before its files are sealed and its journal is declared. */
export function nextManifest(
  before: Manifest,
  { nowMs, activeDataFileId, packIds }: ManifestChange,
): Manifest {
  const manifest = withoutJournal(before);
  const currentGeneration = manifest.currentGeneration + 1;
  return {
    ...manifest,
    ...generationFiles(currentGeneration),
    currentGeneration,
    lastModifiedMs: nowMs,
    activeDataFileId,
    dataFileCount: Math.max(manifest.dataFileCount, activeDataFileId),
    dataFiles: withPacks(manifest.dataFiles ?? [], packIds),
  };
}
