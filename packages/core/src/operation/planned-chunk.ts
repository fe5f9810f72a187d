import { optionalBytesEqual } from "../bytes/integers.ts";
import { type Chunk, chunkFromVoxels, uniformChunk } from "../chunk/chunk.ts";
import type { IsSameType } from "../chunk/edit-blocks.ts";
import type { VoxelDataEdit } from "../chunk/voxel-data.ts";
import { type Box, boxAt, boxVolume, intersectBoxes } from "../lattice/box.ts";
import { type ChunkShape, voxelIndex, voxelsOfChunks } from "../lattice/chunk-shape.ts";
import type { Position } from "../lattice/position.ts";
import { type OperationPlan, UNCHANGED } from "./operation-plan.ts";

/** A chunk after an operation. */
export interface PlannedChunk {
  readonly chunk: Chunk;
  /** The number of voxels with another block or other data. */
  readonly count: number;
  /** A box around them, in this chunk. */
  readonly box: Box;
}

/** How much work is done between two moments at which the caller may do other things: far less than a millisecond. */
const WORK_AT_A_TIME = 8_192;

/** Returns what a plan makes of a chunk, `undefined` if it changes none of its voxels, with pauses in which the caller may do other things. */
export function* planChunk(
  plan: OperationPlan,
  position: Position,
  chunk: Chunk,
  shape: ChunkShape,
  isSameType: IsSameType,
): Generator<undefined, PlannedChunk | undefined, undefined> {
  const part = intersectBoxes(plan.box, voxelsOfChunks(shape, boxAt(position)));
  if (part === undefined) return undefined;
  const { constant } = plan;
  if (constant !== undefined && chunk.data.size === 0 && boxVolume(part) === shape.volume)
    return filledChunk(chunk, constant, part);
  return yield* changedChunk(plan, part, chunk, shape, isSameType);
}

function filledChunk(chunk: Chunk, block: number, box: Box): PlannedChunk | undefined {
  let count = 0;
  for (const before of chunk.voxels()) if (before !== block) count++;
  return count === 0 ? undefined : { chunk: uniformChunk(chunk.volume, block), count, box };
}

function* changedChunk(
  plan: OperationPlan,
  box: Box,
  chunk: Chunk,
  shape: ChunkShape,
  isSameType: IsSameType,
): Generator<undefined, PlannedChunk | undefined, undefined> {
  const { min, max } = box;
  const before = chunk.voxels();
  const voxels = before.slice();
  const data: VoxelDataEdit[] = [];
  const hasData = chunk.data.size > 0;
  // Voxels until the next pause; one voxel may be as much work as others in a whole chunk.
  const voxelsAtATime = Math.max(1, Math.floor(WORK_AT_A_TIME / plan.work));
  let untilPause = voxelsAtATime;
  let count = 0;
  for (let w = min[3]; w < max[3]; w++)
    for (let z = min[2]; z < max[2]; z++)
      for (let y = min[1]; y < max[1]; y++) {
        let index = voxelIndex(shape, min[0], y, z, w);
        for (let x = min[0]; x < max[0]; x++, index++) {
          if (untilPause-- === 0) {
            untilPause = voxelsAtATime;
            yield;
          }
          const old = before[index] as number;
          const block = plan.blockAt(x, y, z, w, old);
          if (block === UNCHANGED) continue;
          let isChanged = block !== old;
          if (plan.dataAt !== undefined) {
            const bytes = plan.dataAt(x, y, z, w);
            if (!optionalBytesEqual(hasData ? chunk.data.at(index) : undefined, bytes)) {
              data.push({ index, data: bytes });
              isChanged = true;
            }
          } else if (hasData && isChanged && !isSameType(old, block)) data.push({ index, data: undefined });
          if (!isChanged) continue;
          voxels[index] = block;
          count++;
        }
      }
  if (count === 0) return undefined;
  const changed = chunkFromVoxels(voxels).withData(chunk.data);
  return { chunk: data.length === 0 ? changed : changed.editData(data), count, box };
}
