import type { Disk } from "@orthant/disk";
import { filesIn, pathOfTemporary } from "@orthant/disk/files";
import { parseGenerationFile, parsePackFile, parsePageFile } from "../codec/file-names.ts";
import { DATA_FOLDER, INDEX_FOLDER, MANIFEST_FILE } from "../codec/layout.ts";

/**
 * Removes every temporary file of a save. A process that took over a contested lock calls this before it
 * reads the manifest, so that files the earlier holder wrote but did not rename can never get their names.
 * Rule S98.
 */
export async function removeTemporaries(disk: Disk): Promise<void> {
  for (const folder of ["", INDEX_FOLDER, DATA_FOLDER]) {
    // Opening the save reports a missing folder.
    for (const path of await filesIn(disk, folder)) {
      const plain = pathOfTemporary(path);
      if (plain !== undefined && isPartOfSave(plain)) await disk.remove(path);
    }
  }
}

function isPartOfSave(path: string): boolean {
  if (path === MANIFEST_FILE) return true;
  return [parseGenerationFile, parsePageFile, parsePackFile].some((parse) => parse(path) !== undefined);
}
