import { AIR, type Box, type Chunk, type ChunkShape, OrthantError, type Position } from "@orthant/core";
import {
  boxAt,
  boxContains,
  boxContainsBox,
  boxVolume,
  chunksOfRegions,
  chunksOfVoxels,
  intersectBoxes,
  PositionMap,
  positionsLexicographic,
  regionsTouching,
  unionBox,
  voxelsOfChunks,
  WHOLE_LATTICE,
} from "@orthant/core/lattice";
import type { Save } from "@orthant/save";

/** Maximum number of chunks that are visited one by one, because air counts or a generator fills them. */
const VISITED_CHUNKS_MAX = 65_536;

/** A chunk of a save, and the part of its voxels that is asked for. */
export interface SourceChunk {
  readonly chunk: Chunk;
  /** Its first voxel. */
  readonly origin: Position;
  /** In voxels of the world. */
  readonly part: Box;
}

/** Returns the smallest box around all voxels of edited chunks that are not air; `undefined` if there is none. */
export async function contentBox(save: Save): Promise<Box | undefined> {
  const shape = save.global.description.chunkShape;
  let found: Box | undefined;
  for await (const source of storedChunks(save, WHOLE_LATTICE)) {
    if (source.chunk.isEmpty) continue;
    // Most chunks lie inside of what is found already.
    if (found !== undefined && boxContainsBox(found, source.part)) continue;
    visitPart(shape, source, (index, position) => {
      if (source.chunk.get(index) === AIR) return;
      if (found === undefined) found = boxAt(position);
      else if (!boxContains(found, position)) found = unionBox(found, boxAt(position));
    });
  }
  return found;
}

/** Yields all chunks in a box of voxels in which something may be: with air, or a generator, that is each of them. */
export async function* sourceChunks(save: Save, box: Box, withAir: boolean): AsyncGenerator<SourceChunk> {
  const { base, description } = save.global;
  const chunks = chunksOfVoxels(description.chunkShape, box);
  const visited = withAir || base.kind !== "empty" ? visitedChunks(save, chunks) : storedChunks(save, chunks);
  for await (const source of visited) {
    const part = intersectBoxes(source.part, box);
    if (part !== undefined && (withAir || !source.chunk.isEmpty)) yield { ...source, part };
  }
}

/** Calls `visit` with each voxel of a part of a chunk: its index in the chunk, and its position in the world. */
export function visitPart(
  { extents: [width, height, depth] }: ChunkShape,
  { origin, part: { min, max } }: SourceChunk,
  visit: (index: number, position: Position) => void,
): void {
  for (let w = min[3]; w < max[3]; w++) {
    for (let z = min[2]; z < max[2]; z++) {
      for (let y = min[1]; y < max[1]; y++) {
        const row = ((w - origin[3]) * depth + z - origin[2]) * height + y - origin[1];
        for (let x = min[0]; x < max[0]; x++) visit(row * width + x - origin[0], [x, y, z, w]);
      }
    }
  }
}

async function* storedChunks(save: Save, chunks: Box): AsyncGenerator<SourceChunk> {
  const shape = save.global.description.chunkShape;
  for (const leaf of await save.leavesIn(chunks)) {
    for (const { position, chunk } of await save.readChunks(leaf)) {
      if (boxContains(chunks, position)) yield sourceChunk(shape, position, chunk);
    }
  }
}

async function* visitedChunks(save: Save, chunks: Box): AsyncGenerator<SourceChunk> {
  const count = boxVolume(chunks);
  if (count > VISITED_CHUNKS_MAX) {
    const limit = `at most ${VISITED_CHUNKS_MAX} are pasted at once if air is pasted too, or a generator makes some of them`;
    throw new OrthantError("ORT_LIMIT", `the box touches ${count} chunks, and ${limit}: use a smaller box`);
  }
  const shape = save.global.description.chunkShape;
  for (const region of positionsLexicographic(regionsTouching(chunks))) {
    const part = intersectBoxes(chunksOfRegions(boxAt(region)), chunks);
    if (part === undefined) continue;
    const stored = new PositionMap<Chunk>();
    for (const leaf of await save.leavesIn(part)) {
      for (const { position, chunk } of await save.readChunks(leaf)) stored.set(...position, chunk);
    }
    for (const position of positionsLexicographic(part)) {
      yield sourceChunk(shape, position, stored.get(...position) ?? save.generate(position));
    }
  }
}

function sourceChunk(shape: ChunkShape, position: Position, chunk: Chunk): SourceChunk {
  const part = voxelsOfChunks(shape, boxAt(position));
  return { chunk, origin: part.min, part };
}
