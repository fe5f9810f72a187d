import type { Disk } from "@orthant/disk";
import { attempt } from "@orthant/disk/files";
import type { GenerationFiles } from "../codec/file-names.ts";
import { filesOfGeneration, surveySave } from "../repair/survey.ts";
import { readGlobal, readIndex, whileLive } from "./reader.ts";

/** A generation that can be opened. */
export interface ListedGeneration {
  readonly generation: number;
  /** Time of its commit, in milliseconds since 1970. */
  readonly atMs: number;
  readonly files: GenerationFiles;
}

/**
 * Returns the generations of a save whose three files exist, newest first. Omits those after the live one,
 * which were never committed, and those whose global file is unreadable.
 */
export function listGenerations(disk: Disk): Promise<readonly ListedGeneration[]> {
  return whileLive(disk, () => listLive(disk));
}

async function listLive(disk: Disk): Promise<readonly ListedGeneration[]> {
  const survey = await surveySave(disk);
  if (survey.manifest === undefined) throw survey.manifestError;
  const { currentGeneration, indexFile } = survey.manifest.manifest;
  await readIndex(disk, indexFile);
  const present = new Set(survey.files);
  const listed: ListedGeneration[] = [];
  for (const generation of survey.generations) {
    const files = filesOfGeneration(survey, generation);
    const isThere = [files.indexFile, files.globalFile, files.playersFile].every((file) => present.has(file));
    if (generation > currentGeneration || !isThere) continue;
    const [global] = await attempt(() => readGlobal(disk, files.globalFile));
    if (global !== undefined) listed.push({ generation, atMs: global.lastModifiedMs, files });
  }
  return listed;
}
