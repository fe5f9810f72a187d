import { isOrthantError } from "@orthant/core";
import { STORED_VOXEL_DATA_BYTES_MAX, type VoxelDataEdit } from "@orthant/core/chunk";
import { PLAIN_DATA } from "@orthant/core/world";
import type { ConversionLosses } from "../format/losses.ts";
import { readNbtCompound } from "../nbt/nbt-compound.ts";
import type { ImportedBlockData, Triple } from "../part/voxel-part.ts";
import type { ImportedChunk } from "./import-source.ts";
import { jsonOfNbt } from "./nbt-json.ts";

const EDGE = 16;
/** Bytes of data that a chunk has room for, with a margin for its places. */
const CHUNK_DATA_BYTES_MAX = 229_376;

/** Data of a voxel, as another program has it. */
export interface DataOfVoxel {
  readonly position: Triple;
  /** What it is, for messages. */
  readonly id: string;
  /** A value of JSON. */
  value(): unknown;
}

/** Returns the data of block entities: JSON, as games read it without a codec of their own. */
export function dataOfBlocks(blockData: readonly ImportedBlockData[]): readonly DataOfVoxel[] {
  return blockData.map(({ position, id, nbt }) => ({
    position,
    id,
    value: () => jsonOfNbt(readNbtCompound(nbt).toMap()),
  }));
}

/** Gives data of voxels to chunks of 16 x 16 x 16 voxels. Of data for one voxel, the last counts. */
export function withData(
  chunks: readonly Omit<ImportedChunk, "data">[],
  entries: readonly DataOfVoxel[],
  losses: ConversionLosses,
): readonly ImportedChunk[] {
  if (entries.length === 0) return chunks.map((chunk) => ({ ...chunk, data: [] }));
  const byChunk = new Map(
    chunks.map(({ position }) => [
      position.join(),
      { edits: new Map<number, VoxelDataEdit>(), left: CHUNK_DATA_BYTES_MAX },
    ]),
  );
  for (const entry of entries) {
    const [x, y, z] = entry.position;
    const own = byChunk.get(entry.position.map((at) => Math.floor(at / EDGE)).join());
    const data = encodedData(entry);
    if (own === undefined || data === undefined || data.length > own.left) {
      losses.add(
        "data of blocks",
        `too long, or where no section is; the first is ${entry.id} at [${entry.position.join(", ")}]`,
      );
      continue;
    }
    const index = (x & 0x0f) | ((y & 0x0f) << 4) | ((z & 0x0f) << 8);
    own.left -= data.length;
    own.edits.set(index, { index, data });
  }
  return chunks.map((chunk) => ({
    ...chunk,
    data: [...(byChunk.get(chunk.position.join())?.edits.values() ?? [])],
  }));
}

/** Returns the data of a voxel; `undefined` if it is too long, or text in it cannot be read. */
export function encodedData(entry: Pick<DataOfVoxel, "value">): Uint8Array | undefined {
  try {
    const bytes = PLAIN_DATA.encode(entry.value());
    return bytes.length <= STORED_VOXEL_DATA_BYTES_MAX ? bytes : undefined;
  } catch (error) {
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}
