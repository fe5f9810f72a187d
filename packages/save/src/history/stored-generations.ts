import type { Disk } from "@orthant/disk";
import { generationFiles, parseGenerationFile } from "../codec/file-names.ts";
import { INDEX_FOLDER } from "../codec/layout.ts";

/**
 * Lists every file in the two folders with files of generations. Unlike a survey, it throws if a folder
 * cannot be listed, because unlisted files would count as removed.
 */
export async function listGenerationFolders(disk: Disk): Promise<readonly string[]> {
  const filesIn = async (folder: string, prefix: string): Promise<readonly string[]> =>
    (await disk.list(folder)).filter(({ kind }) => kind === "file").map(({ name }) => prefix + name);
  return [...(await filesIn("", "")), ...(await filesIn(INDEX_FOLDER, `${INDEX_FOLDER}/`))];
}

/**
 * Returns the generations up to the live one whose three files are all listed, newest first, readable or not.
 */
export function storedGenerations(paths: readonly string[], live: number): readonly number[] {
  const present = new Set(paths);
  const generations = new Set(paths.map((path) => parseGenerationFile(path)?.generation ?? Infinity));
  return [...generations]
    .filter((generation) => generation <= live)
    .filter((generation) => Object.values(generationFiles(generation)).every((path) => present.has(path)))
    .sort((a, b) => b - a);
}
