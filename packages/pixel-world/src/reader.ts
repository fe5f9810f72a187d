import { isOrthantError } from "@orthant/core";
import { requireText } from "@orthant/core/arguments";
import type { Disk } from "@orthant/disk";
import { atFileAsync, requireDisk, TEMPORARY_SUFFIX } from "@orthant/disk/files";
import { type PixelDialect, type PixelSave, pixelDialectOf, requirePixelDialect } from "./format/save.ts";
import { Version1Save } from "./version1/save.ts";
import { Version2Save } from "./version2/save.ts";

/**
 * Opens a pixel world of any dialect for reading. Checks the header and tables in full, and chunks and bodies
 * when they are read. Throws at the first fault; `verifyPixelWorld` finds all of them.
 */
export async function openPixelSave(disk: Disk, path: string): Promise<PixelSave> {
  requireDisk("disk", disk);
  requireText("path", path);
  const file = await disk.open(path, "read");
  try {
    const dialect = await requirePixelDialect(file, path);
    return await atFileAsync({ path }, async () =>
      dialect === "version2" ? Version2Save.open(path, file) : Version1Save.open(path, file, dialect),
    );
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Returns the first pixel world in the root of a disk, or the one named `path`; `undefined` if there is none.
 * Writes nothing.
 */
export async function detectPixelWorld(
  disk: Disk,
  path?: string,
): Promise<{ readonly path: string; readonly dialect: PixelDialect } | undefined> {
  requireDisk("disk", disk);
  if (path !== undefined) requireText("path", path);
  for (const { name, kind } of await disk.list("")) {
    if (kind !== "file" || (path === undefined ? name.endsWith(TEMPORARY_SUFFIX) : name !== path)) continue;
    const file = await disk.open(name, "read").catch((error: unknown) => {
      // A link that lies in the folder is not a pixel world.
      if (path === undefined && isOrthantError(error, "ORT_PATH")) return undefined;
      throw error;
    });
    if (file === undefined) continue;
    try {
      const dialect = await pixelDialectOf(file);
      if (dialect !== undefined) return { path: name, dialect };
    } finally {
      await file.close();
    }
  }
  return undefined;
}
