import type { Box, Position } from "@orthant/core";
import {
  type Codec,
  checkedWhenRead,
  constant,
  list,
  perAxis,
  record,
  varInt,
  variants,
  varU16,
} from "@orthant/core/bytes";
import { STORED_VOXEL_DATA_BYTES_MAX } from "@orthant/core/chunk";
import { AXES } from "@orthant/core/lattice";
import type { VoxelPlacement } from "@orthant/core/tree";
import type { RequestedEdit } from "@orthant/protocol";

const PLACEMENTS_MAX = 65_536;

/** What a placement sets. */
const HAS_BLOCK = 1;
const REMOVES_DATA = 2;
const HAS_DATA = 4;

/** Codec of the position of a voxel. */
export const voxelCodec: Codec<Position> = perAxis(varInt);

/** Codec of what is set at a voxel. */
export const placementCodec: Codec<VoxelPlacement> = {
  write(out, { voxel, block, data }) {
    voxelCodec.write(out, voxel);
    const dataFlag = data === null ? REMOVES_DATA : HAS_DATA;
    out.u8((block === undefined ? 0 : HAS_BLOCK) | (data === undefined ? 0 : dataFlag));
    if (block !== undefined) out.varU16(block);
    if (data instanceof Uint8Array) out.bytes(data, STORED_VOXEL_DATA_BYTES_MAX);
  },
  read(input) {
    const voxel = voxelCodec.read(input);
    const flags = input.u8();
    if (flags === 0 || flags > (HAS_BLOCK | HAS_DATA))
      throw input.fail("ORT_TAG", `flags ${flags} of a placement`);
    const placement = flags & HAS_BLOCK ? { voxel, block: input.varU16() } : { voxel };
    if (flags & REMOVES_DATA) return { ...placement, data: null };
    return flags & HAS_DATA ? { ...placement, data: input.bytes(STORED_VOXEL_DATA_BYTES_MAX) } : placement;
  },
};

const voxelBoxCodec = checkedWhenRead<Box>(
  record({ min: voxelCodec, max: voxelCodec }),
  "ORT_BOX",
  ({ min, max }) =>
    AXES.some((axis) => min[axis] >= max[axis]) ? `[${min}] to [${max}] is not a box` : undefined,
);

/** What an edit asks for: a tag, and voxels, or a box and a block, or a box and a position. */
export const requestedEditCodec: Codec<RequestedEdit> = variants<RequestedEdit>({
  voxels: record({ kind: constant("voxels"), placements: list(placementCodec, PLACEMENTS_MAX) }),
  fill: record({ kind: constant("fill"), box: voxelBoxCodec, block: varU16 }),
  copy: record({ kind: constant("copy"), box: voxelBoxCodec, to: voxelCodec }),
});
