import { join } from "node:path";
import type { MemoryDisk } from "@orthant/disk";
import type { FlatSave } from "@orthant/formats";
import type { BlockEntry, StoredEntity } from "@orthant/save";
import { findGoldenFolder } from "../suite.ts";
import { copyFolderToMemory } from "./folder-disk.ts";

/** The folder of the saves, in the golden folder. */
export const FOLDER = "polychora-v3";

/** The whole content of a save. */
export interface Content {
  readonly blocks: readonly BlockEntry[];
  readonly entities: readonly StoredEntity[];
}

/** Reads every record of a save. */
export async function readEverything(save: FlatSave): Promise<Content> {
  const blocks: BlockEntry[] = [];
  const entities: StoredEntity[] = [];
  for (const leaf of save.leaves) {
    blocks.push(...(await save.readBlocks(leaf)));
    entities.push(...(await save.readEntities(leaf)));
  }
  return { blocks, entities };
}

/** Copies a golden save into memory. */
export function copySave(name: string): Promise<MemoryDisk> {
  return copyFolderToMemory(join(findGoldenFolder() ?? "", FOLDER, name, "save"));
}
