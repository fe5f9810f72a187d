import type { OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { attempt, filesIn } from "@orthant/disk/files";
import {
  type GenerationFiles,
  generationFiles,
  parseGenerationFile,
  parsePackFile,
} from "../codec/file-names.ts";
import type { GenerationSeals } from "../codec/file-seal.ts";
import { DATA_FOLDER, INDEX_FOLDER } from "../codec/layout.ts";
import type { ReadManifest } from "../codec/manifest.ts";
import { readManifest } from "../read/reader.ts";

/** Content of a save's folders, before any of it is trusted. */
export interface Survey {
  readonly manifest: ReadManifest | undefined;
  readonly manifestError: OrthantError | undefined;
  /** Generations with at least one file, newest first. */
  readonly generations: readonly number[];
  readonly packIds: readonly number[];
  /** Every file, relative to the root. */
  readonly files: readonly string[];
}

/** Lists the folders and reads the manifest. Throws only errors of the disk itself. */
export async function surveySave(disk: Disk): Promise<Survey> {
  const files = [
    ...(await listFiles(disk, "")),
    ...(await listFiles(disk, INDEX_FOLDER)),
    ...(await listFiles(disk, DATA_FOLDER)),
  ];
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

/** Returns the files of a folder; none if it cannot be listed. */
async function listFiles(disk: Disk, folder: string): Promise<readonly string[]> {
  const [files = []] = await attempt(() => filesIn(disk, folder));
  return files;
}
