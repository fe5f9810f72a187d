import type { BlockDefinitions, DataCodec, Dimensions, Position, VoxelBox, VoxelWorld } from "@orthant/core";
import {
  callback,
  checkedOptions,
  matching,
  requireFlag,
  unchecked,
  withMethods,
} from "@orthant/core/arguments";
import { PLAIN_DATA, requireDataCodec } from "@orthant/core/world";
import { requireNames } from "../format/block-names.ts";

/** Where a world is pasted into: an open `World`. */
export type PasteTarget<D extends Dimensions> = Pick<
  VoxelWorld<D>,
  "dimensions" | "chunkShape" | "blocks" | "edit"
> & { defineBlocks(definitions: BlockDefinitions): Promise<unknown> };

/** What of a world is pasted, and where. */
export interface PasteOptions<D extends Dimensions> {
  /** Where the lowest corner of the box comes to lie. */
  readonly at: Position<D>;
  /** Voxels of the source. Default: the smallest box around what its edited chunks hold besides air. */
  readonly box?: VoxelBox<D>;
  /** Whether air of the source replaces blocks. Default: false. */
  readonly air?: boolean;
  /** Names of the target's types for types of the source that have others there, such as `{ "minecraft:oak_planks": "planks" }`. */
  readonly names?: Readonly<Record<string, string>>;
  /**
   * Degrees by which it is turned about the vertical axis, clockwise seen from above, with the blocks' own directions. Default: 0.
   */
  readonly rotate?: 0 | 90 | 180 | 270;
  /** Reads the data of the source's voxels. Default: JSON, and bytes as they are. */
  readonly dataCodec?: DataCodec;
  /** Whether to count only, and to change nothing. Default: false. */
  readonly dryRun?: boolean;
  /** Called after each edit, which sets at most 16,384 voxels. The next one waits for what it returns. */
  readonly onEdit?: () => unknown;
}

/** Returns the options with their defaults. Throws `ORT_ARGUMENT` for a wrong one; `at` and `box` are not checked. */
export function checkedPasteOptions<D extends Dimensions>(
  options: PasteOptions<D>,
): PasteOptions<D> &
  Required<Pick<PasteOptions<D>, "air" | "names" | "rotate" | "dataCodec" | "dryRun" | "onEdit">> {
  const checked = checkedOptions<PasteOptions<D>>("the options", options, {
    at: unchecked,
    box: unchecked,
    air: requireFlag,
    names: requireNames,
    rotate: matching("it is 0, 90, 180 or 270 degrees", (value) =>
      [0, 90, 180, 270].includes(value as number),
    ),
    dataCodec: requireDataCodec,
    dryRun: requireFlag,
    onEdit: callback,
  });
  return {
    air: false,
    names: {},
    rotate: 0,
    dataCodec: PLAIN_DATA,
    dryRun: false,
    onEdit: () => undefined,
    ...checked,
  };
}

/** Throws `ORT_ARGUMENT` for a target that is not an open world. */
export function requirePasteTarget(target: unknown): void {
  const advice = "it is an open world, as openWorld returns it";
  withMethods<PasteTarget<Dimensions>>(advice, "edit", "defineBlocks")("target", target);
}
