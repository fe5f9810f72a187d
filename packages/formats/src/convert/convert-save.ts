import { OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import type { Dialect, Save } from "@orthant/save";
import { ConversionLosses, type ConversionReport } from "./losses.ts";
import { convertToFlat } from "./to-flat.ts";
import { convertToTree } from "./to-tree.ts";

/** Options for converting. */
export interface ConvertOptions {
  /** Replaces materials that the other format lacks. Default: 1. */
  readonly standInMaterial?: number;
  /** Called after each leaf that is read. */
  readonly onLeaf?: () => void;
}

/**
 * Writes a save in the other dialect to an empty disk. Without a disk, only reports what would be lost.
 * Converts one generation, as generation 0 of a new save, leaf by leaf: memory use depends on the index and
 * the largest leaf. Throws `ORT_DIALECT` for a chunk shape that the dialect does not support.
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
