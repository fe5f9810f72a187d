import type { Position } from "@orthant/core";
import { type ByteReader, type ByteWriter, type Codec, list } from "@orthant/core/bytes";
import { STORED_VOXEL_DATA_BYTES_MAX } from "@orthant/core/chunk";
import { AXES } from "@orthant/core/lattice";
import type { VoxelPlacement } from "@orthant/core/tree";
import type { RequestedEdit } from "@orthant/protocol";

const PLACEMENTS_MAX = 65_536;

/** What a placement sets. */
const HAS_BLOCK = 1;
const REMOVES_DATA = 2;
const HAS_DATA = 4;

/** Codec of what is set at a voxel. */
export const placementCodec: Codec<VoxelPlacement> = {
  write(out, { voxel, block, data }) {
    writeVoxel(out, voxel);
    const dataFlag = data === null ? REMOVES_DATA : HAS_DATA;
    out.u8((block === undefined ? 0 : HAS_BLOCK) | (data === undefined ? 0 : dataFlag));
    if (block !== undefined) out.varU16(block);
    if (data instanceof Uint8Array) out.bytes(data, STORED_VOXEL_DATA_BYTES_MAX);
  },
  read(input) {
    const voxel = readVoxel(input);
    const flags = input.u8();
    if (flags === 0 || flags > (HAS_BLOCK | HAS_DATA))
      throw input.fail("ORT_TAG", `flags ${flags} of a placement`);
    const placement = flags & HAS_BLOCK ? { voxel, block: input.varU16() } : { voxel };
    if (flags & REMOVES_DATA) return { ...placement, data: null };
    return flags & HAS_DATA ? { ...placement, data: input.bytes(STORED_VOXEL_DATA_BYTES_MAX) } : placement;
  },
};

/** Writes the position of a voxel. */
export function writeVoxel(out: ByteWriter, voxel: Position): void {
  for (const coordinate of voxel) out.varInt(coordinate);
}

/** Reads the position of a voxel. */
export function readVoxel(input: ByteReader): Position {
  return [input.varInt(), input.varInt(), input.varInt(), input.varInt()];
}

const placementsCodec = list(placementCodec, PLACEMENTS_MAX);

const EDIT_KINDS: readonly RequestedEdit["kind"][] = ["voxels", "fill", "copy"];

/** What an edit asks for: a tag, and voxels, or a box and a block, or a box and a position. */
export const requestedEditCodec: Codec<RequestedEdit> = {
  write(out, edit) {
    out.tag(EDIT_KINDS.indexOf(edit.kind), EDIT_KINDS.length);
    if (edit.kind === "voxels") {
      placementsCodec.write(out, edit.placements);
      return;
    }
    writeVoxel(out, edit.box.min);
    writeVoxel(out, edit.box.max);
    if (edit.kind === "fill") out.varU16(edit.block);
    else writeVoxel(out, edit.to);
  },
  read(input) {
    const kind = EDIT_KINDS[input.tag(EDIT_KINDS.length)] ?? "voxels";
    if (kind === "voxels") return { kind, placements: placementsCodec.read(input) };
    const min = readVoxel(input);
    const max = readVoxel(input);
    if (AXES.some((axis) => min[axis] >= max[axis]))
      throw input.fail("ORT_BOX", `[${min}] to [${max}] is not a box`);
    const box = { min, max };
    return kind === "fill" ? { kind, box, block: input.varU16() } : { kind, box, to: readVoxel(input) };
  },
};
