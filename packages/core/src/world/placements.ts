import { convertList, requireBlock, requireObject } from "../arguments/checks.ts";
import { checkedOptions, unchecked } from "../arguments/options.ts";
import type { Axes } from "../lattice/axes.ts";
import type { Dimensions } from "../lattice/position.ts";
import type { VoxelPlacement } from "../state/world-state.ts";
import { type DataCodec, encodeData } from "./data-codec.ts";
import type { BlockPlacement, SetOptions } from "./voxel-world.ts";

/** Returns placements with four axes. Throws `ORT_ARGUMENT` unless `placements` is a list of `{ position, block }`. */
export function voxelPlacements<D extends Dimensions>(
  axes: Axes<D>,
  placements: unknown,
  codec: DataCodec,
): VoxelPlacement[] {
  return convertList("placements", placements, "it is a list of { position, block }", (placement, index) =>
    voxelPlacement(axes, `placements[${index}]`, placement, codec),
  );
}

/** Returns a placement with four axes. Throws `ORT_ARGUMENT` unless `placement` is `{ position, block, data }`. */
export function voxelPlacement<D extends Dimensions>(
  axes: Axes<D>,
  name: string,
  placement: unknown,
  codec: DataCodec,
): VoxelPlacement {
  requireObject(name, placement, "it is { position, block }");
  const { position, block, data } = placement as Partial<BlockPlacement<D>>;
  const voxel = axes.position(`${name}.position`, position);
  const encoded = encodeData(codec, `${name}.data`, data);
  // Only an edit of data can do without a block.
  if (block === undefined && encoded !== undefined) return { voxel, data: encoded };
  const plain = { voxel, block: requireBlock(`${name}.block`, block) };
  return encoded === undefined ? plain : { ...plain, data: encoded };
}

/** Returns the options of `set` as an object of our own. */
export function checkedSetOptions(options: unknown): SetOptions {
  return checkedOptions("the options", options as SetOptions, { data: unchecked });
}
