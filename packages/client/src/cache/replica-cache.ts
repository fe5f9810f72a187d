/** A value that a cache holds under a key. */
export interface CacheEntry {
  readonly key: string;
  readonly value: Uint8Array;
}

/** A new value for a key, or `undefined` to remove what is there. */
export interface CacheChange {
  readonly key: string;
  readonly value: Uint8Array | undefined;
}

/**
 * Where a client keeps what it holds of a world until it comes back: a small store of keys and values. What it gives
 * is not believed: everything is checked, and what is damaged is dropped, so it need not be a safe place.
 */
export interface ReplicaCache {
  /** Takes the cache for one client, until it is released; false when another client, here or elsewhere, has it. */
  claim(): Promise<boolean>;
  /** Everything that is stored, as it was at one moment. Also those may read who have no claim. */
  load(): Promise<readonly CacheEntry[]>;
  /** Makes changes, all or none. Only for who has the claim. */
  store(changes: readonly CacheChange[]): Promise<void>;
  /** Gives the claim back. Does nothing without one. */
  release(): Promise<void>;
}
