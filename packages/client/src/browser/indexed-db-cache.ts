import { OrthantError } from "@orthant/core";
import type { CacheChange, CacheEntry, ReplicaCache } from "../cache/replica-cache.ts";

const STORE = "entries";
const SCHEMA_VERSION = 1;
/** How long to wait for a page that is closing to release the cache. */
const CLAIM_WAIT_MS = 500;

/**
 * Returns a cache in the browser's IndexedDB under this name. One page at a time holds the claim, through Web
 * Locks, which require a secure page. Other pages can read the cache but not write it.
 */
export function indexedDbCache(name: string): ReplicaCache {
  return new IndexedDbCache(`orthant-${name}`);
}

class IndexedDbCache implements ReplicaCache {
  readonly #name: string;
  #database: Promise<IDBDatabase> | undefined;
  #letGo: (() => void) | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  async claim(): Promise<boolean> {
    // Missing on insecure pages, despite the types.
    const locks = navigator.locks as LockManager | undefined;
    if (locks === undefined || this.#letGo !== undefined) return false;
    return new Promise((resolve) => {
      const hold = (): Promise<void> =>
        new Promise((letGo) => {
          this.#letGo = letGo;
          resolve(true);
        });
      locks
        .request(this.#name, { signal: AbortSignal.timeout(CLAIM_WAIT_MS) }, hold)
        // Another page holds the lock, or this page may not use locks: either way there is no claim.
        .catch(() => resolve(false));
    });
  }

  async load(): Promise<readonly CacheEntry[]> {
    const transaction = (await this.#open()).transaction(STORE, "readonly");
    const store = transaction.objectStore(STORE);
    const keys = store.getAllKeys();
    const values = store.getAll();
    await finished(transaction);
    return keys.result.flatMap((key, index) => {
      const value: unknown = values.result[index];
      return typeof key === "string" && value instanceof Uint8Array ? [{ key, value }] : [];
    });
  }

  async store(changes: readonly CacheChange[]): Promise<void> {
    if (this.#letGo === undefined) throw new OrthantError("ORT_LOCKED", `another page has ${this.#name}`);
    const transaction = (await this.#open()).transaction(STORE, "readwrite");
    const store = transaction.objectStore(STORE);
    for (const { key, value } of changes) {
      if (value === undefined) store.delete(key);
      else store.put(value, key);
    }
    await finished(transaction);
  }

  async release(): Promise<void> {
    const database = this.#database;
    this.#database = undefined;
    if (database !== undefined) (await database).close();
    this.#letGo?.();
    this.#letGo = undefined;
  }

  #open(): Promise<IDBDatabase> {
    this.#database ??= new Promise((resolve, reject) => {
      const request = indexedDB.open(this.#name, SCHEMA_VERSION);
      request.onupgradeneeded = () => request.result.createObjectStore(STORE);
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(failure(this.#name, request.error));
      request.onblocked = () => reject(failure(this.#name, "another version of it is open"));
    });
    return this.#database;
  }
}

function finished(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(failure(transaction.db.name, transaction.error));
  });
}

function failure(name: string, cause: unknown): OrthantError {
  const isFull = cause instanceof DOMException && cause.name === "QuotaExceededError";
  return new OrthantError(
    isFull ? "ORT_DISK_FULL" : "ORT_DISK_IO",
    `IndexedDB ${name}: ${String(cause)}`,
    {},
    { cause },
  );
}
