import { isOrthantError, type OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { readWhole, requireDisk, TEMPORARY_SUFFIX, writeTemporary } from "@orthant/disk/files";
import { decodeTileSave, encodeTileSave } from "./save-text.ts";
import { TILE_SAVE_BACKUP_FILE, TILE_SAVE_BYTES_MAX, TILE_SAVE_FILE, type TileSave } from "./tile-save.ts";

/** A decoded save and the file it came from. */
export interface OpenedTileSave {
  readonly save: TileSave;
  readonly file: string;
  /** Why the main file could not be read; `undefined` if it was. */
  readonly fault: OrthantError | undefined;
}

/**
 * Reads the save on a disk or, if it is damaged or missing, its backup. If neither is readable, throws the
 * fault of the main file. Writes nothing.
 */
export async function openTileSave(disk: Disk): Promise<OpenedTileSave> {
  requireDisk("disk", disk);
  try {
    return { save: await readTileSave(disk, TILE_SAVE_FILE), file: TILE_SAVE_FILE, fault: undefined };
  } catch (error) {
    if (!isOrthantError(error)) throw error;
    const save = await readTileSave(disk, TILE_SAVE_BACKUP_FILE).catch((backupError: unknown) => {
      throw isOrthantError(backupError) ? error : backupError;
    });
    return { save, file: TILE_SAVE_BACKUP_FILE, fault: error };
  }
}

async function readTileSave(disk: Disk, path: string): Promise<TileSave> {
  return decodeTileSave(await readWhole(disk, path, TILE_SAVE_BYTES_MAX), path);
}

/**
 * Writes a save, which is durable on return. After a power cut, either the old one or the new one exists. The
 * old one becomes the backup if it is readable: a damaged save never replaces a good backup.
 */
export async function writeTileSave(disk: Disk, save: TileSave): Promise<void> {
  requireDisk("disk", disk);
  const bytes = encodeTileSave(save);
  const before = await readGood(disk);
  if (before !== undefined) await writeTemporary(disk, TILE_SAVE_BACKUP_FILE, before);
  await writeTemporary(disk, TILE_SAVE_FILE, bytes);
  if (before !== undefined) {
    await disk.rename(TILE_SAVE_BACKUP_FILE + TEMPORARY_SUFFIX, TILE_SAVE_BACKUP_FILE);
  }
  await disk.rename(TILE_SAVE_FILE + TEMPORARY_SUFFIX, TILE_SAVE_FILE);
  await disk.syncDirectory("");
}

/** Returns the bytes of the existing save; `undefined` if none is readable. */
async function readGood(disk: Disk): Promise<Uint8Array | undefined> {
  try {
    const bytes = await readWhole(disk, TILE_SAVE_FILE, TILE_SAVE_BYTES_MAX);
    decodeTileSave(bytes);
    return bytes;
  } catch (error) {
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}
