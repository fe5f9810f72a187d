import type { Disk } from "@orthant/disk";
import { INDEX_FOLDER, TEMPORARY_SUFFIX } from "../layout.ts";
import { parseGenerationFile } from "./file-names.ts";

/** How many of the newest generations are always kept. */
const NEWEST_KEPT = 2;

/**
 * Removes the files of generations that are neither among the newest two nor kept by name, and temporary files
 * that a crash left behind. Only ever called after a commit. A removal that is lost in a crash does no harm, so
 * nothing is synced. Rule S46.
 */
export async function retireGenerations(
  disk: Disk,
  currentGeneration: number,
  keptByName: ReadonlySet<number>,
): Promise<void> {
  for (const path of await listGenerationFolders(disk)) {
    const plain = path.endsWith(TEMPORARY_SUFFIX) ? path.slice(0, -TEMPORARY_SUFFIX.length) : path;
    const generation = parseGenerationFile(plain)?.generation;
    if (generation === undefined) continue;
    const isNew = generation > currentGeneration - NEWEST_KEPT && generation <= currentGeneration;
    if (path === plain && (isNew || keptByName.has(generation))) continue;
    await disk.remove(path);
  }
}

/** Every file in the two folders that hold files of generations. */
async function listGenerationFolders(disk: Disk): Promise<readonly string[]> {
  const root = await disk.list("");
  const index = root.some(({ name, kind }) => name === INDEX_FOLDER && kind === "directory")
    ? await disk.list(INDEX_FOLDER)
    : [];
  const files = (entries: typeof root, folder: string): readonly string[] =>
    entries.filter(({ kind }) => kind === "file").map(({ name }) => folder + name);
  return [...files(root, ""), ...files(index, `${INDEX_FOLDER}/`)];
}
