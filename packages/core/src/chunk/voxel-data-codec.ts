import type { ByteReader } from "../bytes/byte-reader.ts";
import { ByteWriter } from "../bytes/byte-writer.ts";
import type { Codec } from "../bytes/codec.ts";
import { requireInteger } from "../bytes/integers.ts";
import { OrthantError } from "../error/orthant-error.ts";
import { requireVolume } from "./chunk.ts";
import { varU32Bytes } from "./packed-indices.ts";
import {
  CHUNK_DATA_BYTES_MAX,
  requireVoxelDataLength,
  STORED_VOXEL_DATA_BYTES_MAX,
  VoxelData,
  type VoxelDataEdit,
} from "./voxel-data.ts";

/**
 * Returns a codec for the data of a chunk: for each voxel that has some, the number of voxels skipped before it and its
 * bytes. Rules C24 to C27 in docs/formats/chunk-payload.md.
 */
export function voxelDataCodec(volume: number): Codec<VoxelData> {
  requireVolume(volume);
  return {
    write(out, data) {
      requireInteger(data.lastIndex ?? 0, 0, volume - 1);
      data.write(out);
    },

    read(input) {
      const start = input.offset;
      const out = new ByteWriter();
      const count = input.count(volume);
      out.varUint(count);
      let next = 0;
      for (let position = 0; position < count; position++) {
        const index = readIndex(input, next, volume);
        const length = input.varUint();
        if (length > STORED_VOXEL_DATA_BYTES_MAX) throw input.fail("ORT_LIMIT", tooLong(length));
        out.varUint(index - next);
        out.bytes(input.view(length));
        next = index + 1;
        if (input.offset - start > CHUNK_DATA_BYTES_MAX) {
          throw input.fail("ORT_LIMIT", `more than ${CHUNK_DATA_BYTES_MAX} bytes of data in a chunk`);
        }
      }
      return VoxelData.ofEncoded(out.copy());
    },
  };
}

/**
 * Returns a codec for a list of edits of data, at least one, ascending by index: the number of voxels skipped, then 0 to
 * remove the data, or its length plus 1 and its bytes. Rule P24 in docs/formats/region-patch.md.
 */
export function voxelDataEditsCodec(volume: number): Codec<readonly VoxelDataEdit[]> {
  return {
    write(out, edits) {
      requireVoxelDataEdits(edits, volume);
      out.varUint(edits.length);
      let next = 0;
      for (const { index, data } of edits) {
        out.varUint(index - next);
        out.varUint(data === undefined ? 0 : data.length + 1);
        if (data !== undefined) out.raw(data);
        next = index + 1;
      }
    },

    read(input) {
      const count = input.count(volume);
      if (count === 0) throw input.fail("ORT_PATCH_FORM", "a list of no data");
      const edits: VoxelDataEdit[] = [];
      let next = 0;
      for (let position = 0; position < count; position++) {
        const index = readIndex(input, next, volume);
        const length = input.varUint() - 1;
        if (length > STORED_VOXEL_DATA_BYTES_MAX) throw input.fail("ORT_LIMIT", tooLong(length));
        edits.push({ index, data: length < 0 ? undefined : input.view(length).slice() });
        next = index + 1;
      }
      return edits;
    },
  };
}

/** Returns the encoded length of a list of edits of data. */
export function voxelDataEditsBytes(edits: readonly VoxelDataEdit[]): number {
  let bytes = varU32Bytes(edits.length);
  let next = 0;
  for (const { index, data } of edits) {
    bytes += varU32Bytes(index - next);
    bytes += data === undefined ? 1 : varU32Bytes(data.length + 1) + data.length;
    next = index + 1;
  }
  return bytes;
}

/** Throws `ORT_PATCH_FORM` unless there are edits, in order and all inside the chunk; `ORT_LIMIT` above a limit. */
export function requireVoxelDataEdits(edits: readonly VoxelDataEdit[], volume: number): void {
  if (edits.length === 0) throw new OrthantError("ORT_PATCH_FORM", "a list of no data");
  let previous = -1;
  for (const { index, data } of edits) {
    if (!Number.isInteger(index) || index <= previous || index >= volume) {
      throw new OrthantError("ORT_PATCH_FORM", `data of voxel ${index} of ${volume}, behind ${previous}`);
    }
    if (data !== undefined) requireVoxelDataLength(data.length);
    previous = index;
  }
}

function readIndex(input: ByteReader, next: number, volume: number): number {
  const index = next + input.varUint();
  if (index >= volume) throw input.fail("ORT_VOXEL_DATA", `data of voxel ${index} of ${volume}`);
  return index;
}

function tooLong(bytes: number): string {
  return `${bytes} bytes of data for a voxel, the limit is ${STORED_VOXEL_DATA_BYTES_MAX}`;
}
