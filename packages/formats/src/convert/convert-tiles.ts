import type { Disk } from "@orthant/disk";
import type { Save } from "@orthant/save";
import type { TileSave } from "../tilesave/tile-save.ts";
import { convertFromTiles } from "./from-tiles.ts";
import { ConversionLosses, type ConversionReport } from "./losses.ts";
import { convertToTiles } from "./to-tiles.ts";

/**
 * Writes a tile save as a world to an empty disk. Without a disk, only reports what would be lost. The world
 * keeps the rest of the save besides its chunks, so that {@link exportTileSave} restores it.
 */
export async function importTileSave(
  save: TileSave,
  target: Disk | undefined,
  nowMs: number,
): Promise<ConversionReport> {
  const losses = new ConversionLosses();
  const counts = await convertFromTiles(save, target, nowMs, losses);
  return { ...counts, losses: losses.list() };
}

/**
 * Writes a world of tiles as a tile save. Without a disk, only reports what would be lost. Throws
 * `ORT_DIALECT` for a world whose chunks are not 32 x 32 tiles, `ORT_LIMIT` for one with more chunks than a
 * tile save can have.
 */
export async function exportTileSave(
  save: Save,
  target: Disk | undefined,
  options: { readonly onLeaf?: () => void } = {},
): Promise<ConversionReport> {
  const losses = new ConversionLosses();
  const counts = await convertToTiles(save, target, losses, options.onLeaf);
  return { ...counts, losses: losses.list() };
}
