import { type Box, type Chunk, chunkFromVoxels, type Position } from "@orthant/core";
import { requireAtMost } from "@orthant/core/arguments";
import { optionalBytesEqual } from "@orthant/core/bytes";
import { sameTypeIn, type VoxelDataEdit } from "@orthant/core/chunk";
import {
  boxAt,
  boxVolume,
  chunksOfVoxels,
  intersectBoxes,
  PositionMap,
  positionsLexicographic,
  regionBox,
  regionsTouching,
  unionBox,
  voxelsOfChunks,
} from "@orthant/core/lattice";
import {
  type OperationPlan,
  type OperationWorld,
  type PlannedChunk,
  plannedChunk,
} from "@orthant/core/operations";
import { EDIT_CHUNKS_MAX } from "../options/world-options.ts";

/** A chunk that an operation changed, and what it was. */
export interface ChangedChunk extends PlannedChunk {
  readonly position: Position;
  readonly before: Chunk;
}

/** Which chunks may change, and into what. */
export interface ChunkWork {
  /** A box around all chunks that may change. */
  readonly chunks: Box;
  /** The chunks that may change, in boxes of at most a region. */
  readonly parts: readonly Box[];
  /** Returns the chunks that decide what those of a part become, besides themselves. */
  reads(part: Box): readonly Box[];
  change(position: Position, chunk: Chunk): PlannedChunk | undefined;
}

/** Returns what a plan has to do. Throws `ORT_LIMIT` for too many chunks. */
export function planWork(plan: OperationPlan, { shape, catalog }: OperationWorld): ChunkWork {
  const isSameType = sameTypeIn(catalog);
  const chunks = chunksOfVoxels(shape, plan.box);
  requireFew(chunks);
  const work: ChunkWork = {
    chunks,
    parts: Array.from(
      positionsLexicographic(regionsTouching(chunks)),
      (region) => intersectBoxes(regionBox(region), chunks) as Box,
    ),
    reads(part) {
      const voxels = intersectBoxes(plan.box, voxelsOfChunks(shape, part));
      return voxels === undefined ? [] : plan.reads(voxels).map((read) => chunksOfVoxels(shape, read));
    },
    change: (position, chunk) => plannedChunk(plan, position, chunk, shape, isSameType),
  };
  for (const read of work.reads(chunks)) requireFew(read);
  return work;
}

/** Returns what takes changes back: in each voxel that is still as they left it. */
export function undoWork(changed: readonly ChangedChunk[]): ChunkWork {
  const byPosition = new PositionMap<ChangedChunk>();
  for (const one of changed) byPosition.set(...one.position, one);
  return {
    chunks: changed.reduce<Box | undefined>(
      (box, { position }) => unionBox(box, boxAt(position)),
      undefined,
    ) as Box,
    parts: changed.map(({ position }) => boxAt(position)),
    reads: () => [],
    change: (position, chunk) => undone(byPosition.get(...position) as ChangedChunk, chunk),
  };
}

function undone(made: ChangedChunk, now: Chunk): PlannedChunk | undefined {
  const { before, chunk: after, count, box } = made;
  // What others changed since stays.
  if (now.equals(after)) return { chunk: before, count, box };
  const voxels = now.voxels();
  const [old, left] = [before.voxels(), after.voxels()];
  const data: VoxelDataEdit[] = [];
  let undoneCount = 0;
  for (let index = 0; index < voxels.length; index++) {
    const [oldData, leftData] = [before.dataAt(index), after.dataAt(index)];
    const isChanged = old[index] !== left[index] || !optionalBytesEqual(oldData, leftData);
    if (!isChanged || voxels[index] !== left[index] || !optionalBytesEqual(now.dataAt(index), leftData))
      continue;
    voxels[index] = old[index] as number;
    data.push({ index, data: oldData });
    undoneCount++;
  }
  if (undoneCount === 0) return undefined;
  return { chunk: chunkFromVoxels(voxels).withData(now.data).editData(data), count: undoneCount, box };
}

function requireFew(chunks: Box): void {
  requireAtMost(
    boxVolume(chunks),
    EDIT_CHUNKS_MAX,
    "chunks of an operation",
    "select less, or do it in parts",
  );
}
