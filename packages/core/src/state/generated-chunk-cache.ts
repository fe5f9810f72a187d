import type { Chunk } from "../chunk/chunk.ts";
import { OrthantError } from "../error/orthant-error.ts";
import type { GeneratedSpace } from "../generate/generated-space.ts";
import type { Position } from "../lattice/position.ts";
import { PositionMap } from "../lattice/position-map.ts";

/** Memory for generated chunks. */
export interface CacheLimits {
  /** Above this, chunks leave the cache once they have gone unused for a while. */
  readonly softBytes: number;
  /** Hard limit of the cache: above it, chunks in use are evicted too, the least recently used first. */
  readonly hardBytes: number;
}

const MEBIBYTE = 1024 * 1024;

/** Limits for a program that edits or serves a world. */
export const SIMULATION_CACHE_LIMITS: CacheLimits = { softBytes: 64 * MEBIBYTE, hardBytes: 96 * MEBIBYTE };
/** Limits for a program that draws a world. */
export const RENDER_CACHE_LIMITS: CacheLimits = { softBytes: 256 * MEBIBYTE, hardBytes: 384 * MEBIBYTE };

/** A chunk is cold when this many other uses of the cache came after its last one. */
export const COLD_AFTER_USES = 8_192;
/** The largest of this many least recently used chunks is evicted. */
const EVICTION_CANDIDATES = 8;
/** Memory of an entry besides its chunk: the object and its slot in the map. */
const ENTRY_BYTES = 160;

/** One cached chunk, linked in the order of use. */
interface Entry {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly w: number;
  readonly chunk: Chunk;
  readonly bytes: number;
  lastUse: number;
  older: Entry | undefined;
  newer: Entry | undefined;
}

/**
 * The chunks of a generator, generated on demand and kept while there is room. A generated chunk is a pure
 * function of its position, so entries never become invalid, and all snapshots of a world share one cache.
 */
export class GeneratedChunkCache {
  readonly #space: GeneratedSpace;
  readonly #limits: CacheLimits;
  readonly #entries = new PositionMap<Entry>();
  #oldest: Entry | undefined;
  #newest: Entry | undefined;
  #bytes = 0;
  #uses = 0;

  /** Throws `ORT_ARGUMENT` unless the limits are numbers from 0 up, the soft one at most the hard one. */
  constructor(space: GeneratedSpace, limits: CacheLimits = SIMULATION_CACHE_LIMITS) {
    const { softBytes, hardBytes } = limits;
    if (!(softBytes >= 0 && softBytes <= hardBytes)) {
      throw new OrthantError(
        "ORT_ARGUMENT",
        `softBytes is ${softBytes} and hardBytes ${hardBytes}: both are numbers from 0, the first at most the second`,
      );
    }
    this.#space = space;
    this.#limits = limits;
  }

  /** Memory in use. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of chunks in the cache. */
  get size(): number {
    return this.#entries.size;
  }

  /** Returns the generated chunk at a position. */
  at(x: number, y: number, z: number, w: number): Chunk {
    return this.find(x, y, z, w) ?? this.add([x, y, z, w], this.#space.realize(x, y, z, w));
  }

  /** Returns the generated chunk at a position if it is in the cache. */
  find(x: number, y: number, z: number, w: number): Chunk | undefined {
    const known = this.#entries.get(x, y, z, w);
    if (known === undefined) return undefined;
    known.lastUse = ++this.#uses;
    if (known !== this.#newest) {
      this.#unlink(known);
      this.#link(known);
    }
    return known.chunk;
  }

  /** Adds a generated chunk that is not in the cache, and returns it. */
  add([x, y, z, w]: Position, chunk: Chunk): Chunk {
    const bytes = ENTRY_BYTES + chunk.memoryBytes;
    this.#add({ x, y, z, w, chunk, bytes, lastUse: ++this.#uses, older: undefined, newer: undefined });
    return chunk;
  }

  #add(entry: Entry): void {
    const { softBytes, hardBytes } = this.#limits;
    if (entry.bytes > hardBytes) return;
    this.#evictTo(softBytes - entry.bytes, this.#uses - COLD_AFTER_USES);
    this.#evictTo(hardBytes - entry.bytes, this.#uses);
    this.#entries.set(entry.x, entry.y, entry.z, entry.w, entry);
    this.#link(entry);
    this.#bytes += entry.bytes;
  }

  /** Evicts chunks last used before `usedBefore` until at most `bytesMax` are left or there are none. */
  #evictTo(bytesMax: number, usedBefore: number): void {
    while (this.#bytes > bytesMax) {
      const victim = this.#victim(usedBefore);
      if (victim === undefined) return;
      this.#entries.delete(victim.x, victim.y, victim.z, victim.w);
      this.#unlink(victim);
      this.#bytes -= victim.bytes;
    }
  }

  #victim(usedBefore: number): Entry | undefined {
    let victim: Entry | undefined;
    let entry = this.#oldest;
    for (let count = 0; count < EVICTION_CANDIDATES && entry !== undefined; count++, entry = entry.newer) {
      if (entry.lastUse >= usedBefore) break;
      if (victim === undefined || entry.bytes > victim.bytes) victim = entry;
    }
    return victim;
  }

  #link(entry: Entry): void {
    entry.older = this.#newest;
    if (this.#newest === undefined) this.#oldest = entry;
    else this.#newest.newer = entry;
    this.#newest = entry;
  }

  #unlink(entry: Entry): void {
    if (entry.older === undefined) this.#oldest = entry.newer;
    else entry.older.newer = entry.newer;
    if (entry.newer === undefined) this.#newest = entry.older;
    else entry.newer.older = entry.older;
    entry.older = undefined;
    entry.newer = undefined;
  }
}
