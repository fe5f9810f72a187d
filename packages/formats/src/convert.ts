import { OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { type ConversionLoss, ConversionLosses } from "./convert/losses.ts";
import { convertToFlat } from "./convert/to-flat.ts";
import { convertToTree } from "./convert/to-tree.ts";
import type { Dialect } from "./polychora/dialect.ts";
import type { Save } from "./polychora/save.ts";

/** What became of a conversion. */
export interface ConversionReport {
  readonly chunks: number;
  readonly entities: number;
  readonly players: number;
  /** What the other format has no room for, each with how often; none when all of it carried over. */
  readonly losses: readonly ConversionLoss[];
}

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
