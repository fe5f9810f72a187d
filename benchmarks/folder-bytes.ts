import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/**
 * Returns the total length of the files in a folder and its subfolders. Files may go away meanwhile, as those that a world
 * compacts do.
 */
export async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += await lengthOf(join(entry.parentPath, entry.name));
  }
  return bytes;
}

async function lengthOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return 0;
    throw error;
  }
}
