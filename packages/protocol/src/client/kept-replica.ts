import type { Epoch, Position } from "@orthant/core";

/** The world and era that cached regions belong to. */
export interface KeptWorld {
  readonly worldId: bigint;
  readonly era: Epoch;
  /** The server's generators; with other generators, untouched space might differ. */
  readonly manifestHash: bigint;
}

/** One cached region. */
export interface KeptRegion {
  readonly region: Position;
  readonly clock: number;
  /** The complete content with a checksum. A damaged region is dropped and fetched again. */
  readonly bytes: Uint8Array;
}

/**
 * The regions that a client held, for a cache that outlives it. A cache that stores them in parts must remove
 * forgotten regions no later than it stores the world they were forgotten for.
 */
export interface KeptReplica extends KeptWorld {
  readonly regions: readonly KeptRegion[];
}
