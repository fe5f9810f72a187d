import { AIR, type Axis, type Box, type Chunk, type ChunkShape, type Position } from "@orthant/core";
import { AXES, chunksOfVoxels, PositionMap, positionFrom } from "@orthant/core/lattice";
import type { WorldState } from "@orthant/core/tree";
import type { LeafEntry, Save } from "@orthant/save";
import { realizeStored } from "@orthant/save/content";
import type { MapView } from "./view.ts";

/** What is visible in some rows of a picture, pixel by pixel. Rows count from the least coordinate. */
export interface Band {
  readonly width: number;
  readonly rows: number;
  /** The visible block; `AIR` when there is none. */
  readonly blocks: Uint16Array;
  /** The coordinate of the first visible voxel on the viewing axis. */
  readonly heights: Int32Array;
  /** The translucent block in front, such as water; `AIR` when there is none. */
  readonly veils: Uint16Array;
  /** Number of translucent voxels in front. */
  readonly veilDepths: Uint16Array;
}

/** Scans the voxels of a box, which is at most one chunk wide on the axis of the rows. */
export async function lookAt(
  source: ChunkSource,
  shape: ChunkShape,
  box: Box,
  view: MapView,
  isVeil: (block: number) => boolean,
): Promise<Band> {
  const width = box.max[view.across] - box.min[view.across];
  const rows = box.max[view.down] - box.min[view.down];
  const band: Band = {
    width,
    rows,
    blocks: new Uint16Array(width * rows),
    heights: new Int32Array(width * rows),
    veils: new Uint16Array(width * rows),
    veilDepths: new Uint16Array(width * rows),
  };
  const chunks = chunksOfVoxels(shape, box);
  for (let across = chunks.min[view.across]; across < chunks.max[view.across]; across++) {
    const column = withAxis(chunks, view.across, across);
    const chunkAt = await source.open(column);
    let open = pixelsIn(shape, box, view, across);
    const [first, last] =
      view.along === undefined ? [0, 0] : [column.max[view.along] - 1, column.min[view.along]];
    for (let along = first; along >= last && open > 0; along--) {
      const position = positionFrom((axis) => (axis === view.along ? along : column.min[axis]));
      const chunk = chunkAt(position);
      if (chunk !== undefined && !chunk.isEmpty)
        open -= paintChunk(band, chunk, position, shape, box, view, isVeil);
    }
  }
  return band;
}

/** Scans one chunk. Returns the number of pixels that it completed. */
function paintChunk(
  band: Band,
  chunk: Chunk,
  position: Position,
  shape: ChunkShape,
  box: Box,
  view: MapView,
  isVeil: (block: number) => boolean,
): number {
  const { extents } = shape;
  const strides = [1, extents[0], extents[0] * extents[1], extents[0] * extents[1] * extents[2]] as const;
  const from = (axis: Axis): number => Math.max(position[axis] * extents[axis], box.min[axis]);
  const to = (axis: Axis): number => Math.min((position[axis] + 1) * extents[axis], box.max[axis]);
  const offsetOf = (axis: Axis, at: number): number => (at - position[axis] * extents[axis]) * strides[axis];
  const voxels = chunk.voxels();
  const { across, down, along } = view;
  let fixed = 0;
  for (const axis of AXES) {
    if (axis !== across && axis !== down && axis !== along) fixed += offsetOf(axis, from(axis));
  }
  let ended = 0;
  for (let row = from(down); row < to(down); row++) {
    for (let column = from(across); column < to(across); column++) {
      const pixel = (row - box.min[down]) * band.width + (column - box.min[across]);
      if (band.blocks[pixel] !== AIR) continue;
      const cell = fixed + offsetOf(down, row) + offsetOf(across, column);
      if (along === undefined) {
        band.blocks[pixel] = voxels[cell] as number;
        if (voxels[cell] !== AIR) ended++;
        continue;
      }
      for (let at = to(along) - 1; at >= from(along); at--) {
        const block = voxels[cell + offsetOf(along, at)] as number;
        if (block === AIR) continue;
        if (band.veils[pixel] === AIR) band.heights[pixel] = at;
        if (isVeil(block)) {
          if (band.veils[pixel] === AIR) band.veils[pixel] = block;
          band.veilDepths[pixel] = (band.veilDepths[pixel] as number) + 1;
          continue;
        }
        band.blocks[pixel] = block;
        ended++;
        break;
      }
    }
  }
  return ended;
}

function withAxis({ min, max }: Box, fixed: Axis, at: number): Box {
  return {
    min: positionFrom((axis) => (axis === fixed ? at : min[axis])),
    max: positionFrom((axis) => (axis === fixed ? at + 1 : max[axis])),
  };
}

/** Returns the number of pixels in a column of chunks. */
function pixelsIn({ extents }: ChunkShape, box: Box, { across, down }: MapView, column: number): number {
  const left = Math.max(column * extents[across], box.min[across]);
  const right = Math.min((column + 1) * extents[across], box.max[across]);
  return (right - left) * (box.max[down] - box.min[down]);
}

/** Cached leaves: those of a few columns, which the next columns need again. */
const LEAVES_KEPT = 48;

/** Returns chunks from the save, or else from the generator. Caches a few leaves and some chunks. */
export class ChunkSource {
  readonly #content: Save;
  readonly #state: WorldState;
  /** Least recently used first. */
  readonly #leaves = new Map<LeafEntry, PositionMap<Chunk>>();

  constructor(content: Save, state: WorldState) {
    this.#content = content;
    this.#state = state;
  }

  /** Loads the chunks of a box. Returns a function that looks them up. */
  async open(box: Box): Promise<(position: Position) => Chunk | undefined> {
    const made: PositionMap<Chunk>[] = [];
    for (const leaf of await this.#content.leavesIn(box)) made.push(await this.#read(leaf));
    const content = this.#state.queryContentBounds(box);
    return (position) => {
      for (const chunks of made) {
        const chunk = chunks.get(...position);
        if (chunk !== undefined) return chunk;
      }
      if (content === undefined || position.some((at, axis) => isOutside(at, content, axis)))
        return undefined;
      return this.#state.realizeChunk(...position);
    };
  }

  async #read(leaf: LeafEntry): Promise<PositionMap<Chunk>> {
    let chunks = this.#leaves.get(leaf);
    if (chunks === undefined) {
      chunks = new PositionMap<Chunk>();
      for (const stored of await this.#content.readStored(leaf)) {
        const generated = (position: Position): Chunk => this.#state.generatedChunk(...position);
        chunks.set(...stored.position, realizeStored(stored, generated));
      }
    }
    this.#leaves.delete(leaf);
    this.#leaves.set(leaf, chunks);
    const [oldest] = this.#leaves.keys();
    if (this.#leaves.size > LEAVES_KEPT && oldest !== undefined) this.#leaves.delete(oldest);
    return chunks;
  }
}

function isOutside(at: number, { min, max }: Box, axis: number): boolean {
  return at < (min[axis] as number) || at >= (max[axis] as number);
}
