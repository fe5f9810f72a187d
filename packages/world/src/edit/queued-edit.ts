import {
  AXIS_NAMES,
  type BlockCatalog,
  type Box,
  type Chunk,
  type ChunkShape,
  OrthantError,
  type Position,
  uniformChunk,
  type VoxelPlacement,
} from "@orthant/core";
import { copyBytes } from "@orthant/core/bytes";
import {
  axisOutside,
  boxAt,
  boxBetween,
  boxVolume,
  chunkOfVoxel,
  chunksOfVoxels,
  convertList,
  fillBlocks,
  type IsSameType,
  intersectBoxes,
  PositionSet,
  positionFrom,
  positionsLexicographic,
  positionsMinorToMajor,
  regionBox,
  requireList,
  type StateEdit,
  sameTypeIn,
  voxelsOfChunks,
  type WorldState,
} from "@orthant/core/engine";
import {
  requireBox,
  requireChunkPair,
  requirePlacement,
  requirePositionArgument,
} from "../checked-arguments.ts";
import { COPY_VOXELS_MAX, EDIT_CHUNKS_MAX } from "../world-options.ts";

/** A queued edit. It copies its arguments, because the caller may reuse the arrays meanwhile. */
export interface QueuedEdit {
  /** The chunks to load before the edit is applied. */
  readonly touched: readonly Box[];
  /** The chunks whose generated voxels it needs. Default: all that it touches. */
  readonly generated?: (state: WorldState) => readonly Box[];
  readonly change: (state: WorldState) => StateEdit;
  /** The requested voxels, when the edit sets voxels one by one. */
  readonly placements?: readonly VoxelPlacement[];
  /** Whether it brings data of voxels into the world. */
  readonly hasData?: boolean;
}

/** The world that an edit is for. */
export interface EditTarget {
  readonly shape: ChunkShape;
  /** Tells which blocks are of one type. */
  readonly catalog: BlockCatalog;
}

/** Creates a request that sets voxels. */
export function voxelsEdit(
  { shape, catalog }: EditTarget,
  placements: readonly VoxelPlacement[],
): QueuedEdit {
  const isSameType = sameTypeIn(catalog);
  const advice = "they are an array of voxels with blocks";
  const own = convertList("the placements", placements, advice, (placement) => {
    requirePlacement(placement);
    const voxel = copyPosition(placement.voxel);
    requireInWorld(shape, voxel, "voxel");
    const { block, data } = placement;
    return data === undefined ? { voxel, block } : { voxel, block, data: data && copyBytes(data) };
  });
  const change = (state: WorldState): StateEdit => state.setVoxels(own, isSameType);
  const hasData = own.some(({ data }) => data instanceof Uint8Array);
  const [only] = own;
  // Most edits set one voxel and need no set of chunks.
  if (only !== undefined && own.length === 1) {
    return { touched: [boxAt(chunkOfVoxel(shape, only.voxel))], change, placements: own, hasData };
  }
  const chunks = new PositionSet();
  for (const { voxel } of own) chunks.add(...chunkOfVoxel(shape, voxel));
  requireAtMost(chunks.size, EDIT_CHUNKS_MAX, "chunks: edit them in parts");
  return { touched: Array.from(chunks, boxAt), change, placements: own, hasData };
}

/** Creates a request that sets whole chunks. */
export function chunksEdit(
  shape: ChunkShape,
  chunks: readonly (readonly [position: Position, chunk: Chunk])[],
): QueuedEdit {
  requireList("the chunks", chunks, "they are an array of positions with chunks");
  requireAtMost(chunks.length, EDIT_CHUNKS_MAX, "chunks: put them in parts");
  const own = convertList("the chunks", chunks, "they are an array of pairs", (pair) => {
    requireChunkPair(pair);
    requireInWorld(shape, pair[0], "chunk");
    return [copyPosition(pair[0]), pair[1]] as const;
  });
  return {
    touched: own.map(([position]) => boxAt(position)),
    change: (state) => state.setChunks(own),
    hasData: own.some(([, chunk]) => chunk.data.size > 0),
  };
}

/** Creates a request that sets every voxel of a box. */
export function fillEdit({ shape, catalog }: EditTarget, box: Box, block: number): QueuedEdit {
  const isSameType = sameTypeIn(catalog);
  const own = copyOfBox(box);
  requireBoxInWorld(shape, own);
  const chunks = chunksOfVoxels(shape, own);
  requireAtMost(boxVolume(chunks), EDIT_CHUNKS_MAX, "chunks: fill it in parts");
  return { touched: [chunks], change: (state) => fillBox(state, own, block, isSameType) };
}

/** Creates a request that copies a box of voxels to another position. */
export function copyEdit(shape: ChunkShape, box: Box, to: Position): QueuedEdit {
  const source = copyOfBox(box);
  const target = boxBetween(
    copyPosition(to),
    positionFrom((axis) => box.max[axis] - box.min[axis] + to[axis]),
  );
  requireBoxInWorld(shape, target);
  requireAtMost(boxVolume(source), COPY_VOXELS_MAX, "voxels: copy it in parts");
  const touched = [source, target].map((voxels) => chunksOfVoxels(shape, voxels));
  for (const chunks of touched)
    requireAtMost(boxVolume(chunks), EDIT_CHUNKS_MAX, "chunks: copy them in parts");
  return { touched, change: (state) => copyBox(state, source, target.min) };
}

/** Returns a request that first reports the world to which it is applied. */
export function watchedEdit(request: QueuedEdit, onApply?: (before: WorldState) => void): QueuedEdit {
  if (onApply === undefined) return request;
  const change: QueuedEdit["change"] = (state) => {
    onApply(state);
    return request.change(state);
  };
  return { ...request, change };
}

/** Creates a request that only bumps the clocks of regions. */
export function clockRenewal(regions: readonly Position[]): QueuedEdit {
  const own = regions.map(copyPosition);
  return {
    touched: own.map(regionBox),
    generated: () => [],
    change: (state) => ({ state, chunks: [], regions: own }),
  };
}

/** Throws `ORT_ARGUMENT` for a position that is not 0 on an axis the world lacks. */
function requireInWorld(shape: ChunkShape, position: Position, kind: "voxel" | "chunk"): void {
  const axis = axisOutside(shape, position);
  if (axis === undefined) return;
  throw new OrthantError(
    "ORT_ARGUMENT",
    `${kind} [${position}] is outside of the world: with chunks of [${shape.extents}] voxels ${AXIS_NAMES[axis]} is always 0`,
  );
}

function requireBoxInWorld(shape: ChunkShape, { min, max }: Box): void {
  requireInWorld(shape, min, "voxel");
  requireInWorld(
    shape,
    positionFrom((axis) => max[axis] - 1),
    "voxel",
  );
}

/** Throws `ORT_LIMIT` when an edit is too large. `unit` ends with advice for the caller. */
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
  return boxBetween(copyPosition(min), copyPosition(max));
}

function copyPosition(position: Position): Position {
  requirePositionArgument("the position", position);
  return [position[0], position[1], position[2], position[3]];
}

/** Returns the edit that sets every voxel of a box. */
function fillBox(state: WorldState, box: Box, block: number, isSameType: IsSameType): StateEdit {
  const chunks = chunksOfVoxels(state.shape, box);
  const filled = Array.from(positionsLexicographic(chunks), (position): readonly [Position, Chunk] => [
    position,
    fillChunk(state, position, box, block, isSameType),
  ]);
  return state.setChunks(filled);
}

/** Returns the edit that copies a box of voxels to another position. Source and target may overlap. */
function copyBox(state: WorldState, box: Box, to: Position): StateEdit {
  const placements = Array.from(positionsMinorToMajor(box), (position): VoxelPlacement => {
    const voxel = positionFrom((axis) => position[axis] - box.min[axis] + to[axis]);
    return { voxel, block: state.voxelAt(...position), data: state.dataAt(...position) ?? null };
  });
  return state.setVoxels(placements);
}

function fillChunk(
  state: WorldState,
  position: Position,
  box: Box,
  block: number,
  isSameType: IsSameType,
): Chunk {
  const { shape } = state;
  const voxels = voxelsOfChunks(shape, boxAt(position));
  const part = intersectBoxes(box, voxels) ?? voxels;
  const isWhole = boxVolume(part) === shape.volume;
  // A chunk without data that is filled as a whole need not be known.
  if (isWhole && (state.overrides.at(...position)?.data.size ?? 0) === 0)
    return uniformChunk(shape.volume, block);
  const local = boxBetween(minus(part.min, voxels.min), minus(part.max, voxels.min));
  return fillBlocks(state.realizeChunk(...position), shape, local, block, isSameType);
}

function minus(position: Position, from: Position): Position {
  return positionFrom((axis) => position[axis] - from[axis]);
}
