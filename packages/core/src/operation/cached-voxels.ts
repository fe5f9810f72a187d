import type { Chunk } from "../chunk/chunk.ts";
import { type ChunkShape, chunkOfVoxel, voxelIndex } from "../lattice/chunk-shape.ts";
import { PositionMap } from "../lattice/position-map.ts";

/** Number of chunks whose blocks are kept unpacked. */
const CHUNKS_KEPT = 64;

/** Reads single voxels of a world, many of them near each other. */
export class CachedVoxels {
  readonly shape: ChunkShape;
  readonly #read: (x: number, y: number, z: number, w: number) => Chunk;
  readonly #chunks = new PositionMap<readonly [chunk: Chunk, voxels: Uint16Array]>();
  #latest: readonly [chunk: Chunk, voxels: Uint16Array] | undefined;
  // Where the latest one lies, in chunks.
  #x = 0;
  #y = 0;
  #z = 0;
  #w = 0;

  constructor(shape: ChunkShape, read: (x: number, y: number, z: number, w: number) => Chunk) {
    this.shape = shape;
    this.#read = read;
  }

  /** Has it read all chunks again. */
  forget(): void {
    this.#chunks.clear();
    this.#latest = undefined;
  }

  /** Returns the block of a voxel. */
  block(x: number, y: number, z: number, w: number): number {
    return this.#at(x, y, z, w)[1][voxelIndex(this.shape, x, y, z, w)] as number;
  }

  /** Returns the data of a voxel, shared. */
  data(x: number, y: number, z: number, w: number): Uint8Array | undefined {
    const [{ data }] = this.#at(x, y, z, w);
    return data.size === 0 ? undefined : data.at(voxelIndex(this.shape, x, y, z, w));
  }

  #at(x: number, y: number, z: number, w: number): readonly [chunk: Chunk, voxels: Uint16Array] {
    const [chunkX, chunkY, chunkZ, chunkW] = chunkOfVoxel(this.shape, [x, y, z, w]);
    const latest = this.#latest;
    if (latest && chunkX === this.#x && chunkY === this.#y && chunkZ === this.#z && chunkW === this.#w)
      return latest;
    const found =
      this.#chunks.get(chunkX, chunkY, chunkZ, chunkW) ?? this.#add(chunkX, chunkY, chunkZ, chunkW);
    this.#x = chunkX;
    this.#y = chunkY;
    this.#z = chunkZ;
    this.#w = chunkW;
    this.#latest = found;
    return found;
  }

  #add(x: number, y: number, z: number, w: number): readonly [chunk: Chunk, voxels: Uint16Array] {
    if (this.#chunks.size >= CHUNKS_KEPT) this.forget();
    const chunk = this.#read(x, y, z, w);
    const added = [chunk, chunk.voxels()] as const;
    this.#chunks.set(x, y, z, w, added);
    return added;
  }
}
