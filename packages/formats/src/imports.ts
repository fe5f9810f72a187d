/**
 * Worlds and models of Minecraft, MagicaVoxel, Tiled and Luanti, to read and convert.
 *
 * @module @orthant/formats/imports
 */

import { OrthantError } from "@orthant/core";
import { requireBytes, requireText } from "@orthant/core/arguments";
import type { Clipboard } from "@orthant/core/operations";
import type { Disk } from "@orthant/disk";
import { openSave, type Save } from "@orthant/save";
import { convertToMemory } from "./format/convert-to-memory.ts";
import type { DetectedWorld, Format, FormatValues } from "./format/format.ts";
import type { ImportTasks } from "./format/import-tasks.ts";
import type { ConversionLoss } from "./format/losses.ts";
import { QUIET } from "./format/quiet.ts";
import { FOREIGN_FORMATS } from "./formats.ts";
import { LocalImportTasks } from "./imported/local-tasks.ts";
import { luantiFormat, luantiKind } from "./luanti/format.ts";
import { minecraftFormat, minecraftKind } from "./minecraft/format.ts";
import { schematicFormat } from "./schematic/format.ts";
import { readClipboard } from "./schematic/schematic-clipboard.ts";
import { tiledFormat } from "./tiled/format.ts";
import { voxFormat } from "./vox/format.ts";

export type { RenamedBlock } from "./paste/block-plan.ts";
export type { PasteOptions, PasteTarget } from "./paste/paste-options.ts";
export { type PasteReport, pasteWorld } from "./paste/paste-world.ts";
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
  return new LocalImportTasks(await kind.openSource(disk, world, values));
}

/** A world of another program, as a save in memory. */
export interface ImportedSave {
  readonly save: Save;
  /** What Orthant cannot hold of it. */
  readonly losses: readonly ConversionLoss[];
}

/** Maximum size of a save in memory. */
const IMPORTED_BYTES_MAX = 268_435_456;

/**
 * Reads a file of another program, or the folder itself if there is no name, as a save in memory of at most 256 MiB.
 * `values` are the options of `orthant convert`, such as `{ layer: "ground" }`. Throws `ORT_NOT_FOUND` for a file of no
 * known format.
 */
export async function importToMemory(
  disk: Disk,
  file?: string,
  values: FormatValues = {},
): Promise<ImportedSave> {
  const name = file === undefined ? "the folder" : `the file "${file}"`;
  for (const format of [...FOREIGN_FORMATS, ...IMPORTED_FORMATS]) {
    const world = await format.detect(disk, file);
    if (world === undefined) continue;
    const { disk: made, outcome } = await convertToMemory(
      format,
      { disk, world, values, environment: QUIET },
      {
        bytesMax: IMPORTED_BYTES_MAX,
        tooLarge: () =>
          new OrthantError(
            "ORT_LIMIT",
            `${name} takes more than ${IMPORTED_BYTES_MAX} bytes of memory: convert it to a world on a disk`,
          ),
      },
    );
    return { save: await openSave(made), losses: outcome.losses };
  }
  throw new OrthantError("ORT_NOT_FOUND", `${name} is not a world of a known program`);
}

/** A clipboard from a file. */
export interface ImportedClipboard {
  readonly clipboard: Clipboard;
  /** What a clipboard cannot hold of it. */
  readonly losses: readonly ConversionLoss[];
}

/**
 * Reads a clipboard from a file that `exportClipboard` has written, or from a schematic: of Sponge, MCEdit or Litematica, or a
 * structure of Minecraft. `name` is for messages. A schematic's types of blocks keep their names: `missingIn` says which ones a
 * world lacks. Throws an `OrthantError` for other bytes.
 *
 * @example
 * const { clipboard } = await importClipboard(await readFile("house.schem"), "house.schem");
 * await world.defineBlocks(clipboard.missingIn(world.blocks));
 * await world.apply({ paste: clipboard, at: [10, 70, -4] });
 */
export async function importClipboard(bytes: Uint8Array, name: string): Promise<ImportedClipboard> {
  requireBytes("bytes", bytes);
  requireText("name", name);
  return readClipboard(bytes, name);
}
