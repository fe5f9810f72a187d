import { isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";

/** Returns the paths of the files in a folder; none if the folder does not exist. */
export async function filesIn(disk: Disk, folder: string): Promise<readonly string[]> {
  try {
    const entries = await disk.list(folder);
    return entries
      .filter(({ kind }) => kind === "file")
      .map(({ name }) => (folder === "" ? name : `${folder}/${name}`));
  } catch (error) {
    if (isOrthantError(error, "ORT_NOT_FOUND")) return [];
    throw error;
  }
}
