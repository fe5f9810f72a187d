import { type Box, type Chunk, type ChunkShape, chunkFromVoxels, type Position } from "@orthant/core";
import { requireAtMost } from "@orthant/core/arguments";
import { optionalBytesEqual } from "@orthant/core/bytes";
import { sameTypeIn, type VoxelDataEdit } from "@orthant/core/chunk";
import {
  boxAt,
  boxVolume,
  chunkOfVoxel,
  chunksOfVoxels,
  intersectBoxes,
  PositionMap,
  PositionSet,
  positionsLexicographic,
  regionBox,
  regionsTouching,
  voxelsOfChunks,
} from "@orthant/core/lattice";
import {
  type OperationPlan,
  type OperationWorld,
  type PlannedChunk,
  planChunk,
} from "@orthant/core/operations";
import { EDIT_CHUNKS_MAX } from "../options/world-options.ts";

/** A chunk that an operation changed, and what it was. */
export interface ChangedChunk extends PlannedChunk {
  readonly position: Position;
  readonly before: Chunk;
}

/** What becomes of a chunk. */
export interface ChunkOutcome {
  /** `undefined` if it stays as it is. */
  readonly planned: PlannedChunk | undefined;
  /** The number of voxels that an undo leaves alone, because they have been changed since. */
  readonly kept: number;
}

/** Which chunks may change, and into what. */
export interface ChunkWork {
  /** The chunks that may change, in as few boxes as are needed. */
  readonly chunks: readonly Box[];
  /** The same ones in boxes of at most a region. */
  readonly parts: readonly Box[];
  /** Returns the chunks that decide what those of a part become, besides themselves. */
  reads(part: Box): readonly Box[];
  /** Computes what becomes of a chunk, with pauses in which the caller may do other things. */
  change(position: Position, chunk: Chunk): Generator<undefined, ChunkOutcome, undefined>;
}

/** Returns what a plan has to do. Throws `ORT_LIMIT` for too many chunks. */
export function planWork(plan: OperationPlan, world: OperationWorld): ChunkWork {
  const { shape, catalog } = world;
  const isSameType = sameTypeIn(catalog);
  const touched = touchedChunks(plan, shape);
  const examined = Math.min(boxVolume(plan.box), countOf(touched) * shape.volume);
  world.spend(plan.work, examined);
  const work: ChunkWork = {
    chunks: touched,
    parts: plan.voxels === undefined ? touched.flatMap(partsInRegions) : touched,
    reads(part) {
      const voxels = intersectBoxes(plan.box, voxelsOfChunks(shape, part));
      return voxels === undefined ? [] : plan.reads(voxels).map((read) => chunksOfVoxels(shape, read));
    },
    *change(position, chunk) {
      return { planned: yield* planChunk(plan, position, chunk, shape, isSameType), kept: 0 };
    },
  };
  for (const chunks of touched) for (const read of work.reads(chunks)) requireFew([read]);
  return work;
}

/** Returns the chunks that a plan may change: one by one if it lists its voxels. Throws `ORT_LIMIT` for too many. */
function touchedChunks({ box, voxels }: OperationPlan, shape: ChunkShape): readonly Box[] {
  const touched: Box[] = [];
  if (voxels === undefined) touched.push(chunksOfVoxels(shape, box));
  else {
    const found = new PositionSet();
    for (const voxel of voxels) found.add(...chunkOfVoxel(shape, voxel));
    for (const chunk of found) touched.push(boxAt(chunk));
  }
  requireFew(touched);
  return touched;
}

function partsInRegions(chunks: Box): readonly Box[] {
  return Array.from(
    positionsLexicographic(regionsTouching(chunks)),
    (region) => intersectBoxes(regionBox(region), chunks) as Box,
  );
}

/** Returns what takes changes back: in each voxel that is still as they left it. */
export function undoWork(changed: readonly ChangedChunk[]): ChunkWork {
  const byPosition = new PositionMap<ChangedChunk>();
  for (const one of changed) byPosition.set(...one.position, one);
  const chunks = changed.map(({ position }) => boxAt(position));
  return {
    chunks,
    parts: chunks,
    reads: () => [],
    // biome-ignore lint/correctness/useYield: a chunk takes far less than a millisecond
    *change(position, chunk) {
      return undone(byPosition.get(...position) as ChangedChunk, chunk);
    },
  };
}

function undone(made: ChangedChunk, now: Chunk): ChunkOutcome {
  const { before, chunk: after, count, box } = made;
  // What others changed since stays.
  if (now.equals(after)) return { planned: { chunk: before, count, box }, kept: 0 };
  const voxels = now.voxels();
  const [old, left] = [before.voxels(), after.voxels()];
  const data: VoxelDataEdit[] = [];
  let undoneCount = 0;
  let kept = 0;
  for (let index = 0; index < voxels.length; index++) {
    const [oldData, leftData] = [before.dataAt(index), after.dataAt(index)];
    const isChanged = old[index] !== left[index] || !optionalBytesEqual(oldData, leftData);
    if (!isChanged) continue;
    const nowData = now.dataAt(index);
    if (voxels[index] !== left[index] || !optionalBytesEqual(nowData, leftData)) {
      if (voxels[index] !== old[index] || !optionalBytesEqual(nowData, oldData)) kept++;
      continue;
    }
    voxels[index] = old[index] as number;
    data.push({ index, data: oldData });
    undoneCount++;
  }
  if (undoneCount === 0) return { planned: undefined, kept };
  const chunk = chunkFromVoxels(voxels).withData(now.data).editData(data);
  return { planned: { chunk, count: undoneCount, box }, kept };
}

function countOf(boxes: readonly Box[]): number {
  return boxes.reduce((count, box) => count + boxVolume(box), 0);
}

function requireFew(chunks: readonly Box[]): void {
  requireAtMost(countOf(chunks), EDIT_CHUNKS_MAX, "chunks of an operation", "select less, or do it in parts");
}
