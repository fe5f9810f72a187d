import type { Axis, Box, ChunkShape } from "@orthant/core";
import { boxVolume, positionFrom, regionsTouching } from "@orthant/core/lattice";
import { MESH_BLOCK_EDGE_VOXELS } from "../mesh/mesh-block.ts";
import type { View } from "../message/messages.ts";
import { mapPlane } from "../slice/slice.ts";

/** Slightly below the number of regions that a client may request from a server. */
const REGIONS_MAX = 4_000;
const SHRINK = 0.9;

/**
 * Returns the chunks that a view needs: all in reach with a border around them, and on the hidden axis the
 * slice and its neighbours. Shrinks a view that exceeds the server's limit.
 */
export function visibleChunks(view: View, shape: ChunkShape): Box {
  for (let share = 1; ; share *= SHRINK) {
    const box: Box = {
      min: positionFrom((axis) => chunkRange(view, shape, axis, share)[0]),
      max: positionFrom((axis) => chunkRange(view, shape, axis, share)[1] + 1),
    };
    if (boxVolume(regionsTouching(box)) <= REGIONS_MAX) return box;
  }
}

/** Returns the first and the last chunk on an axis. */
function chunkRange(view: View, shape: ChunkShape, axis: Axis, share: number): readonly [number, number] {
  const extent = shape.extents[axis];
  const middle = view.eye[axis];
  const at = view.slice.at;
  if (axis === view.slice.hidden) {
    const beside = extent === 1 ? 0 : 1;
    return [Math.floor((at - beside) / extent), Math.floor((at + beside) / extent)];
  }
  if (extent === 1) return [Math.floor(middle), Math.floor(middle)];
  const reach = reachOn(view, shape, axis) * share;
  // Mesh blocks whose middles are in reach, and the chunks around them.
  const border = 1 + Math.ceil(MESH_BLOCK_EDGE_VOXELS / 2 / extent);
  return [Math.floor((middle - reach) / extent) - border, Math.floor((middle + reach) / extent) + border];
}

function reachOn({ map, slice, eye, reach }: View, shape: ChunkShape, axis: Axis): number {
  if (map === undefined) return reach;
  const { across, down } = mapPlane(shape, slice);
  const index = axis === across ? 0 : axis === down ? 1 : undefined;
  if (index === undefined) return reach;
  return Math.max(map.max[index] - eye[axis], eye[axis] - map.min[index]);
}
