import { requireInteger } from "../bytes/integers.ts";
import { Chunk, emptyChunk } from "../chunk/chunk.ts";
import { OrthantError, wrongArgument } from "../error/orthant-error.ts";
import {
  type Box,
  boxContains,
  boxVolume,
  intersectBoxes,
  positionsMinorToMajor,
  splitBox,
  WHOLE_LATTICE,
} from "../lattice/box.ts";

import type { ChunkShape } from "../lattice/chunk-shape.ts";
import { AXES, type Axis, requireLatticePosition } from "../lattice/position.ts";
import { isSpreadable } from "../tree/content.ts";
import { RegionTree } from "../tree/region-tree.ts";
import type { VoxelSource } from "./world-generator.ts";

/** Maximum number of steps of one `describe`: enough for 65,536 different chunks. */
export const DESCRIBE_STEPS_MAX = 131_072;

/** A generated world without edits. A chunk has the same voxels regardless of how it is queried. */
export class GeneratedSpace {
  readonly shape: ChunkShape;
  readonly #source: VoxelSource;
  readonly #extent: Box;

  constructor(source: VoxelSource, shape: ChunkShape) {
    this.shape = shape;
    this.#source = source;
    this.#extent = extentOf(shape);
  }

  /** Whether only `realizeAsync` and `describeAsync` can generate. */
  get isAsynchronous(): boolean {
    return this.#source.isAsynchronous === true;
  }

  /** Height in voxels from which on all is air; `undefined` if the generator does not say so. */
  get skyAbove(): number | undefined {
    return this.#source.skyAbove;
  }

  /** Returns the voxels of one chunk. Throws `ORT_NOT_LOADED` for an asynchronous generator. */
  realize(x: number, y: number, z: number, w: number): Chunk {
    requireLatticePosition(x, y, z, w);
    if (!boxContains(this.#extent, [x, y, z, w])) return emptyChunk(this.shape.volume);
    return this.#realize(x, y, z, w);
  }

  /** Returns the voxels of one chunk, also of an asynchronous generator. */
  async realizeAsync(x: number, y: number, z: number, w: number): Promise<Chunk> {
    requireLatticePosition(x, y, z, w);
    if (!boxContains(this.#extent, [x, y, z, w])) return emptyChunk(this.shape.volume);
    return this.#requireChunk(await this.#source.realize(x, y, z, w));
  }

  /**
   * Returns all chunks of a box, without references to a generator. Uniform boxes stay boxes, so the cost
   * depends on the content. Throws `ORT_LIMIT` above `DESCRIBE_STEPS_MAX` steps; then query a smaller box.
   */
  describe(box: Box): RegionTree {
    const { repeated, single } = this.#plan(box);
    let tree = repeated;
    for (const { min } of single) {
      const chunk = this.#realize(...min);
      if (!chunk.isEmpty) tree = tree.set(min, chunk);
    }
    return tree;
  }

  /**
   * Like {@link describe}, also for an asynchronous generator. Calls `rest` after each generated chunk and waits
   * for its promise, if it returns one.
   */
  async describeAsync(box: Box, rest?: () => Promise<void> | undefined): Promise<RegionTree> {
    const { repeated, single } = this.#plan(box);
    let tree = repeated;
    for (const { min } of single) {
      const chunk = this.#requireChunk(await this.#source.realize(...min));
      if (!chunk.isEmpty) tree = tree.set(min, chunk);
      await rest?.();
    }
    return tree;
  }

  /** Returns a box around all that is not air in a box, possibly too large; `undefined` if all is air. */
  contentBounds(box: Box): Box | undefined {
    const existing = intersectBoxes(box, this.#extent);
    const content = existing === undefined ? undefined : this.#source.contentBounds(existing);
    return content === undefined ? undefined : intersectBoxes(content, box);
  }

  /** Returns the uniform parts of a box, and the chunks that must be generated one by one. */
  #plan(box: Box): { readonly repeated: RegionTree; readonly single: readonly Box[] } {
    const content = this.contentBounds(box);
    if (content === undefined) return { repeated: RegionTree.EMPTY, single: [] };
    let tree = RegionTree.EMPTY;
    let steps = 0;
    const pending: Box[] = [content];
    // Realizing chunks is expensive, so it waits until the box is known not to be too large.
    const single: Box[] = [];
    for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
      const axis = widestAxis(part);
      const chunk = axis === undefined ? undefined : this.#source.repeatedIn(part);
      steps += chunk === undefined || isSpreadable(chunk) ? 1 : boxVolume(part);
      if (steps > DESCRIBE_STEPS_MAX) throw tooMuch(box);
      if (axis === undefined) single.push(part);
      else if (chunk === undefined) pending.push(...splitBox(part, axis, middleOf(part, axis)));
      else if (!chunk.isEmpty) tree = spread(tree, part, chunk);
    }
    return { repeated: tree, single };
  }

  #realize(x: number, y: number, z: number, w: number): Chunk {
    if (this.isAsynchronous) throw notSynchronous(x, y, z, w);
    return this.#requireChunk(this.#source.realize(x, y, z, w));
  }

  #requireChunk(chunk: unknown): Chunk {
    if (!(chunk instanceof Chunk)) {
      const advice = "it is a chunk, or a promise of one if the source has isAsynchronous: true";
      throw wrongArgument("what realize returns", chunk, advice);
    }
    requireInteger(chunk.volume, this.shape.volume, this.shape.volume);
    if (chunk.data.size > 0)
      throw wrongArgument(
        "what realize returns",
        chunk,
        "generated voxels have no data: set it with an edit",
      );
    return chunk;
  }
}

function notSynchronous(x: number, y: number, z: number, w: number): OrthantError {
  const detail = `chunk [${[x, y, z, w]}] is not in memory, and its generator is asynchronous: await world.chunk or world.load first`;
  return new OrthantError("ORT_NOT_LOADED", detail);
}

/** Returns the chunks that exist in a world of this shape: one layer if its chunks are one voxel deep. */
function extentOf({ extents }: ChunkShape): Box {
  const { min, max } = WHOLE_LATTICE;
  const [, , isFlatZ, isFlatW] = extents.map((extent) => extent === 1);
  return {
    min: [min[0], min[1], isFlatZ ? 0 : min[2], isFlatW ? 0 : min[3]],
    max: [max[0], max[1], isFlatZ ? 1 : max[2], isFlatW ? 1 : max[3]],
  };
}

/** Returns the tree with a chunk all over a box. Trees store uniform chunks as boxes, others one by one. */
function spread(tree: RegionTree, box: Box, chunk: Chunk): RegionTree {
  if (isSpreadable(chunk)) return tree.fill(box, chunk);
  let spreading = tree;
  for (const position of positionsMinorToMajor(box)) spreading = spreading.set(position, chunk);
  return spreading;
}

/** Returns the axis whose first and last chunk differ in the highest bit; `undefined` for a single chunk. */
function widestAxis({ min, max }: Box): Axis | undefined {
  let widest: Axis | undefined;
  let widestBits = 0;
  for (const axis of AXES) {
    const bits = (min[axis] ^ (max[axis] - 1)) >>> 0;
    if (Math.clz32(bits) >= Math.clz32(widestBits)) continue;
    widest = axis;
    widestBits = bits;
  }
  return widest;
}

/** Returns the coordinate in the box divisible by the highest power of two, where trees split too. */
function middleOf({ min, max }: Box, axis: Axis): number {
  const last = max[axis] - 1;
  const level = 31 - Math.clz32(min[axis] ^ last);
  return (last >> level) << level;
}

function tooMuch({ min, max }: Box): OrthantError {
  const detail = `[${min}] to [${max}] takes more than ${DESCRIBE_STEPS_MAX} steps to describe`;
  return new OrthantError("ORT_LIMIT", detail);
}
