import type { Axis, Box, ChunkShape } from "@orthant/core";
import { boxVolume, positionFrom, regionsTouching } from "@orthant/core/lattice";
import { LIGHT_REACH_VOXELS } from "@orthant/core/light";
import type { View } from "../message/messages.ts";
import { mapPlane } from "../slice/slice.ts";

/** Slightly below the number of regions that a client may request from a server. */
const REGIONS_MAX = 4_000;
const SHRINK = 0.9;
/** The longest edge of a section of a `WorldView`, unless chunks are larger. */
const SECTION_VOXELS = 48;
/** A mesh needs the voxels beside it, and with light all from which light may come. */
const BORDER_VOXELS = 1;
const LIT_VOXELS = LIGHT_REACH_VOXELS + BORDER_VOXELS;

/** What a view needs: all chunks in reach, and the reach itself, which may be less than was wished. */
interface VisibleChunks {
  readonly chunks: Box;
  /** In voxels. */
  readonly reach: number;
}

/**
 * Returns the chunks that a view needs: all in reach with what their meshes depend on, and on the hidden axis the slice and
 * its neighbours. Shrinks a view that exceeds the server's limit.
 */
export function visibleChunks(view: View, shape: ChunkShape): VisibleChunks {
  for (let share = 1; ; share *= SHRINK) {
    const box: Box = {
      min: positionFrom((axis) => chunkRange(view, shape, axis, share)[0]),
      max: positionFrom((axis) => chunkRange(view, shape, axis, share)[1] + 1),
    };
    if (boxVolume(regionsTouching(box)) <= REGIONS_MAX) return { chunks: box, reach: view.reach * share };
  }
}

/** Returns the first and the last chunk on an axis. */
function chunkRange(view: View, shape: ChunkShape, axis: Axis, share: number): readonly [number, number] {
  const extent = shape.extents[axis];
  const middle = view.eye[axis];
  const at = view.slice.at;
  const around = view.map === undefined && view.isLit ? LIT_VOXELS : BORDER_VOXELS;
  if (axis === view.slice.hidden) {
    // The slices beside this one are ghosts.
    const beside = extent === 1 ? 0 : around + 1;
    return [Math.floor((at - beside) / extent), Math.floor((at + beside) / extent)];
  }
  if (extent === 1) return [Math.floor(middle), Math.floor(middle)];
  const reach = reachOn(view, shape, axis) * share + Math.max(SECTION_VOXELS, extent) + around;
  return [Math.floor((middle - reach) / extent), Math.floor((middle + reach) / extent)];
}

function reachOn({ map, slice, eye, reach }: View, shape: ChunkShape, axis: Axis): number {
  if (map === undefined) return reach;
  const { across, down } = mapPlane(shape, slice);
  const index = axis === across ? 0 : axis === down ? 1 : undefined;
  if (index === undefined) return reach;
  return Math.max(map.max[index] - eye[axis], eye[axis] - map.min[index]);
}
