import { AIR, type Chunk, type ChunkShape, chunkFromVoxels, uniformChunk } from "@orthant/core";
import { chunkFromHalfBytes } from "@orthant/core/chunk";
import { cubeAt, getOrAdd } from "@orthant/core/lattice";
import { type ChunkEntry, chunkOfEntity, type LeafChange, type StoredEntity } from "@orthant/save";
import { ColumnSection } from "../blocks/column-section.ts";
import { NOT_STORED } from "../part/voxel-part.ts";
import { CELL_CHUNKS, type ImportedChunk, type ImportedVoxels } from "./import-source.ts";

const EDGE = 16;
const SECTION_VOXELS = EDGE ** 3;

/** Returns whether a chunk has a voxel that is not air. */
export function holdsBlocks(voxels: ImportedVoxels, isAir: (state: string) => boolean): boolean {
  if (voxels instanceof ColumnSection) return voxels.holds((state) => !isAir(state));
  const { palette, indices } = voxels;
  const isSolid = palette.map((state) => !isAir(state));
  if (indices === undefined) return isSolid[0] === true;
  return isSolid.includes(true) && indices.some((index) => isSolid[index] === true);
}

/** Returns the leaves of a save with these chunks. Those of air without data are left out. */
export function leavesOf(
  chunks: readonly ImportedChunk[],
  shape: ChunkShape,
  blockOf: (state: string) => number,
  entities: readonly StoredEntity[] = [],
): readonly LeafChange[] {
  const cells = new Map<string, { readonly chunks: ChunkEntry[]; readonly entities: StoredEntity[] }>();
  const cellAt = (position: readonly number[]): NonNullable<ReturnType<(typeof cells)["get"]>> => {
    const key = position.map((at) => Math.floor(at / CELL_CHUNKS)).join();
    return getOrAdd(cells, key, () => ({ chunks: [], entities: [] }));
  };
  for (const { position, voxels, data } of chunks) {
    const blocks = sectionChunk(voxels, shape, blockOf) ?? chunkOf(voxels, shape, blockOf);
    const chunk = data.length === 0 ? blocks : blocks.editData(data);
    if (chunk.isEmpty && chunk.data.size === 0) continue;
    cellAt(position).chunks.push({ position: [...position, 0], chunk });
  }
  for (const entity of entities) cellAt(chunkOfEntity(entity, shape).slice(0, 3)).entities.push(entity);
  return Array.from(cells, ([key, cell]) => {
    const [x = 0, y = 0, z = 0] = key.split(",").map((at) => Number(at) * CELL_CHUNKS);
    return { cube: cubeAt([x, y, z, 0], CELL_CHUNKS), ...cell };
  });
}

// Places of the voxels of a section, as it has them and in the order of a chunk. Shared by all calls, which never overlap.
const sectionWords = new Uint32Array(SECTION_VOXELS / 8);
const chunkWords = new Uint32Array(SECTION_VOXELS / 8);
const sectionBlocks = new Uint16Array(16);

/** Returns the chunk of a section with up to 16 states; `undefined` for anything else. A row of voxels is two words. */
function sectionChunk(
  voxels: ImportedVoxels,
  { volume }: ChunkShape,
  blockOf: (state: string) => number,
): Chunk | undefined {
  const isSection = voxels instanceof ColumnSection && volume === SECTION_VOXELS;
  if (!isSection || voxels.palette.length > sectionBlocks.length) return undefined;
  if (!voxels.packInto(sectionWords)) return undefined;
  for (const [place, state] of voxels.palette.entries()) sectionBlocks[place] = blockOf(state);
  for (let z = 0; z < EDGE; z++) {
    for (let y = 0; y < EDGE; y++) {
      const [from, to] = [(z + y * EDGE) * 2, (y + z * EDGE) * 2];
      chunkWords[to] = sectionWords[from] as number;
      chunkWords[to + 1] = sectionWords[from + 1] as number;
    }
  }
  return chunkFromHalfBytes(chunkWords, sectionBlocks);
}

// Our numbers of a palette, 0 behind it and for voxels that are not stored. Shared by all calls, which leave zeros behind.
const ids = new Uint16Array(NOT_STORED + 1);

/** In parts of other programs z runs second and y slowest; in chunks y runs second. */
function chunkOf(
  { palette, indices }: ImportedVoxels,
  { extents, volume }: ChunkShape,
  blockOf: (state: string) => number,
): Chunk {
  if (indices === undefined)
    return uniformChunk(volume, palette[0] === undefined ? AIR : blockOf(palette[0]));
  const blocks = palette.map(blockOf);
  ids.set(blocks);
  const [width, height, depth] = extents;
  const voxels = new Uint16Array(volume);
  let at = 0;
  for (let y = 0; y < height; y++) {
    for (let z = 0; z < depth; z++) {
      const start = (y + z * height) * width;
      for (let x = 0; x < width; x++) voxels[start + x] = ids[indices[at++] as number] as number;
    }
  }
  ids.fill(0, 0, blocks.length);
  return chunkFromVoxels(voxels);
}
