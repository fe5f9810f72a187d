import { isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";

/** The paths of the files in a folder; none when there is no such folder. */
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
