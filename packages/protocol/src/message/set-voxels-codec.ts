import {
  type Codec,
  OrthantError,
  type Position,
  positionFrom,
  requireInteger,
  type VoxelPlacement,
} from "@orthant/core";
import type { SetVoxels } from "./client-message.ts";
import { counterCodec } from "./counter.ts";
import { EDIT_VOXELS_MAX, VOXEL_COORDINATE_MAX } from "./limits.ts";

const ORIGIN: Position = [0, 0, 0, 0];

/** Blocks for voxels, each position relative to the one before. Rule N18 in protocol.md. */
export const setVoxelsCodec: Codec<SetVoxels> = {
  write(out, { editId, placements }) {
    counterCodec.write(out, editId);
    requireInteger(placements.length, 1, EDIT_VOXELS_MAX);
    out.varUint(placements.length);
    let previous = ORIGIN;
    for (const { voxel, block } of placements) {
      if (!isVoxel(voxel)) throw new OrthantError("ORT_POSITION_RANGE", `voxel [${voxel}] is in no world`);
      for (const [axis, coordinate] of voxel.entries()) out.varInt(coordinate - (previous[axis] as number));
      out.varU16(block);
      previous = voxel;
    }
  },

  read(input) {
    const editId = counterCodec.read(input);
    const count = input.count(EDIT_VOXELS_MAX);
    if (count === 0) throw input.fail("ORT_MESSAGE", "an edit of no voxels");
    const placements: VoxelPlacement[] = [];
    let previous = ORIGIN;
    for (let index = 0; index < count; index++) {
      const from = previous;
      const voxel = positionFrom((axis) => from[axis] + input.varInt());
      if (!isVoxel(voxel)) throw input.fail("ORT_POSITION_RANGE", `voxel [${voxel}] is in no world`);
      placements.push({ voxel, block: input.varU16() });
      previous = voxel;
    }
    return { kind: "setVoxels", editId, placements };
  },
};

function isVoxel(voxel: Position): boolean {
  return voxel.every(
    (coordinate) =>
      Number.isInteger(coordinate) &&
      coordinate >= -VOXEL_COORDINATE_MAX - 1 &&
      coordinate <= VOXEL_COORDINATE_MAX,
  );
}
