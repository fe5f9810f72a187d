import { isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { pathOfTemporary } from "../../files/write-temporary.ts";
import { DATA_FOLDER, INDEX_FOLDER, MANIFEST_FILE } from "../layout.ts";
import { parseGenerationFile, parsePackFile, parsePageFile } from "./file-names.ts";

/**
 * Removes every file of a save that has no final name yet. A process that took a contested lock calls this before it
 * reads the manifest: whatever the earlier holder had written, but not renamed, can never get its name. Rule S98.
 */
export async function removeTemporaries(disk: Disk): Promise<void> {
  for (const folder of ["", INDEX_FOLDER, DATA_FOLDER]) {
    for (const path of await filesIn(disk, folder)) {
      const plain = pathOfTemporary(path);
      if (plain !== undefined && isPartOfSave(plain)) await disk.remove(path);
    }
  }
}

async function filesIn(disk: Disk, folder: string): Promise<readonly string[]> {
  try {
    const entries = await disk.list(folder);
    return entries
      .filter(({ kind }) => kind === "file")
      .map(({ name }) => (folder === "" ? name : `${folder}/${name}`));
  } catch (error) {
    // Opening the save says what is missing.
    if (isOrthantError(error, "ORT_NOT_FOUND")) return [];
    throw error;
  }
}

function isPartOfSave(path: string): boolean {
  if (path === MANIFEST_FILE) return true;
  return [parseGenerationFile, parsePageFile, parsePackFile].some((parse) => parse(path) !== undefined);
}
