import type { Disk } from "@orthant/disk";
import { requireDisk } from "@orthant/disk/files";
import type { DetectedWorld, Format } from "./format/format.ts";
import { marsMinerFormat } from "./marsminer/format.ts";
import { detectNativeSave } from "./polychora-flat/detect.ts";
import { flatSaveFormat, legacyWorldFormat } from "./polychora-flat/format.ts";
import { pixelWorldFormat } from "./pxsw/format.ts";
import { tileSaveFormat } from "./tilesave/format.ts";

/** Every format that is not Orthant's own save; Minecraft's, which takes much code, is a module of its own. */
export const FOREIGN_FORMATS: readonly Format[] = [
  flatSaveFormat,
  marsMinerFormat,
  pixelWorldFormat,
  tileSaveFormat,
  legacyWorldFormat,
];

/**
 * Detects the world on a disk by the content of its files, even if some are damaged. Returns `undefined` if no
 * file fits any format. Writes nothing.
 */
export async function detectFormat(disk: Disk): Promise<DetectedWorld | undefined> {
  requireDisk("disk", disk);
  const native = await detectNativeSave(disk);
  if (native !== undefined) return native;
  for (const format of FOREIGN_FORMATS) {
    const found = await format.detect(disk);
    if (found !== undefined) return found;
  }
  return undefined;
}
