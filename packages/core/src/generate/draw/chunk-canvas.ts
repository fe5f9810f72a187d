import { type Chunk, chunkFromVoxels, emptyChunk } from "../../chunk/chunk.ts";
import type { ChunkShape } from "../../lattice/chunk-shape.ts";

/** The voxels of a chunk under construction, drawn in world coordinates and clipped to the chunk. */
export class ChunkCanvas {
  readonly voxels: Uint16Array;
  /** The chunk's first voxel, and the one after its last, on each axis. */
  readonly minX: number;
  readonly minY: number;
  readonly minZ: number;
  readonly minW: number;
  readonly maxX: number;
  readonly maxY: number;
  readonly maxZ: number;
  readonly maxW: number;
  readonly #strideY: number;
  readonly #strideZ: number;
  readonly #strideW: number;
  /** Whether nothing was drawn, which saves checking every voxel. */
  #isBlank = true;

  constructor({ extents, volume }: ChunkShape, x: number, y: number, z: number, w: number) {
    this.voxels = new Uint16Array(volume);
    this.minX = x * extents[0];
    this.minY = y * extents[1];
    this.minZ = z * extents[2];
    this.minW = w * extents[3];
    this.maxX = this.minX + extents[0];
    this.maxY = this.minY + extents[1];
    this.maxZ = this.minZ + extents[2];
    this.maxW = this.minW + extents[3];
    this.#strideY = extents[0];
    this.#strideZ = extents[0] * extents[1];
    this.#strideW = extents[0] * extents[1] * extents[2];
  }

  /** Returns the index of a voxel in the chunk, which is not checked. */
  indexOf(x: number, y: number, z: number, w: number): number {
    return (
      x -
      this.minX +
      this.#strideY * (y - this.minY) +
      this.#strideZ * (z - this.minZ) +
      this.#strideW * (w - this.minW)
    );
  }

  /** Sets the voxels of a row from `fromX` up to but excluding `toX`. */
  fillRow(fromX: number, toX: number, y: number, z: number, w: number, block: number): void {
    if (y < this.minY || y >= this.maxY || z < this.minZ || z >= this.maxZ || w < this.minW || w >= this.maxW)
      return;
    const from = Math.max(fromX, this.minX);
    const to = Math.min(toX, this.maxX);
    if (from >= to) return;
    this.#isBlank = false;
    const start = this.indexOf(from, y, z, w);
    const end = start + to - from;
    // A call of `fill` costs about as much as twenty voxels.
    if (end - start > 20) this.voxels.fill(block, start, end);
    else for (let index = start; index < end; index++) this.voxels[index] = block;
  }

  /** Sets one voxel. */
  set(x: number, y: number, z: number, w: number, block: number): void {
    this.fillRow(x, x + 1, y, z, w, block);
  }

  /** Sets a half-open box of voxels. */
  fillBox(
    fromX: number,
    fromY: number,
    fromZ: number,
    fromW: number,
    toX: number,
    toY: number,
    toZ: number,
    toW: number,
    block: number,
  ): void {
    const lastY = Math.min(toY, this.maxY);
    const lastZ = Math.min(toZ, this.maxZ);
    const lastW = Math.min(toW, this.maxW);
    for (let w = Math.max(fromW, this.minW); w < lastW; w++)
      for (let z = Math.max(fromZ, this.minZ); z < lastZ; z++)
        for (let y = Math.max(fromY, this.minY); y < lastY; y++) this.fillRow(fromX, toX, y, z, w, block);
  }

  /** Sets the voxels whose distance from a voxel is at most `radius`. */
  fillBall(x: number, y: number, z: number, w: number, radius: number, block: number): void {
    const reach = Math.floor(radius);
    for (let dw = Math.max(-reach, this.minW - w); dw <= Math.min(reach, this.maxW - 1 - w); dw++)
      for (let dz = Math.max(-reach, this.minZ - z); dz <= Math.min(reach, this.maxZ - 1 - z); dz++)
        for (let dy = Math.max(-reach, this.minY - y); dy <= Math.min(reach, this.maxY - 1 - y); dy++) {
          const rest = radius * radius - dw * dw - dz * dz - dy * dy;
          if (rest < 0) continue;
          const dx = Math.floor(Math.sqrt(rest));
          this.fillRow(x - dx, x + dx + 1, y + dy, z + dz, w + dw, block);
        }
  }

  /** Returns the finished chunk. */
  toChunk(): Chunk {
    return this.#isBlank ? emptyChunk(this.voxels.length) : chunkFromVoxels(this.voxels);
  }
}
