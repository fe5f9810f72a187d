/** A value and its key in a cache. */
export interface CacheEntry {
  readonly key: string;
  readonly value: Uint8Array;
}

/** A new value for a key, or `undefined` to remove it. */
export interface CacheChange {
  readonly key: string;
  readonly value: Uint8Array | undefined;
}

/**
 * A small key-value store in which a client keeps its regions of a world until it returns. The client checks
 * everything it reads and drops what is damaged, so the store need not be safe.
 */
export interface ReplicaCache {
  /** Claims the cache for one client until it is released. Returns false when another client has it. */
  claim(): Promise<boolean>;
  /** Returns a consistent snapshot of all entries. Does not require the claim. */
  load(): Promise<readonly CacheEntry[]>;
  /** Applies all changes or none. Requires the claim. */
  store(changes: readonly CacheChange[]): Promise<void>;
  /** Releases the claim. Does nothing without one. */
  release(): Promise<void>;
}

/** Returns a cache that lives as long as the program, for clients that reconnect and for tests. */
export function memoryCache(): ReplicaCache {
  return new MemoryCache();
}

class MemoryCache implements ReplicaCache {
  readonly #values = new Map<string, Uint8Array>();
  #isClaimed = false;

  async claim(): Promise<boolean> {
    if (this.#isClaimed) return false;
    this.#isClaimed = true;
    return true;
  }

  async load(): Promise<readonly CacheEntry[]> {
    return Array.from(this.#values, ([key, value]) => ({ key, value: value.slice() }));
  }

  async store(changes: readonly CacheChange[]): Promise<void> {
    for (const { key, value } of changes) {
      if (value === undefined) this.#values.delete(key);
      else this.#values.set(key, value.slice());
    }
  }

  async release(): Promise<void> {
    this.#isClaimed = false;
  }
}
