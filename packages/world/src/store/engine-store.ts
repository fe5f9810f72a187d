import { OrthantError } from "@orthant/core";
import { bytesEqual } from "@orthant/core/bytes";
import type { StoreEntry } from "@orthant/save";
import type { WorldContent } from "../content/world-content.ts";
import type { WorldEditor } from "../edit/world-editor.ts";
import type { WorldSaver } from "../saving/world-saver.ts";
import { entriesAt, type StoreMoment, valueAt } from "./store-content.ts";

/** Reads a store of bytes. */
export interface StoreReader {
  /** Returns the value of a key; `undefined` if there is none. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Yields the entries whose keys begin with a prefix, in order of the keys, as they are at the first step. */
  entries(prefix: string): AsyncGenerator<StoreEntry>;
}

/** How an open world may be changed. */
interface StoreRules {
  /** Whether the world is a shard of a cluster, whose log has no place for a store. */
  readonly isShard: boolean;
  /** Throws unless the world accepts changes. */
  requireWritable(): void;
}

/** The key-value store of an open world, as bytes. See `KeyValueStore`. */
export class EngineStore implements StoreReader {
  readonly #content: WorldContent;
  readonly #editor: WorldEditor;
  readonly #saver: WorldSaver;
  readonly #rules: StoreRules;

  /** @internal */
  constructor(content: WorldContent, editor: WorldEditor, saver: WorldSaver, rules: StoreRules) {
    this.#content = content;
    this.#editor = editor;
    this.#saver = saver;
    this.#rules = rules;
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    this.#saver.requireOpen();
    return this.#content.store.get(key);
  }

  async *entries(prefix: string): AsyncGenerator<StoreEntry> {
    this.#saver.requireOpen();
    const moment = this.#content.store.moment();
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
    this.#rules.requireWritable();
    if (this.#rules.isShard) throw noStoreInCluster();
    const hadValue = await this.#editor.inTurn(() => this.#change(key, value));
    // Waits even if nothing changed: what it found may not be on the disk yet.
    if (this.#saver.isJournaling) await this.#saver.whenDurable();
    return hadValue;
  }

  async #change(key: string, value: Uint8Array | undefined): Promise<boolean> {
    this.#content.requireRoomFor("a store");
    await this.#editor.requireId();
    const before = await this.#content.store.get(key);
    // A save may have failed while the page was read.
    this.#saver.requireWriter();
    if (isSame(before, value)) return before !== undefined;
    this.#content.store.put({ key, value }, before);
    this.#saver.addChange("world", { kind: "store", key, value });
    return before !== undefined;
  }
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one === undefined || other === undefined ? one === other : bytesEqual(one, other);
}

function noStoreInCluster(): OrthantError {
  return new OrthantError(
    "ORT_ARGUMENT",
    "a world that a cluster shares has no store, because each shard is saved on its own: keep such things in a database",
  );
}

/** Reads a store as it was at a moment. */
export function storeAt(moment: StoreMoment): StoreReader {
  return { get: (key) => valueAt(moment, key), entries: (prefix) => entriesAt(moment, prefix) };
}
