import type { Place } from "@orthant/core";
import type { Era } from "../message/client-message.ts";

/** Of which world, and of which time, something was kept. */
export interface KeptWorld {
  readonly worldId: bigint;
  readonly era: Era;
  /** The generators that the server had: with others, untouched space might not be what it was. */
  readonly manifestHash: bigint;
}

/** One region as it was kept. */
export interface KeptRegion {
  readonly region: Place;
  readonly clock: number;
  /** The whole content, with a checksum. What is damaged is dropped, and fetched again. */
  readonly bytes: Uint8Array;
}

/**
 * What a guest held, for a cache that outlives it. Who stores it in parts must remove regions that were forgotten
 * no later than it stores the world that they were forgotten for.
 */
export interface KeptReplica extends KeptWorld {
  readonly regions: readonly KeptRegion[];
}
