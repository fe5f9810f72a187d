import type { Chunk } from "../chunk/chunk.ts";
import { emptyChunk } from "../chunk/chunk.ts";
import { isOrthantError, OrthantError } from "../error/orthant-error.ts";
import type { GeneratedSpace } from "../generate/generated-space.ts";
import type { GenerationJob, PooledSpace } from "../generate/generation-pool.ts";
import { type Box, boxAt, boxVolume, intersectBoxes, positionsLexicographic } from "../lattice/box.ts";
import type { Position } from "../lattice/position.ts";
import { PositionMap } from "../lattice/position-map.ts";
import { regionBox, regionsTouching } from "../lattice/region.ts";
import { encodeGeneratedRegion } from "../region/generated-region.ts";
import { nextTurn } from "../time/time-source.ts";
import type { GeneratorRef } from "../tree/content.ts";
import type { GeneratorMap } from "../tree/generator-map.ts";
import type { RegionTree } from "../tree/region-tree.ts";
import type { GeneratedChunkCache } from "./generated-chunk-cache.ts";

/** Time after which work in the caller's thread pauses for other events. */
const SLICE_MS = 4;
/** A generator that takes longer than this for a chunk, on average, runs in the pool for single chunks too. */
const SLOW_CHUNK_MS = 1;
/** Share of the newest chunk in that average. */
const NEWEST_SHARE = 1 / 8;

/** The generators of a world, as far as a pool has them. */
interface PooledGenerators {
  readonly map: GeneratorMap;
  /** `undefined` without a pool. */
  readonly pooled: ReadonlyMap<GeneratorRef, PooledSpace | undefined> | undefined;
}

/**
 * Generates chunks without blocking the caller's loop: in a pool, or in this thread with pauses if there is no
 * pool or its workers cannot load the generator. The result is the same.
 */
export class AsyncGeneration {
  readonly #space: GeneratedSpace;
  readonly #cache: GeneratedChunkCache;
  readonly #pending = new PositionMap<Promise<Chunk>>();
  /** Chunks that edits in progress need, and how many need them. */
  readonly #kept = new PositionMap<{ readonly chunk: Chunk; uses: number }>();
  readonly #map: GeneratorMap;
  readonly #pooled: Map<GeneratorRef, PooledSpace>;
  #chunkMs = 0;

  constructor(space: GeneratedSpace, cache: GeneratedChunkCache, { map, pooled }: PooledGenerators) {
    this.#space = space;
    this.#cache = cache;
    this.#map = map;
    this.#pooled = new Map();
    for (const [ref, pooledSpace] of pooled ?? [])
      if (pooledSpace !== undefined) this.#pooled.set(ref, pooledSpace);
  }

  /** Generates all chunks of a box. */
  describe(box: Box): GenerationJob<RegionTree> {
    return this.#run(
      box,
      (pooled) => pooled.describe(box),
      () => this.#describeHere(box),
    );
  }

  /** Generates a region and encodes it. See `PooledSpace.encodeRegion`. */
  encodeRegion(region: Position, pieceBytesMax: number): GenerationJob<readonly Uint8Array[]> {
    return this.#run(
      regionBox(region),
      (pooled) => pooled.encodeRegion(region, pieceBytesMax),
      () => {
        const { result, cancel } = this.#describeHere(regionBox(region));
        const { volume } = this.#space.shape;
        return {
          result: result.then((tree) => encodeGeneratedRegion(tree, region, volume, pieceBytesMax)),
          cancel,
        };
      },
    );
  }

  /** Runs a job in the pool, or here if its workers cannot load the generator or the box has several. */
  #run<Result>(
    box: Box,
    there: (pooled: PooledSpace) => GenerationJob<Result>,
    here: () => GenerationJob<Result>,
  ): GenerationJob<Result> {
    const generator = this.#map.onlyIn(box);
    const pooled = generator && this.#pooled.get(generator);
    if (pooled === undefined) return here();
    let job = there(pooled);
    const result = job.result.catch((error: unknown) => {
      if (!isOrthantError(error, "ORT_PLATFORM")) throw error;
      // The workers will never have this generator.
      this.#pooled.delete(generator as GeneratorRef);
      job = here();
      return job.result;
    });
    return { result, cancel: () => job.cancel() };
  }

  /** Returns a generated chunk that is in memory, or that this thread can generate at once. */
  find(x: number, y: number, z: number, w: number): Chunk | undefined {
    const known = this.#cache.find(x, y, z, w) ?? this.#kept.get(x, y, z, w)?.chunk;
    return known ?? (this.#space.isAsynchronous ? undefined : this.#cache.at(x, y, z, w));
  }

  /** Returns a generated chunk as soon as it is there. */
  async chunk(position: Position): Promise<Chunk> {
    const known = this.#cache.find(...position) ?? this.#kept.get(...position)?.chunk;
    if (known !== undefined) return known;
    const isCheap = this.#pooled.size === 0 || this.#chunkMs < SLOW_CHUNK_MS;
    if (isCheap && !this.#space.isAsynchronous) return this.#chunkHere(position);
    return this.#pending.get(...position) ?? this.#startChunk(position);
  }

  /** Generates the chunks of boxes and keeps them in memory. Returns a function that releases them. */
  async keep(boxes: readonly Box[]): Promise<() => void> {
    const kept: Position[] = [];
    const release = (): void => {
      for (const position of kept.splice(0)) this.#release(position);
    };
    const add = (position: Position, chunk: Chunk): void => {
      const entry = this.#kept.get(...position) ?? { chunk, uses: 0 };
      entry.uses++;
      this.#kept.set(...position, entry);
      kept.push(position);
    };
    try {
      for (const box of boxes) {
        if (boxVolume(box) === 1) add(box.min, await this.chunk(box.min));
        else for await (const [position, chunk] of this.#chunksOf(box)) add(position, chunk);
      }
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Yields the chunks of a box, region by region. */
  async *#chunksOf(box: Box): AsyncGenerator<readonly [position: Position, chunk: Chunk]> {
    for (const region of positionsLexicographic(regionsTouching(box))) {
      const part = intersectBoxes(regionBox(region), box);
      if (part === undefined) continue;
      const tree = await this.describe(part).result;
      for (const position of positionsLexicographic(part)) yield [position, this.#chunkIn(tree, position)];
    }
  }

  #chunkIn(tree: RegionTree, position: Position): Chunk {
    return (tree.at(...position) as Chunk | undefined) ?? emptyChunk(this.#space.shape.volume);
  }

  #release(position: Position): void {
    const entry = this.#kept.get(...position);
    if (entry !== undefined && --entry.uses === 0) this.#kept.delete(...position);
  }

  #chunkHere(position: Position): Chunk {
    const startMs = Date.now();
    const chunk = this.#cache.at(...position);
    this.#chunkMs += (Math.max(0, Date.now() - startMs) - this.#chunkMs) * NEWEST_SHARE;
    return chunk;
  }

  #startChunk(position: Position): Promise<Chunk> {
    const generating = this.#generate(position).finally(() => this.#pending.delete(...position));
    this.#pending.set(...position, generating);
    return generating;
  }

  async #generate(position: Position): Promise<Chunk> {
    const tree = await this.describe(boxAt(position)).result;
    return this.#cache.find(...position) ?? this.#cache.add(position, this.#chunkIn(tree, position));
  }

  #describeHere(box: Box): GenerationJob<RegionTree> {
    let isCancelled = false;
    const cancel = (): void => {
      isCancelled = true;
    };
    return { result: this.#describeInSlices(box, () => isCancelled), cancel };
  }

  async #describeInSlices(box: Box, isCancelled: () => boolean): Promise<RegionTree> {
    await nextTurn();
    let startMs = Date.now();
    const throwIfCancelled = (): void => {
      if (isCancelled()) throw new OrthantError("ORT_CLOSED", "the generation of chunks was cancelled");
    };
    throwIfCancelled();
    return this.#space.describeAsync(box, () => {
      throwIfCancelled();
      if (Date.now() - startMs < SLICE_MS) return undefined;
      return nextTurn().then(() => {
        startMs = Date.now();
        throwIfCancelled();
      });
    });
  }
}
