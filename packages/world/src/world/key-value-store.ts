import { type DataCodec, OrthantError } from "@orthant/core";
import { requireText, wrongArgument } from "@orthant/core/arguments";
import { encodeUtf8 } from "@orthant/core/bytes";
import { decodePlainValue, encodePlainValue, PLAIN_DATA, PLAIN_VALUE_HEAD_BYTES } from "@orthant/core/world";
import type { StoreEntry } from "@orthant/save";
import { STORE_KEY_BYTES_MAX, STORE_VALUE_BYTES_MAX } from "@orthant/save/content";
import type { EngineStore, StoreReader } from "../engine/engine-store.ts";
import { HISTORY_KEYS } from "../engine/kept-operations.ts";

/** The key-value store of a world at one moment, to be read. */
export class KeyValueView {
  readonly #reader: StoreReader;
  readonly #codec: DataCodec;

  /** @internal */
  constructor(reader: StoreReader, codec: DataCodec) {
    this.#reader = reader;
    this.#codec = codec;
  }

  /** Returns the value of a key; `undefined` if there is none. */
  async get(key: string): Promise<unknown> {
    const bytes = await this.#reader.get(requireKey(key));
    return bytes && storeValueOf(this.#codec, key, bytes);
  }

  /** Yields the keys that begin with `prefix`, in order, as they are at the first step. */
  async *keys(prefix = ""): AsyncGenerator<string> {
    for await (const { key } of this.#entries(prefix)) yield key;
  }

  /** Yields the keys that begin with `prefix` with their values, in order, as they are at the first step. */
  async *entries(prefix = ""): AsyncGenerator<readonly [key: string, value: unknown]> {
    for await (const { key, value } of this.#entries(prefix)) {
      yield [key, storeValueOf(this.#codec, key, value)];
    }
  }

  /** Leaves out what belongs to histories of operations. */
  async *#entries(prefix: string): AsyncGenerator<StoreEntry> {
    for await (const entry of this.#reader.entries(requireText("prefix", prefix)))
      if (!entry.key.startsWith(HISTORY_KEYS)) yield entry;
  }
}

/**
 * What a game saves with its world besides blocks: the time of day, quests, bans. Values are JSON or bytes, at most 1 MiB
 * each and 64 MiB in all. They are in the same saves, journal and history as the blocks, and never go to clients.
 *
 * @example
 * await world.store.set("weather", { kind: "rain", until: 18_000 });
 * const weather = await world.store.get("weather");
 * for await (const [key, quest] of world.store.entries("quest/")) console.log(key, quest);
 */
export class KeyValueStore extends KeyValueView {
  readonly #store: EngineStore;
  readonly #codec: DataCodec;

  /** @internal */
  constructor(store: EngineStore, codec: DataCodec) {
    super(store, codec);
    this.#store = store;
    this.#codec = codec;
  }

  /**
   * Sets the value of a key of 1 to 256 bytes. Happens after all edits and changes requested before. In a world with a
   * journal the promise waits until it is durable. Throws `ORT_LIMIT`, and changes nothing, if the value or the store would
   * become too large.
   */
  async set(key: string, value: unknown): Promise<void> {
    const own = requireKey(key);
    await this.#store.change(own, storeBytesOf(this.#codec, own, value));
  }

  /** Removes a key. Returns whether it was there. */
  async delete(key: string): Promise<boolean> {
    return this.#store.change(requireKey(key), undefined);
  }
}

/** Returns a value as a save holds it. */
export function storeBytesOf(codec: DataCodec, key: string, value: unknown): Uint8Array {
  if (value === undefined) throw wrongArgument("value", value, "to remove a key, call delete");
  const isPlain = codec === PLAIN_DATA;
  const bytes: unknown = isPlain ? encodePlainValue("value", value) : codec.encode(value);
  if (!(bytes instanceof Uint8Array)) {
    throw wrongArgument("what storeCodec.encode returned for value", bytes, "it is a Uint8Array");
  }
  const length = bytes.length - (isPlain ? PLAIN_VALUE_HEAD_BYTES : 0);
  if (length <= STORE_VALUE_BYTES_MAX) return bytes.slice();
  throw new OrthantError(
    "ORT_LIMIT",
    `the value of ${JSON.stringify(key)} has ${length} bytes, which exceed the limit of ${STORE_VALUE_BYTES_MAX}: spread it over several keys`,
  );
}

/** Returns the value that a save holds. */
export function storeValueOf(codec: DataCodec, key: string, bytes: Uint8Array): unknown {
  if (codec !== PLAIN_DATA) return codec.decode(bytes.slice());
  const found = decodePlainValue(bytes);
  if (found !== undefined) return found.value;
  throw new OrthantError(
    "ORT_STORE",
    `the value of ${JSON.stringify(key)} is neither JSON nor bytes: open the world with the storeCodec that wrote it`,
  );
}

/** Returns a key that a save can hold. */
export function requireKey(key: unknown): string {
  const text = requireText("key", key);
  if (text.startsWith(HISTORY_KEYS))
    throw wrongArgument("key", text, "keys that begin so belong to histories of operations");
  // No character takes less than a byte, so that a long text need not be encoded.
  const bytes = text.length > STORE_KEY_BYTES_MAX ? text.length : encodeUtf8(text).length;
  if (bytes >= 1 && bytes <= STORE_KEY_BYTES_MAX) return text;
  throw wrongArgument("key", text, `it has 1 to ${STORE_KEY_BYTES_MAX} bytes as UTF-8`);
}
