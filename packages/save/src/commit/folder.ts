import { OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { fileSize, filesIn, isLockName, pathOfTemporary } from "@orthant/disk/files";
import {
  generationFiles,
  packFile,
  parseGenerationFile,
  parsePackFile,
  parsePageFile,
} from "../codec/files.ts";
import {
  DATA_FOLDER,
  INDEX_FOLDER,
  MANIFEST_FILE,
  packHeader,
  requireLimits,
  type SaveLimits,
} from "../codec/layout.ts";
import { PackWriter } from "../pack/pack-writer.ts";

const FOLDERS: readonly string[] = [INDEX_FOLDER, DATA_FOLDER];
const FIRST_PACK = packFile(1);
/** Files that an interrupted creation can leave behind before its manifest exists. */
const UNFINISHED: ReadonlySet<string> = new Set([FIRST_PACK, ...Object.values(generationFiles(0))]);
/** Files that have a temporary name until they are complete. */
const RENAMED: ReadonlySet<string> = new Set([MANIFEST_FILE, ...Object.values(generationFiles(0))]);

/** Creates the folders of a new save, and its first pack. Throws `ORT_NOT_EMPTY` if the disk is not empty. */
export async function prepareFolder(disk: Disk, limits: SaveLimits): Promise<PackWriter> {
  requireLimits(limits);
  await requireEmptyFolder(disk);
  return beginPacks(disk, limits);
}

/** Creates the folders of a save, and its first pack. */
export async function beginPacks(disk: Disk, limits: SaveLimits): Promise<PackWriter> {
  await disk.makeDirectory(INDEX_FOLDER);
  await disk.makeDirectory(DATA_FOLDER);
  return PackWriter.create(disk, limits.dataFileMaxBytes);
}

/**
 * Throws `ORT_NOT_EMPTY` unless a save can be created here without touching foreign files. Removes the
 * leftovers of an interrupted creation that no manifest ever named. Rule S47.
 */
export async function requireEmptyFolder(disk: Disk): Promise<void> {
  const files = await listFiles(disk);
  const strangers = files.filter(
    (path) => !UNFINISHED.has(path) && !RENAMED.has(pathOfTemporary(path) ?? ""),
  );
  // A pack with records is a world that lost its manifest, not one whose creation was interrupted.
  if (files.includes(FIRST_PACK) && (await fileSize(disk, FIRST_PACK)) > packHeader.bytes)
    strangers.push(FIRST_PACK);
  if (strangers.length > 0) {
    const names = strangers.join(", ");
    throw new OrthantError("ORT_NOT_EMPTY", `nothing may be where a save is made, but there is ${names}`);
  }
  for (const path of files) await disk.remove(path);
}

/**
 * Removes what an interrupted creation has written after a place in a pack: later packs, pages of the index, files of the
 * generation, and temporary files. Throws `ORT_NOT_EMPTY` if there is a manifest already.
 */
export async function clearAfter(disk: Disk, packId: number): Promise<void> {
  const files = await listFiles(disk);
  if (files.includes(MANIFEST_FILE)) throw new OrthantError("ORT_NOT_EMPTY", "the save is complete already");
  for (const path of files) {
    const pack = parsePackFile(path);
    const plain = pathOfTemporary(path) ?? path;
    if (pack === undefined ? isPartOfSave(plain) : pack > packId) await disk.remove(path);
  }
}

/** Lists every file in the root and in the folders of a save. Any other folder is listed by its name only. */
async function listFiles(disk: Disk): Promise<readonly string[]> {
  const files: string[] = [];
  for (const { name, kind } of await disk.list("")) {
    if (kind === "directory" && FOLDERS.includes(name)) {
      for (const entry of await disk.list(name)) files.push(`${name}/${entry.name}`);
    } else if (!isLockName(name)) files.push(name);
  }
  return files;
}

/**
 * Removes every temporary file of a save. A process that took over a contested lock calls this before it
 * reads the manifest, so that files the earlier holder wrote but did not rename can never get their names.
 * Rule S98.
 */
export async function removeTemporaries(disk: Disk): Promise<void> {
  for (const folder of ["", INDEX_FOLDER, DATA_FOLDER]) {
    // Opening the save reports a missing folder.
    for (const path of await filesIn(disk, folder)) {
      const plain = pathOfTemporary(path);
      if (plain !== undefined && isPartOfSave(plain)) await disk.remove(path);
    }
  }
}

function isPartOfSave(path: string): boolean {
  if (path === MANIFEST_FILE) return true;
  return [parseGenerationFile, parsePageFile, parsePackFile].some((parse) => parse(path) !== undefined);
}
