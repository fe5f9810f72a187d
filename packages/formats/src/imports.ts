/**
 * Worlds and models of Minecraft, MagicaVoxel, Tiled and Luanti, to read and convert.
 *
 * @module @orthant/formats/imports
 */

import { OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import type { DetectedWorld, Format, FormatValues } from "./format/format.ts";
import type { ImportTasks } from "./format/import-tasks.ts";
import { OwnImportTasks } from "./imported/own-tasks.ts";
import { luantiFormat, luantiKind } from "./luanti/format.ts";
import { minecraftFormat, minecraftKind } from "./minecraft/format.ts";
import { schematicFormat } from "./schematic/format.ts";
import { tiledFormat } from "./tiled/format.ts";
import { voxFormat } from "./vox/format.ts";

export { luantiFormat, minecraftFormat, schematicFormat, tiledFormat, voxFormat };

/** Formats of worlds and models that are converted to ours, and not back. */
export const IMPORTED_FORMATS: readonly Format[] = [
  minecraftFormat,
  luantiFormat,
  schematicFormat,
  voxFormat,
  tiledFormat,
];

/** Opens a world of a format whose conversion can be shared by threads, for the work of one of them. */
export async function openImportTasks(
  disk: Disk,
  format: string,
  world: DetectedWorld,
  values: FormatValues,
): Promise<ImportTasks> {
  const kind = [minecraftKind, luantiKind].find(({ name }) => name === format);
  if (kind === undefined) throw new OrthantError("ORT_ARGUMENT", `threads cannot share worlds of ${format}`);
  return new OwnImportTasks(await kind.openSource(disk, world, values));
}
