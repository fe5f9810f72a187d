import type { Position, VoxelPlacement } from "@orthant/core";
import { type ByteReader, type ByteWriter, type Codec, list } from "@orthant/core/bytes";
import { AXES } from "@orthant/core/engine";
import type { RequestedEdit } from "@orthant/protocol";

const PLACEMENTS_MAX = 65_536;

const placementCodec: Codec<VoxelPlacement> = {
  write(out, { voxel, block }) {
    writeVoxel(out, voxel);
    out.varU16(block);
  },
  read: (input) => ({ voxel: readVoxel(input), block: input.varU16() }),
};

function writeVoxel(out: ByteWriter, voxel: Position): void {
  for (const coordinate of voxel) out.varInt(coordinate);
}

function readVoxel(input: ByteReader): Position {
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
      throw input.fail("ORT_BOX", `[${min}] to [${max}] is no box`);
    const box = { min, max };
    return kind === "fill" ? { kind, box, block: input.varU16() } : { kind, box, to: readVoxel(input) };
  },
};
