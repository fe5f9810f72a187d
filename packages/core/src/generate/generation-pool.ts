import type { Box } from "../lattice/box.ts";
import type { ChunkShape } from "../lattice/chunk-shape.ts";
import type { Position } from "../lattice/position.ts";
import type { GeneratorRef } from "../tree/content.ts";
import type { RegionTree } from "../tree/region-tree.ts";

/** Generates chunks off the caller's thread, usually in workers. `@orthant/worker-pool` has pools. */
export interface GenerationPool {
  /**
   * Opens a generator in the pool. Returns `undefined` if the pool cannot have it: it is neither one of
   * `DEFAULT_GENERATORS` nor has a module.
   */
  open(source: PooledGenerator): PooledSpace | undefined;
  /** Stops all workers. Unfinished jobs fail with `ORT_CLOSED`. */
  close(): Promise<void>;
}

/** A generator of one world, as a worker can load it. */
export interface PooledGenerator {
  readonly ref: GeneratorRef;
  readonly shape: ChunkShape;
  /** The address of the module that exports the generator. `DEFAULT_GENERATORS` need none. */
  readonly module: string | undefined;
}

/** The generated world of one generator in a pool. */
export interface PooledSpace {
  /**
   * Generates all chunks of a box, like `GeneratedSpace.describe`. The result fails with `ORT_PLATFORM` if the
   * workers cannot load the generator, with `ORT_WORKER` if they crashed or did not finish in time, and with
   * the generator's own error.
   */
  describe(box: Box): GenerationJob<RegionTree>;
  /**
   * Generates a region and encodes it for a receiver that has nothing of it: the bodies of the patches, each of
   * at most about `pieceBytesMax` bytes. None if the region is air. Fails like `describe`.
   */
  encodeRegion(region: Position, pieceBytesMax: number): GenerationJob<readonly Uint8Array[]>;
}

/** Something that is being generated. */
export interface GenerationJob<Result> {
  readonly result: Promise<Result>;
  /** Gives up unfinished work. The result then fails with `ORT_CLOSED`. */
  cancel(): void;
}
