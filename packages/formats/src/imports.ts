/**
 * Worlds and models of Minecraft, MagicaVoxel, Tiled and Luanti, to read and convert.
 *
 * @module @orthant/formats/imports
 */

import type { Format } from "./format/format.ts";
import { luantiFormat } from "./luanti/format.ts";
import { minecraftFormat } from "./minecraft/format.ts";
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
