import type { OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { attempt, filesIn, requireDisk } from "@orthant/disk/files";
import { type GenerationFiles, generationFiles, parseGenerationFile, parsePackFile } from "../codec/files.ts";
import { DATA_FOLDER, INDEX_FOLDER } from "../codec/layout.ts";
import type { GenerationSeals, ReadManifest } from "../codec/manifest.ts";
import { readGlobal, readIndex, readManifest, whileLive } from "./reader.ts";

/** Content of a save's folders, before any of it is trusted. */
export interface Survey {
  readonly manifest: ReadManifest | undefined;
  readonly manifestError: OrthantError | undefined;
  /** Folders that cannot be listed, such as links, although there is something of that name. */
  readonly folderErrors: readonly OrthantError[];
  /** Generations with at least one file, newest first. */
  readonly generations: readonly number[];
  readonly packIds: readonly number[];
  /** Every file, relative to the root. */
  readonly files: readonly string[];
}

/** Lists the folders and reads the manifest. Throws only errors of the disk itself. */
export async function surveySave(disk: Disk): Promise<Survey> {
  requireDisk("disk", disk);
  const files: string[] = [];
  const folderErrors: OrthantError[] = [];
  for (const folder of ["", INDEX_FOLDER, DATA_FOLDER]) {
    const [found = [], error] = await attempt(() => filesIn(disk, folder));
    files.push(...found);
    if (error !== undefined) folderErrors.push(error);
  }
  const generations = new Set<number>();
  const packIds: number[] = [];
  for (const file of files) {
    const generation = parseGenerationFile(file)?.generation;
    if (generation !== undefined) generations.add(generation);
    const packId = parsePackFile(file);
    if (packId !== undefined) packIds.push(packId);
  }
  const [manifest, manifestError] = await attempt(() => readManifest(disk));
  if (manifest !== undefined) generations.add(manifest.manifest.currentGeneration);
  return {
    manifest,
    manifestError,
    folderErrors,
    generations: [...generations].sort((a, b) => b - a),
    packIds: packIds.sort((a, b) => a - b),
    files,
  };
}

/**
 * Returns the files of a generation: those named by the manifest if it is live, else those with the standard
 * names.
 */
export function filesOfGeneration({ manifest }: Survey, generation: number): GenerationFiles {
  return manifest?.manifest.currentGeneration === generation
    ? manifest.manifest
    : generationFiles(generation);
}

/** Returns the manifest's seals for the files of a generation. Only the live one has any. */
export function sealsOfGeneration({ manifest }: Survey, generation: number): Partial<GenerationSeals> {
  const { currentGeneration, seals } = manifest?.manifest ?? {};
  return (currentGeneration === generation && seals) || {};
}

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
export async function listGenerations(disk: Disk): Promise<readonly ListedGeneration[]> {
  requireDisk("disk", disk);
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
