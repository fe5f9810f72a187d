import { OrthantError } from "@orthant/core";
import type { Save, StoreChange, StoreEntry, StorePage } from "@orthant/save";
import {
  type BoundedPage,
  boundedPages,
  pageIndexOf,
  STORE_BYTES_MAX,
  storeEntryBytes,
} from "@orthant/save/content";
import type { UnsavedChanges } from "./unsaved-changes.ts";

/** Changed keys with their new values; `undefined` for a removed key. */
type ChangedKeys = ReadonlyMap<string, Uint8Array | undefined>;

/** The store at one moment: changes over a saved generation, the newest first. */
export interface StoreMoment {
  readonly changes: readonly ChangedKeys[];
  /** Must stay open while the moment is read. */
  readonly save: Save;
}

/** A change of a key, and its value before. */
export type StoreReplacement = StoreChange & { readonly before: Uint8Array | undefined };

/** Where {@link StoreContent} finds what is saved, and what is not. */
interface StoreSource {
  readonly save: Save;
  readonly unsaved: UnsavedChanges;
  /** Changes that a running commit writes. */
  readonly committing: UnsavedChanges | undefined;
}

/** The key-value store of an open world, as bytes: pages of the last save, read when they are needed, and what changed. */
export class StoreContent {
  readonly #source: () => StoreSource;
  readonly #pages = new PageCache();
  #bytes: number;

  constructor(source: () => StoreSource) {
    this.#source = source;
    this.#bytes = source().save.global.records?.store?.bytes ?? 0;
  }

  /** Bytes of all keys and values. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the value of a key; `undefined` if there is none. */
  async get(key: string): Promise<Uint8Array | undefined> {
    const moment = this.#now();
    const changed = moment.changes.find((layer) => layer.has(key));
    if (changed !== undefined || moment.save.global.records?.store === undefined) return changed?.get(key);
    // A commit may replace and close the save while a page is read.
    const save = moment.save.share();
    try {
      return await valueAt({ ...moment, save }, key, this.#pages);
    } finally {
      await save.close();
    }
  }

  /**
   * Sets or removes a key whose value was `before`, in memory and for the next save. Throws `ORT_LIMIT`, without a change, if
   * the store would become too large.
   */
  put(change: StoreChange, before: Uint8Array | undefined): void {
    this.putAll([{ ...change, before }]);
  }

  /** Sets or removes several keys, each once, or none: see {@link put}. */
  putAll(changes: readonly StoreReplacement[]): void {
    this.requireRoomFor(changes);
    this.#bytes += growthOf(changes);
    for (const { key, value } of changes) this.#source().unsaved.setKey(key, value);
  }

  /** Throws `ORT_LIMIT` if the store would become too large. */
  requireRoomFor(changes: readonly StoreReplacement[]): void {
    const growth = growthOf(changes);
    const bytes = this.#bytes + growth;
    if (growth > 0 && bytes > STORE_BYTES_MAX) throw fullStore(changes[0]?.key ?? "", bytes);
  }

  /** Sets or removes a key as a log says. */
  async restore(change: StoreChange): Promise<void> {
    this.put(change, await this.get(change.key));
  }

  /** Returns the store as it is now. Its save belongs to the caller, who closes it. */
  moment(): StoreMoment {
    const { save, unsaved, committing } = this.#source();
    const changes = [unsaved.shareStore(), ...(committing === undefined ? [] : [committing.shareStore()])];
    return { changes, save: save.share() };
  }

  #now(): StoreMoment {
    const { save, unsaved, committing } = this.#source();
    return { changes: committing === undefined ? [unsaved.store] : [unsaved.store, committing.store], save };
  }
}

function growthOf(changes: readonly StoreReplacement[]): number {
  return changes.reduce((sum, { key, value, before }) => sum + sizeOf(key, value) - sizeOf(key, before), 0);
}

function sizeOf(key: string, value: Uint8Array | undefined): number {
  return value === undefined ? 0 : storeEntryBytes(key, value);
}

function fullStore(key: string, bytes: number): OrthantError {
  return new OrthantError(
    "ORT_LIMIT",
    `with ${JSON.stringify(key)} the store would have ${bytes} bytes, the limit is ${STORE_BYTES_MAX}: delete keys that are no longer needed`,
  );
}

/** Returns the changes of a commit, in order of their keys. */
export function storeChangesOf(changed: ChangedKeys): readonly StoreChange[] {
  return Array.from(changed, ([key, value]) => ({ key, value })).sort(byKey);
}

function byKey(one: StoreChange, other: StoreChange): number {
  return one.key < other.key ? -1 : 1;
}

/** Returns the value of a key at a moment. */
export async function valueAt(
  { changes, save }: StoreMoment,
  key: string,
  cache: PageCache = new PageCache(),
): Promise<Uint8Array | undefined> {
  const changed = changes.find((layer) => layer.has(key));
  if (changed !== undefined) return changed.get(key);
  const pages = await save.storePages();
  const index = pageIndexOf(pages, key);
  if (index < 0) return undefined;
  const entries = await cache.read(save, {
    page: pages[index] as StorePage,
    before: pages[index + 1]?.firstKey,
  });
  return valueIn(entries, key);
}

/** Finds a key in a page, which may have thousands. */
function valueIn(entries: readonly StoreEntry[], key: string): Uint8Array | undefined {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle] as StoreEntry).key < key) low = middle + 1;
    else high = middle;
  }
  const found = entries[low];
  return found?.key === key ? found.value : undefined;
}

/** Yields the entries whose keys begin with a prefix, in order. Holds one page at a time. */
export async function* entriesAt(moment: StoreMoment, prefix: string): AsyncGenerator<StoreEntry> {
  const changed = storeChangesOf(changesWith(moment.changes, prefix));
  let next = 0;
  for await (const entry of savedEntries(moment.save, prefix)) {
    for (; next < changed.length && (changed[next] as StoreChange).key < entry.key; next++) {
      yield* present(changed[next] as StoreChange);
    }
    if (changed[next]?.key === entry.key) yield* present(changed[next++] as StoreChange);
    else yield entry;
  }
  for (; next < changed.length; next++) yield* present(changed[next] as StoreChange);
}

function* present({ key, value }: StoreChange): Generator<StoreEntry> {
  if (value !== undefined) yield { key, value };
}

function changesWith(layers: readonly ChangedKeys[], prefix: string): ChangedKeys {
  const changed = new Map<string, Uint8Array | undefined>();
  for (const layer of layers) {
    for (const [key, value] of layer)
      if (key.startsWith(prefix) && !changed.has(key)) changed.set(key, value);
  }
  return changed;
}

async function* savedEntries(save: Save, prefix: string): AsyncGenerator<StoreEntry> {
  const pages = await save.storePages();
  const first = Math.max(0, pageIndexOf(pages, prefix));
  for (const page of boundedPages(pages.slice(first))) {
    for (const entry of await save.readStorePage(page)) {
      if (entry.key.startsWith(prefix)) yield entry;
      else if (entry.key > prefix) return;
    }
  }
}

/** Bytes of pages that a cache holds. */
const CACHE_BYTES_MAX = 4 * 1024 * 1024;

/** The pages that were read last. A record never changes, so that a page stays right over commits. */
class PageCache {
  /** By record, the least recently used first. */
  readonly #pages = new Map<string, readonly StoreEntry[]>();
  #bytes = 0;

  async read(save: Save, bounded: BoundedPage): Promise<readonly StoreEntry[]> {
    const { page } = bounded;
    const key = `${page.ref.packId} ${page.ref.recordOffset} ${page.bytes}`;
    const known = this.#pages.get(key);
    if (known !== undefined) {
      this.#pages.delete(key);
      this.#pages.set(key, known);
      return known;
    }
    const entries = await save.readStorePage(bounded);
    if (!this.#pages.has(key)) this.#bytes += page.bytes;
    this.#pages.set(key, entries);
    this.#evict();
    return entries;
  }

  #evict(): void {
    for (const key of this.#pages.keys()) {
      if (this.#bytes <= CACHE_BYTES_MAX) return;
      this.#pages.delete(key);
      this.#bytes -= Number(key.slice(key.lastIndexOf(" ") + 1));
    }
  }
}
