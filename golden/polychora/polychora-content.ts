import type { MemoryDisk } from "@orthant/disk";
import type { FlatSave } from "@orthant/formats";
import type { ChunkEntry, StoredEntity } from "@orthant/save";
import { goldenPath } from "@orthant/testkit/golden";
import { copyFolderToMemory } from "./folder-disk.ts";

/** The folder of the saves, in the golden folder. */
export const FOLDER = "polychora-v3";

/** The whole content of a save. */
export interface Content {
  readonly chunks: readonly ChunkEntry[];
  readonly entities: readonly StoredEntity[];
}

/** Reads every record of a save. */
export async function readEverything(save: FlatSave): Promise<Content> {
  const chunks: ChunkEntry[] = [];
  const entities: StoredEntity[] = [];
  for (const leaf of save.leaves) {
    chunks.push(...(await save.readChunks(leaf)));
    entities.push(...(await save.readEntities(leaf)));
  }
  return { chunks, entities };
}

/** Copies a golden save into memory. */
export function copySave(name: string): Promise<MemoryDisk> {
  return copyFolderToMemory(goldenPath(FOLDER, name, "save"));
}
