import {
  type Box,
  boxAt,
  boxBetween,
  boxVolume,
  type Chunk,
  type ChunkShape,
  chunkOfVoxel,
  chunksOfVoxels,
  type FieldEdit,
  OrthantError,
  type Place,
  PlaceSet,
  placeFrom,
  regionBox,
  type VoxelPlacement,
  type WorldField,
} from "@orthant/core";
import { copyBox, fillBox } from "./voxel-boxes.ts";
import { COPY_VOXELS_MAX, EDIT_CHUNKS_MAX } from "./world-options.ts";

/**
 * An edit that waits for its turn. It has copies of what it was given: whoever asks may use the same arrays again
 * for the next edit before this one is made.
 */
export interface EditRequest {
  /** The chunks that have to be loaded before the edit is made. */
  readonly touched: readonly Box[];
  readonly change: (field: WorldField) => FieldEdit;
  /** What is asked for, when it is voxels one by one. */
  readonly placements?: readonly VoxelPlacement[];
}

/** Puts materials into voxels. */
export function voxelsRequest(shape: ChunkShape, placements: readonly VoxelPlacement[]): EditRequest {
  const own = placements.map(({ voxel, material }) => ({ voxel: copyPlace(voxel), material }));
  const change = (field: WorldField): FieldEdit => field.setVoxels(own);
  const [only, ...others] = own;
  // Most edits are of one voxel, and need no set of chunks.
  if (only !== undefined && others.length === 0) {
    return { touched: [boxAt(chunkOfVoxel(shape, only.voxel))], change, placements: own };
  }
  const chunks = new PlaceSet();
  for (const { voxel } of own) chunks.add(...chunkOfVoxel(shape, voxel));
  requireAtMost(chunks.size, EDIT_CHUNKS_MAX, "chunks: edit them in parts");
  return { touched: Array.from(chunks, boxAt), change, placements: own };
}

/** Puts whole chunks. */
export function chunksRequest(chunks: readonly (readonly [place: Place, chunk: Chunk])[]): EditRequest {
  requireAtMost(chunks.length, EDIT_CHUNKS_MAX, "chunks: put them in parts");
  const own = chunks.map(([place, chunk]) => [copyPlace(place), chunk] as const);
  return { touched: own.map(([place]) => boxAt(place)), change: (field) => field.setChunks(own) };
}

/** Puts a material into every voxel of a box. */
export function fillRequest(shape: ChunkShape, box: Box, material: number): EditRequest {
  const own = copyOfBox(box);
  const chunks = chunksOfVoxels(shape, own);
  requireAtMost(boxVolume(chunks), EDIT_CHUNKS_MAX, "chunks: fill it in parts");
  return { touched: [chunks], change: (field) => fillBox(field, own, material) };
}

/** Puts what a box of voxels holds to another place as well. */
export function copyRequest(shape: ChunkShape, box: Box, to: Place): EditRequest {
  const source = copyOfBox(box);
  const target = boxBetween(
    copyPlace(to),
    placeFrom((axis) => box.max[axis] - box.min[axis] + to[axis]),
  );
  requireAtMost(boxVolume(source), COPY_VOXELS_MAX, "voxels: copy it in parts");
  const touched = [source, target].map((voxels) => chunksOfVoxels(shape, voxels));
  for (const chunks of touched)
    requireAtMost(boxVolume(chunks), EDIT_CHUNKS_MAX, "chunks: copy them in parts");
  return { touched, change: (field) => copyBox(field, source, target.min) };
}

/** Changes nothing but the clocks of regions. */
export function renewalRequest(regions: readonly Place[]): EditRequest {
  const own = regions.map(copyPlace);
  return { touched: own.map(regionBox), change: (field) => ({ field, chunks: [], regions: own }) };
}

/** Throws `ORT_LIMIT` when an edit is too large; behind the unit stands what to do about it. */
function requireAtMost(count: number, limit: number, unit: string): void {
  if (count <= limit) return;
  throw new OrthantError(
    "ORT_LIMIT",
    `one edit touches at most ${limit} ${unit}; this one would touch ${count}`,
  );
}

function copyOfBox({ min, max }: Box): Box {
  return boxBetween(copyPlace(min), copyPlace(max));
}

function copyPlace(place: Place): Place {
  return placeFrom((axis) => place[axis]);
}
