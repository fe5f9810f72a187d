import { isOrthantError, type OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { readWhole } from "@orthant/disk/files";
import { TILE_SAVE_BACKUP_FILE, TILE_SAVE_BYTES_MAX, TILE_SAVE_FILE } from "./layout.ts";
import { decodeTileSave } from "./save-text.ts";
import type { TileSave } from "./tile-save.ts";

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
