import {
  type BlockCatalog,
  type Box,
  type Chunk,
  type ChunkShape,
  chunkFromVoxels,
  OrthantError,
  type Position,
  uniformChunk,
} from "@orthant/core";
import { convertList, isListOf, requireAtMost, requireInteger, requireList } from "@orthant/core/arguments";
import { copyBytes, U16_MAX } from "@orthant/core/bytes";
import { fillBlocks, type IsSameType, sameTypeIn } from "@orthant/core/chunk";
import {
  AXIS_NAMES,
  axisOutside,
  boxAt,
  boxBetween,
  boxContains,
  boxVolume,
  chunkOfVoxel,
  chunksOfVoxels,
  intersectBoxes,
  PositionMap,
  positionFrom,
  positionsLexicographic,
  regionBox,
  voxelIndex,
  voxelOfIndex,
  voxelsOfChunks,
} from "@orthant/core/lattice";
import type { ChunkBlocks, StateEdit, VoxelPlacement, WorldState } from "@orthant/core/tree";
import {
  requireBox,
  requireChunkPair,
  requirePlacement,
  requirePositionArgument,
} from "../options/checked-arguments.ts";
import { COPY_VOXELS_MAX, EDIT_CHUNKS_MAX } from "../options/world-options.ts";
import { BlocksByChunk } from "./blocks-by-chunk.ts";

/** A queued edit. It copies its arguments, because the caller may reuse the arrays meanwhile. */
export interface QueuedEdit {
  /** The chunks to load before the edit is applied. */
  readonly touched: readonly Box[];
  /** The chunks whose generated voxels it needs. Default: all that it touches. */
  readonly generated?: (state: WorldState) => readonly Box[];
  readonly change: (state: WorldState) => StateEdit;
  /** The chunks of its voxels, with their new blocks, when the edit sets voxels one by one. */
  readonly blocks?: readonly ChunkBlocks[];
  /** Whether it does nothing else than set these blocks: such an edit can be made in place. */
  readonly hasOnlyBlocks?: boolean;
  /** Whether it brings data of voxels into the world. */
  readonly hasData?: boolean;
}

/** The world that an edit is for. */
interface EditTarget {
  readonly shape: ChunkShape;
  /** Tells which blocks are of one type. */
  readonly catalog: BlockCatalog;
}

/** Creates a request that sets voxels. */
export function voxelsEdit(target: EditTarget, placements: readonly VoxelPlacement[]): QueuedEdit {
  const { shape, catalog } = target;
  if (isListOf(placements, isVoxelBlock)) return blocksEdit(target, gatherBlocks(shape, placements));
  const isSameType = sameTypeIn(catalog);
  const advice = "they are an array of voxels with blocks";
  const own = convertList("the placements", placements, advice, (placement): VoxelPlacement => {
    requirePlacement(placement);
    const { voxel, block, data } = placement;
    return { voxel: copyPosition(voxel), block, data: data && copyBytes(data) };
  });
  return {
    ...blocksEdit(target, gatherBlocks(shape, own)),
    change: (state) => state.setVoxels(own, isSameType),
    hasOnlyBlocks: false,
    hasData: own.some(({ data }) => data instanceof Uint8Array),
  };
}

/** Creates a request that sets blocks, which nothing may change any more. */
export function blocksEdit({ catalog }: EditTarget, blocks: readonly ChunkBlocks[]): QueuedEdit {
  const isSameType = sameTypeIn(catalog);
  return {
    touched: blocks.map(({ chunk }) => boxAt(chunk)),
    change: (state) => state.setBlocks(blocks, isSameType),
    blocks,
    hasOnlyBlocks: true,
  };
}

/** Returns the chunks of voxels, with the blocks of those that get one. */
function gatherBlocks(shape: ChunkShape, placements: readonly VoxelPlacement[]): readonly ChunkBlocks[] {
  const gathered = new BlocksByChunk();
  for (const { voxel, block } of placements) {
    const own = copyPosition(voxel);
    requireInWorld(shape, own, "voxel");
    const chunk = gathered.of(...chunkOfVoxel(shape, own));
    if (block === undefined) continue;
    requireInteger(block, 0, U16_MAX, "block");
    chunk.indices.push(voxelIndex(shape, ...own));
    chunk.blocks.push(block);
  }
  return gathered.chunks;
}

function isVoxelBlock(placement: unknown): boolean {
  requirePlacement(placement);
  return placement.block !== undefined && placement.data === undefined;
}

/** Creates a request that sets whole chunks. */
export function chunksEdit(
  shape: ChunkShape,
  chunks: readonly (readonly [position: Position, chunk: Chunk])[],
): QueuedEdit {
  requireList("the chunks", chunks, "they are an array of positions with chunks");
  requireAtMost(chunks.length, EDIT_CHUNKS_MAX, "chunks of an edit", "put them in parts");
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
  requireAtMost(boxVolume(chunks), EDIT_CHUNKS_MAX, "chunks of an edit", "fill the box in parts");
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
  requireAtMost(boxVolume(source), COPY_VOXELS_MAX, "voxels of a copy", "copy the box in parts");
  const touched = [source, target].map((voxels) => chunksOfVoxels(shape, voxels));
  for (const chunks of touched)
    requireAtMost(boxVolume(chunks), EDIT_CHUNKS_MAX, "chunks of an edit", "copy the box in parts");
  return { touched, change: (state) => copyBox(state, source, target.min) };
}

/** Returns a request that first reports the world to which it is applied. */
export function watchedEdit(request: QueuedEdit, onApply?: (before: WorldState) => void): QueuedEdit {
  if (onApply === undefined) return request;
  const change: QueuedEdit["change"] = (state) => {
    onApply(state);
    return request.change(state);
  };
  return { ...request, change, hasOnlyBlocks: false };
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
export function requireInWorld(shape: ChunkShape, position: Position, kind: "voxel" | "chunk"): void {
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

/** Returns the edit that copies a box of voxels to another position, by rows. Source and target may overlap. */
function copyBox(state: WorldState, box: Box, to: Position): StateEdit {
  const { shape } = state;
  const shift = minus(to, box.min);
  const target = moved(box, shift);
  const sources = new PositionMap<SourceChunk>();
  for (const position of positionsLexicographic(chunksOfVoxels(shape, box))) {
    const chunk = state.realizeChunk(...position);
    sources.set(...position, { chunk, voxels: chunk.voxels() });
  }
  const copied = Array.from(
    positionsLexicographic(chunksOfVoxels(shape, target)),
    (position): readonly [Position, Chunk] => {
      const chunk = state.realizeChunk(...position);
      return [position, copyIntoChunk(chunk, shape, voxelsWithin(shape, position, target), shift, sources)];
    },
  );
  return state.setChunks(copied);
}

/** A chunk that a copy reads, and its blocks. */
interface SourceChunk {
  readonly chunk: Chunk;
  readonly voxels: Uint16Array;
}

/** Returns a chunk in which the voxels of `part` are those of the sources that lie `shift` before them. */
function copyIntoChunk(
  chunk: Chunk,
  shape: ChunkShape,
  part: Box,
  shift: Position,
  sources: PositionMap<SourceChunk>,
): Chunk {
  const voxels = chunk.voxels();
  const data = new Map<number, Uint8Array | undefined>();
  chunk.data.forEachLength((index) => {
    if (boxContains(part, voxelOfIndex(shape, chunkOfVoxel(shape, part.min), index)))
      data.set(index, undefined);
  });
  const source = moved(part, minus([0, 0, 0, 0], shift));
  for (const position of positionsLexicographic(chunksOfVoxels(shape, source))) {
    const found = sources.get(...position);
    if (found === undefined) continue;
    const { min, max } = voxelsWithin(shape, position, source);
    const targetIndex = ([x, y, z, w]: Position): number =>
      voxelIndex(shape, x + shift[0], y + shift[1], z + shift[2], w + shift[3]);
    for (const row of positionsLexicographic({ min, max: [min[0] + 1, max[1], max[2], max[3]] })) {
      const start = voxelIndex(shape, ...row);
      voxels.set(found.voxels.subarray(start, start + max[0] - min[0]), targetIndex(row));
    }
    for (const entry of found.chunk.data) {
      const voxel = voxelOfIndex(shape, position, entry.index);
      if (boxContains({ min, max }, voxel)) data.set(targetIndex(voxel), entry.data);
    }
  }
  const copied = chunkFromVoxels(voxels).withData(chunk.data);
  return data.size === 0
    ? copied
    : copied.editData(Array.from(data, ([index, bytes]) => ({ index, data: bytes })));
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
  const part = voxelsWithin(shape, position, box);
  const isWhole = boxVolume(part) === shape.volume;
  // A chunk without data that is filled as a whole need not be known.
  if (isWhole && (state.overrides.at(...position)?.data.size ?? 0) === 0)
    return uniformChunk(shape.volume, block);
  const local = boxBetween(minus(part.min, voxels.min), minus(part.max, voxels.min));
  return fillBlocks(state.realizeChunk(...position), shape, local, block, isSameType);
}

/** Returns the voxels of a chunk that are in a box which has some of them. */
function voxelsWithin(shape: ChunkShape, chunk: Position, box: Box): Box {
  const voxels = voxelsOfChunks(shape, boxAt(chunk));
  return intersectBoxes(box, voxels) ?? voxels;
}

function moved({ min, max }: Box, by: Position): Box {
  return boxBetween(
    positionFrom((axis) => min[axis] + by[axis]),
    positionFrom((axis) => max[axis] + by[axis]),
  );
}

function minus(position: Position, from: Position): Position {
  return positionFrom((axis) => position[axis] - from[axis]);
}
