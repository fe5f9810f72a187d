import type { Codec } from "../bytes/codec.ts";
import { requireInteger, U16_MAX } from "../bytes/integers.ts";
import type { VoxelEdit } from "../chunk/chunk.ts";
import { varU32Bytes } from "../chunk/encoded-size.ts";
import { OrthantError } from "../error/orthant-error.ts";
import type { Position } from "../lattice/position.ts";

/** New blocks for single voxels of one chunk, ordered by index, each voxel once. */
export interface ChunkEdits {
  readonly chunk: Position;
  readonly edits: readonly VoxelEdit[];
}

/** A list of edits: the number of voxels skipped before each, and its block. Rule P14, region-patch.md. */
export function voxelEditsCodec(volume: number): Codec<readonly VoxelEdit[]> {
  return {
    write(out, edits) {
      requireVoxelEdits(edits, volume);
      out.varUint(edits.length);
      let next = 0;
      for (const { index, block } of edits) {
        out.varUint(index - next);
        out.varU16(block);
        next = index + 1;
      }
    },

    read(input) {
      const count = input.count(volume);
      if (count === 0) throw input.fail("ORT_PATCH_FORM", "a list of no edits");
      const edits: VoxelEdit[] = [];
      let next = 0;
      for (let position = 0; position < count; position++) {
        const index = next + input.varUint();
        if (index >= volume) throw input.fail("ORT_PATCH_FORM", `voxel ${index} of ${volume}`);
        edits.push({ index, block: input.varU16() });
        next = index + 1;
      }
      return edits;
    },
  };
}

/** Returns the encoded length of a list of edits. */
export function voxelEditsBytes(edits: readonly VoxelEdit[]): number {
  let bytes = varU32Bytes(edits.length);
  let next = 0;
  for (const { index, block } of edits) {
    bytes += varU32Bytes(index - next) + varU32Bytes(block);
    next = index + 1;
  }
  return bytes;
}

/** Throws `ORT_PATCH_FORM` unless there are edits, in order and all inside the chunk. */
export function requireVoxelEdits(edits: readonly VoxelEdit[], volume: number): void {
  if (edits.length === 0) throw new OrthantError("ORT_PATCH_FORM", "a list of no edits");
  let previous = -1;
  for (const { index, block } of edits) {
    if (!Number.isInteger(index) || index <= previous || index >= volume) {
      throw new OrthantError("ORT_PATCH_FORM", `voxel ${index} of ${volume}, behind ${previous}`);
    }
    requireInteger(block, 0, U16_MAX);
    previous = index;
  }
}
