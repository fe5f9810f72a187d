import { OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import type { Dialect } from "../polychora/dialect.ts";
import type { Save } from "../polychora/save.ts";
import { ConversionLosses, type ConversionReport } from "./losses.ts";
import { convertToFlat } from "./to-flat.ts";
import { convertToTree } from "./to-tree.ts";

/** How to convert. */
export interface ConvertOptions {
  /** What a voxel gets whose material the other format does not have; 1 unless given. */
  readonly standInMaterial?: number;
  /** Told after each leaf that is read. */
  readonly onLeaf?: () => void;
}

/**
 * Writes a save in the other dialect, on a disk with nothing on it; without a disk it only says
 * what would be lost. One generation is converted, as generation 0 of a new save, leaf by leaf: memory follows the
 * index and the largest leaf. `ORT_DIALECT` for a world whose chunks have a shape that the dialect does not know.
 */
export async function convertSave(
  save: Save,
  to: Dialect,
  target: Disk | undefined,
  options: ConvertOptions = {},
): Promise<ConversionReport> {
  if (save.dialect === to) throw new OrthantError("ORT_DIALECT", `the save is ${to} already`);
  const losses = new ConversionLosses();
  const convert = to === "flat" ? convertToFlat : convertToTree;
  const counts = await convert({ save, target, losses, standIn: options.standInMaterial ?? 1, options });
  return { ...counts, losses: losses.list() };
}
