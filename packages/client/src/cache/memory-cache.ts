import type { CacheChange, CacheEntry, ReplicaCache } from "./replica-cache.ts";

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
