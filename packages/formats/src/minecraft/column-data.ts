import { isOrthantError, PLAIN_DATA, VOXEL_DATA_BYTES_MAX, type VoxelDataEdit } from "@orthant/core";
import { type ChunkColumn, type ImportedBlockData, readNbtCompound } from "@orthant/imports";
import { jsonOfNbt } from "./nbt-json.ts";

const EDGE = 16;
/** Bytes of data that a chunk has room for, with a margin for its places. */
const SECTION_BYTES_MAX = 229_376;

/** Data of a column's voxels by the height of their section, and what cannot be converted. */
export interface ColumnData {
  readonly data: ReadonlyMap<number, readonly VoxelDataEdit[]>;
  readonly lost: readonly ImportedBlockData[];
}

/** Turns the block entities of a column into data of voxels: JSON, as games read it without a codec of their own. */
export function columnData({ x, z, sections, blockData }: ChunkColumn): ColumnData {
  const data = new Map<number, VoxelDataEdit[]>(sections.map(({ min }) => [min[1] / EDGE, []]));
  const bytesLeft = new Map<number, number>();
  const lost: ImportedBlockData[] = [];
  for (const entry of blockData) {
    const [blockX, blockY, blockZ] = entry.position;
    const y = Math.floor(blockY / EDGE);
    const bytes = encodedData(entry);
    const left = (bytesLeft.get(y) ?? SECTION_BYTES_MAX) - (bytes?.length ?? 0);
    const section = data.get(y);
    if (section === undefined || bytes === undefined || left < 0) lost.push(entry);
    else {
      bytesLeft.set(y, left);
      const place = [blockX - x * EDGE, blockY - y * EDGE, blockZ - z * EDGE] as const;
      section.push({ index: place[0] + place[1] * EDGE + place[2] * EDGE * EDGE, data: bytes });
    }
  }
  return { data, lost };
}

/** Returns the data of a block entity; `undefined` if it is too long, or text in it cannot be read. */
function encodedData({ nbt }: ImportedBlockData): Uint8Array | undefined {
  try {
    const bytes = PLAIN_DATA.encode(jsonOfNbt(readNbtCompound(nbt).toMap()));
    return bytes.length <= VOXEL_DATA_BYTES_MAX ? bytes : undefined;
  } catch (error) {
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}
