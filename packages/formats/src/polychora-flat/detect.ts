import { requireText } from "@orthant/core/arguments";
import type { Disk } from "@orthant/disk";
import { readWhole, requireDisk } from "@orthant/disk/files";
import { surveySave } from "@orthant/save";
import {
  findNewest,
  generationFiles,
  isFlatIndex,
  MANIFEST_FILE,
  packFile,
  readGlobal,
} from "@orthant/save/files";
import { firstOf, hasMagic } from "../format/files.ts";
import type { DetectedWorld } from "../format/format.ts";
import { readFlatGlobal } from "./reader.ts";

/**
 * Returns whether a save is flat. Its newest readable index decides or, without one, its newest readable
 * global file.
 */
export async function isFlatSave(disk: Disk): Promise<boolean> {
  const survey = await surveySave(disk);
  const index = await findNewest(survey, async ({ indexFile }) =>
    isFlatIndex(await readWhole(disk, indexFile)),
  );
  if (index !== undefined) return index.value;
  if ((await findNewest(survey, ({ globalFile }) => readGlobal(disk, globalFile))) !== undefined)
    return false;
  return (await findNewest(survey, ({ globalFile }) => readFlatGlobal(disk, globalFile))) !== undefined;
}

/** Detects a save of Orthant. Returns `undefined` for a flat one. */
export async function detectNativeSave(disk: Disk, file?: string): Promise<DetectedWorld | undefined> {
  requireDisk("disk", disk);
  if (file !== undefined) requireText("file", file);
  const evidence = file === undefined ? await evidenceOfSave(disk) : undefined;
  if (evidence === undefined || (await isFlatSave(disk))) return undefined;
  return { format: "orthant", dialect: undefined, evidence };
}

/** Returns a file that proves a save, native or flat: a readable manifest or, without one, the right magic. */
export async function evidenceOfSave(disk: Disk): Promise<string | undefined> {
  const { manifest, generations, packIds } = await surveySave(disk);
  if (manifest !== undefined) return MANIFEST_FILE;
  const files = generations.map(generationFiles);
  const candidates: (readonly [path: string, magic: string])[] = [
    ...files.map(({ indexFile }) => [indexFile, "V4IX"] as const),
    ...files.flatMap(({ globalFile, playersFile }) => [
      [globalFile, "V4G0"] as const,
      [playersFile, "V4P0"] as const,
    ]),
    ...packIds.map((packId) => [packFile(packId), "V4DT"] as const),
  ];
  return firstOf(candidates, async ([path, magic]) =>
    (await hasMagic(disk, path, magic)) ? path : undefined,
  );
}
