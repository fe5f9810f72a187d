import { optionalBytesEqual } from "@orthant/core/bytes";
import type { StoreEntry } from "@orthant/save";
import { entriesAt, type StoreMoment, valueAt } from "../content/store-content.ts";
import { type EngineCore, requireNoShard } from "./engine-core.ts";

/** Reads a store of bytes. */
export interface StoreReader {
  /** Returns the value of a key; `undefined` if there is none. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Yields the entries whose keys begin with a prefix, in order of the keys, as they are at the first step. */
  entries(prefix: string): AsyncGenerator<StoreEntry>;
}

/** The key-value store of an open world, as bytes. See `KeyValueStore`. */
export class EngineStore implements StoreReader {
  readonly #core: EngineCore;

  /** @internal */
  constructor(core: EngineCore) {
    this.#core = core;
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    this.#core.saver.requireOpen();
    return this.#core.content.store.get(key);
  }

  async *entries(prefix: string): AsyncGenerator<StoreEntry> {
    this.#core.saver.requireOpen();
    const moment = this.#core.content.store.moment();
    try {
      yield* entriesAt(moment, prefix);
    } finally {
      await moment.save.close();
    }
  }

  /**
   * Sets a key, or removes it, after all edits and changes that were requested before. Returns whether it had a value. In a
   * world with a journal the promise waits until the change is durable.
   */
  async change(key: string, value: Uint8Array | undefined): Promise<boolean> {
    const { saver, queue, requireWritable } = this.#core;
    requireWritable();
    requireNoShard(this.#core, "store");
    const hadValue = await queue.run(() => this.#change(key, value));
    // Waits even if nothing changed: what it found may not be on the disk yet.
    if (saver.isJournaling) await saver.whenDurable();
    return hadValue;
  }

  async #change(key: string, value: Uint8Array | undefined): Promise<boolean> {
    const { content, saver, epoch } = this.#core;
    saver.requireWriter();
    content.requireRoomFor("a store");
    // Gives the world an id if it has none, as an edit does: it was created before ids existed.
    if (content.global.description.worldId === 0n) await epoch.open();
    const before = await content.store.get(key);
    // A save may have failed while the page was read.
    saver.requireWriter();
    if (optionalBytesEqual(before, value)) return before !== undefined;
    content.store.put({ key, value }, before);
    saver.addChange("world", { kind: "store", key, value });
    return before !== undefined;
  }
}

/** Reads a store as it was at a moment. */
export function storeAt(moment: StoreMoment): StoreReader {
  return { get: (key) => valueAt(moment, key), entries: (prefix) => entriesAt(moment, prefix) };
}
