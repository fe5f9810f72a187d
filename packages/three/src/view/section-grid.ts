import type { Axis, Box, ChunkShape, Position, Vector } from "@orthant/core";
import { chunksOfVoxels, positionFrom, voxelsOfChunks } from "@orthant/core/lattice";
import { LIGHT_REACH_VOXELS } from "@orthant/core/light";
import { chunkInSlice, chunkSizeIn, type VolumePoint, type VolumeSlice } from "@orthant/mesh/volume";
import type { MeshSection } from "@orthant/worker-pool/browser";

/** Voxels of a section on each axis, as far as chunks allow it. */
const EDGE_VOXELS = 32;
/** What the mesh of a section depends on: a border, and all light that reaches it. */
const BORDER_VOXELS = 1;
const LIT_VOXELS = LIGHT_REACH_VOXELS + BORDER_VOXELS;

/** Three numbers, in the axes of the scene: to the right, up and back. */
export type ViewPoint = readonly [right: number, up: number, back: number];

/** All sections from one to another, both included. */
export interface CellRange {
  readonly min: VolumePoint;
  readonly max: VolumePoint;
}

/** The sections of a slice of a world: where they lie, and on which chunks they depend. */
export class SectionGrid {
  readonly shape: ChunkShape;
  readonly slice: VolumeSlice;
  /** Voxels of a section. */
  readonly size: VolumePoint;
  readonly #chunks: VolumePoint;
  readonly #reach: number;

  constructor(shape: ChunkShape, slice: VolumeSlice, isLit: boolean) {
    this.shape = shape;
    this.slice = slice;
    this.#reach = isLit ? LIT_VOXELS : BORDER_VOXELS;
    const chunk = chunkSizeIn(shape, slice);
    const count = (edge: number): number => (edge === 1 ? 1 : Math.max(1, Math.round(EDGE_VOXELS / edge)));
    this.#chunks = [count(chunk[0]), count(chunk[1]), count(chunk[2])];
    this.size = [chunk[0] * this.#chunks[0], chunk[1] * this.#chunks[1], chunk[2] * this.#chunks[2]];
  }

  /** Returns the section that a point lies in. */
  cellOf([right, up, back]: ViewPoint): VolumePoint {
    const { size } = this;
    return [
      this.#isFlat(0) ? 0 : Math.floor(right / size[0]),
      this.#isFlat(1) ? 0 : Math.floor(up / size[1]),
      this.#isFlat(2) ? 0 : Math.floor(back / size[2]),
    ];
  }

  /** Returns the lowest corner of a section, in voxels. */
  cornerOf([right, up, back]: VolumePoint): VolumePoint {
    return [right * this.size[0], up * this.size[1], back * this.size[2]];
  }

  /** Returns what a pool meshes for a section. */
  sectionOf([right, up, back]: VolumePoint): MeshSection {
    const [x, y, z] = this.#chunks;
    return { first: [right * x, up * y, back * z], chunks: this.#chunks, slice: this.slice };
  }

  /** Returns the distance of a point from the nearest voxel of a section. */
  distanceTo(cell: VolumePoint, point: ViewPoint): number {
    let sum = 0;
    for (let axis = 0; axis < 3; axis++) {
      if (this.#isFlat(axis)) continue;
      const size = this.size[axis] as number;
      const from = (cell[axis] as number) * size;
      const at = point[axis] as number;
      sum += Math.max(from - at, 0, at - from - size) ** 2;
    }
    return Math.sqrt(sum);
  }

  /** Returns the range of sections within a distance of a point. */
  cellsAround(point: ViewPoint, distance: number): CellRange {
    const [right, up, back] = point;
    return {
      min: this.cellOf([right - distance, up - distance, back - distance]),
      max: this.cellOf([right + distance, up + distance, back + distance]),
    };
  }

  /** Returns the chunks of a section itself. */
  chunksOf(cell: VolumePoint): Box {
    return this.#chunksWithin(cell, 0);
  }

  /** Returns the chunks of a section and of its border. */
  chunksNextTo(cell: VolumePoint): Box {
    return this.#chunksWithin(cell, BORDER_VOXELS);
  }

  /** Returns all chunks that a section's mesh depends on, except those that only cast their shadow from above. */
  chunksAround(cell: VolumePoint): Box {
    return this.#chunksWithin(cell, this.#reach);
  }

  /** Returns the chunks that all sections within a distance of a point depend on. */
  chunksWithin(point: ViewPoint, distance: number): Box {
    const { min, max } = this.cellsAround(point, distance);
    return this.#between(min, max, this.#reach);
  }

  /**
   * Returns the range of sections whose meshes chunks change: at the border by `reach` voxels. `undefined` if the slice
   * does not show them.
   */
  cellsOf(chunks: Box, reach: number): CellRange | undefined {
    const { hidden, at } = this.slice;
    const { min, max } = voxelsOfChunks(this.shape, chunks);
    if (at < min[hidden] - reach || at >= max[hidden] + reach) return undefined;
    const { right, up, back } = this.slice;
    return {
      min: this.cellOf([min[right] - reach, min[up] - reach, min[back] - reach]),
      max: this.cellOf([max[right] - 1 + reach, max[up] - 1 + reach, max[back] - 1 + reach]),
    };
  }

  /** Returns the voxel of the world at a place of the scene. */
  voxelAt(place: ViewPoint): Position {
    const [x, y, z, w] = this.pointAt(place);
    return [Math.floor(x), Math.floor(y), Math.floor(z), Math.floor(w)];
  }

  /** Returns the point of the world at a place of the scene. */
  pointAt([right, up, back]: ViewPoint): Vector {
    const { slice } = this;
    const point: [number, number, number, number] = [0, 0, 0, 0];
    point[slice.right] = right;
    point[slice.up] = up;
    point[slice.back] = this.#isFlat(2) ? 0 : back;
    point[slice.hidden] = slice.at;
    return point;
  }

  /** Whether up is the height of the world. */
  get showsHeight(): boolean {
    return this.slice.up === 1;
  }

  #isFlat(axis: number): boolean {
    return this.size[axis] === 1;
  }

  #chunksWithin(cell: VolumePoint, reach: number): Box {
    return this.#between(cell, cell, reach);
  }

  #between(min: VolumePoint, max: VolumePoint, reach: number): Box {
    const { shape, slice } = this;
    const [x, y, z] = this.#chunks;
    const low = chunkInSlice(shape, slice, [min[0] * x, min[1] * y, min[2] * z]);
    const high = chunkInSlice(shape, slice, [
      (max[0] + 1) * x - 1,
      (max[1] + 1) * y - 1,
      (max[2] + 1) * z - 1,
    ]);
    const { min: first, max: end } = voxelsOfChunks(shape, {
      min: low,
      max: [high[0] + 1, high[1] + 1, high[2] + 1, high[3] + 1],
    });
    const { hidden, at } = slice;
    const by = (axis: Axis): number => (shape.extents[axis] > 1 ? reach : 0);
    // Beside the slice there is no border, only light.
    const beside = Math.max(0, by(hidden) - BORDER_VOXELS);
    const from = (axis: Axis): number => (axis === hidden ? at - beside : first[axis] - by(axis));
    const to = (axis: Axis): number => (axis === hidden ? at + 1 + beside : end[axis] + by(axis));
    return chunksOfVoxels(shape, { min: positionFrom(from), max: positionFrom(to) });
  }
}
