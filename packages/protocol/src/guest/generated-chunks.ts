import {
  type Chunk,
  type ChunkShape,
  type GeneratedSpace,
  type GeneratorRef,
  type GeneratorRegistry,
  type Place,
  RealizationCache,
} from "@orthant/core";

/** How many bytes of generated chunks a guest keeps for reading, unless it is told otherwise. */
export const GENERATED_CACHE_BYTES: number = 32 * 1024 * 1024;

/** The chunks that a world's generator makes, some of them kept for when they are asked for again. */
export class GeneratedChunks {
  readonly generator: GeneratorRef;
  readonly #space: GeneratedSpace;
  readonly #cache: RealizationCache;

  /** Throws what `GeneratorRegistry.open` throws for a generator that this program does not have. */
  constructor(
    generators: GeneratorRegistry,
    generator: GeneratorRef,
    shape: ChunkShape,
    cacheBytes: number = GENERATED_CACHE_BYTES,
  ) {
    this.generator = generator;
    this.#space = generators.open(generator, shape);
    this.#cache = new RealizationCache({ simulation: { softBytes: cacheBytes, hardBytes: cacheBytes } });
  }

  /** The voxels of one chunk. */
  at([x, y, z, w]: Place): Chunk {
    // Nothing ever changes here, so there is one snapshot; and there is one generator, whatever its hash.
    const key = { epoch: 0, x, y, z, w, profile: "simulation", versionHash: 0n } as const;
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const chunk = this.#space.realize(x, y, z, w);
    this.#cache.put(key, chunk);
    return chunk;
  }
}
