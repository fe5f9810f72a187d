import {
  axisOutside,
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
import {
  requireArray,
  requireBox,
  requireChunkPair,
  requirePlace,
  requirePlacement,
} from "./checked-arguments.ts";
import { copyBox, fillBox } from "./voxel-boxes.ts";
import { COPY_VOXELS_MAX, EDIT_CHUNKS_MAX } from "./world-options.ts";

const AXIS_NAMES = ["x", "y", "z", "w"] as const;

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
  requireArray("the placements", placements, "they are an array of voxels with materials");
  for (const placement of placements) requirePlacement(placement);
  const own = placements.map(({ voxel, material }) => ({ voxel: copyPlace(voxel), material }));
  for (const { voxel } of own) requireInWorld(shape, voxel, "voxel");
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
export function chunksRequest(
  shape: ChunkShape,
  chunks: readonly (readonly [place: Place, chunk: Chunk])[],
): EditRequest {
  requireArray("the chunks", chunks, "they are an array of places with chunks");
  requireAtMost(chunks.length, EDIT_CHUNKS_MAX, "chunks: put them in parts");
  const own = chunks.map((pair) => {
    requireChunkPair(pair);
    requireInWorld(shape, pair[0], "chunk");
    return [copyPlace(pair[0]), pair[1]] as const;
  });
  return { touched: own.map(([place]) => boxAt(place)), change: (field) => field.setChunks(own) };
}

/** Puts a material into every voxel of a box. */
export function fillRequest(shape: ChunkShape, box: Box, material: number): EditRequest {
  const own = copyOfBox(box);
  requireBoxInWorld(shape, own);
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
  requireBoxInWorld(shape, target);
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

/** Throws `ORT_ARGUMENT` for a place on an axis that the world does not have. */
function requireInWorld(shape: ChunkShape, place: Place, kind: "voxel" | "chunk"): void {
  const axis = axisOutside(shape, place);
  if (axis === undefined) return;
  throw new OrthantError(
    "ORT_ARGUMENT",
    `${kind} [${place}] is outside of the world: with chunks of [${shape.extents}] voxels ${AXIS_NAMES[axis]} is always 0`,
  );
}

function requireBoxInWorld(shape: ChunkShape, { min, max }: Box): void {
  requireInWorld(shape, min, "voxel");
  requireInWorld(
    shape,
    placeFrom((axis) => max[axis] - 1),
    "voxel",
  );
}

/** Throws `ORT_LIMIT` when an edit is too large; behind the unit stands what to do about it. */
function requireAtMost(count: number, limit: number, unit: string): void {
  if (count <= limit) return;
  throw new OrthantError(
    "ORT_LIMIT",
    `one edit touches at most ${limit} ${unit}; this one would touch ${count}`,
  );
}

function copyOfBox(box: Box): Box {
  requireBox(box);
  const { min, max } = box;
  return boxBetween(copyPlace(min), copyPlace(max));
}

function copyPlace(place: Place): Place {
  requirePlace("the place", place);
  return placeFrom((axis) => place[axis]);
}
