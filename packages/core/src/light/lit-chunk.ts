import { type Chunk, diffChunks } from "../chunk/chunk.ts";
import { type ChunkShape, positionInChunk } from "../lattice/chunk-shape.ts";
import { AXES, type Position } from "../lattice/position.ts";

/** A chunk whose light is kept. */
export class LitChunk {
  readonly position: Position;
  /** 16 times the light of the sky plus that of blocks, by voxel. Changes with the world. */
  readonly light: Uint8Array;
  /** The kept chunks beside it, by side: see {@link VoxelSides}. */
  readonly beside: (LitChunk | undefined)[];
  lastUse = 0;
  #chunk: Chunk;
  #before: Chunk | undefined;
  #voxels: Uint16Array | undefined;

  constructor(position: Position, chunk: Chunk, light: Uint8Array, sideCount: number) {
    this.position = position;
    this.light = light;
    this.beside = new Array<LitChunk | undefined>(sideCount).fill(undefined);
    this.#chunk = chunk;
  }

  /** The voxels that the light is for. */
  get chunk(): Chunk {
    return this.#chunk;
  }

  /** Takes over other voxels, and remembers those before until {@link settle}. */
  replace(chunk: Chunk): void {
    this.#before = this.#chunk;
    this.#chunk = chunk;
    this.#voxels = undefined;
  }

  /** Returns the voxels whose block is another one than before. */
  changedVoxels(): readonly number[] {
    return this.#before === undefined ? [] : diffChunks(this.#before, this.#chunk).map(({ index }) => index);
  }

  /** Forgets the voxels before. */
  settle(): void {
    this.#before = undefined;
  }

  blockAt(index: number): number {
    const uniform = this.#chunk.uniformBlock;
    if (uniform !== undefined) return uniform;
    this.#voxels ??= this.#chunk.voxels();
    return this.#voxels[index] as number;
  }

  /** Returns the block of a voxel before the change in progress. */
  blockBefore(index: number): number {
    return this.#before === undefined ? this.blockAt(index) : this.#before.get(index);
  }
}

/** The neighbours of the voxels of a chunk. Side `2 * n` is towards greater coordinates on the n-th axis of the world, `2 * n + 1` towards lesser ones. */
export class VoxelSides {
  /** How far each side goes in chunks. */
  readonly steps: readonly Position[];
  /** By voxel and side: the index of the neighbour, or, if it is in the next chunk, -1 minus its index there. */
  readonly neighbours: Int32Array;

  constructor(shape: ChunkShape) {
    const { extents, volume } = shape;
    const axes = AXES.filter((axis) => extents[axis] > 1);
    this.steps = axes.flatMap((axis) =>
      [1, -1].map((step) => AXES.map((other) => (other === axis ? step : 0)) as unknown as Position),
    );
    this.neighbours = new Int32Array(volume * this.steps.length);
    let at = 0;
    for (let index = 0; index < volume; index++) {
      const place = positionInChunk(shape, index);
      for (const axis of axes) {
        const stride = strideOn(axis, extents);
        const around = stride * (extents[axis] - 1);
        const isLast = place[axis] === extents[axis] - 1;
        this.neighbours[at++] = isLast ? -1 - (index - around) : index + stride;
        this.neighbours[at++] = place[axis] === 0 ? -1 - (index + around) : index - stride;
      }
    }
  }
}

function strideOn(axis: number, extents: Position): number {
  return extents.slice(0, axis).reduce((product, extent) => product * extent, 1);
}
