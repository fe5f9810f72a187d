import type { Chunk } from "../chunk/chunk.ts";

/** What an entry costs besides its voxels: itself, its slot in the map, its links. */
const CACHE_ENTRY_BYTES = 160;

/** One realized chunk. It holds for the snapshots from `sinceEpoch` up to and without `untilEpoch`. */
export class CacheEntry {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly w: number;
  readonly chunk: Chunk;
  readonly versionHash: bigint;
  readonly bytes: number;
  sinceEpoch: number;
  untilEpoch: number;
  lastTick: number;
  /** Another entry of the same place, for other snapshots or another version of the generator. */
  sibling: CacheEntry | undefined;
  /** Neighbours in the order of use. Entries of pinned places are in no such order. */
  colder: CacheEntry | undefined;
  hotter: CacheEntry | undefined;

  constructor(
    { x, y, z, w, versionHash }: Pick<CacheEntry, "x" | "y" | "z" | "w" | "versionHash">,
    chunk: Chunk,
    sinceEpoch: number,
    untilEpoch: number,
    tick: number,
  ) {
    this.x = x;
    this.y = y;
    this.z = z;
    this.w = w;
    this.versionHash = versionHash;
    this.chunk = chunk;
    this.bytes = CACHE_ENTRY_BYTES + voxelBytes(chunk);
    this.sinceEpoch = sinceEpoch;
    this.untilEpoch = untilEpoch;
    this.lastTick = tick;
  }
}

/** Bytes of memory that the voxels take. Uniform chunks are shared objects and take none. */
function voxelBytes(chunk: Chunk): number {
  if (chunk.uniformMaterial !== undefined) return 0;
  const materials = chunk.materials().length;
  const bits = 32 - Math.clz32(materials - 1);
  return Math.ceil((chunk.volume * bits) / 64) * 8 + materials * 4;
}
