import { setTimeout as delay } from "node:timers/promises";
import type { Msg, MsgHdrs } from "@nats-io/transport-node";
import { isOrthantError } from "@orthant/core";
import type { Entry, Subscription } from "../engine/engine.ts";
import { readHeld } from "./direct-read.ts";
import { readTableKey, TABLE_FEED_PREFIX, TABLE_PREFIX, TABLE_STREAM } from "./names.ts";
import type { NatsLink } from "./nats-link.ts";

const BATCH_COUNT = 512;
/** Delay before a replica that lags is asked again. */
const RETRY_MS = 50;
/** Silence after which the feed asks the stream for missed writes. */
const AUDIT_MS = 1000;
const OPERATION_HEADER = "KV-Operation";

/**
 * A current copy of the table. The server that stores a write republishes it, and such a message may get
 * lost. Sequences are consecutive, so a gap shows, and the feed reads what is missing. It does not use the
 * client's consumers, because they need up to a minute to notice that their server is gone.
 */
export class TableFeed {
  readonly #link: NatsLink;
  readonly #entries = new Map<string, Entry>();
  readonly #listeners = new Set<(entry: Entry) => void>();
  readonly #timer: NodeJS.Timeout;
  #subscription: Subscription | undefined;
  /** Sequence up to which all writes were passed on. */
  #seen = 0;
  /** Sequence of the newest write we know of. */
  #heard = 0;
  #reading: Promise<void> | undefined;
  #isQuiet = false;

  private constructor(link: NatsLink) {
    this.#link = link;
    this.#timer = setInterval(() => this.#audit(), AUDIT_MS).unref();
  }

  static async open(link: NatsLink): Promise<TableFeed> {
    const feed = new TableFeed(link);
    try {
      feed.#subscription = await link.subscribe(`${TABLE_FEED_PREFIX}>`, (message) => feed.#hear(message));
      await feed.#catchUp();
      return feed;
    } catch (error) {
      feed.end();
      throw error;
    }
  }

  watch(prefix: string, listener: (entry: Entry) => void): Subscription {
    const filtered = (entry: Entry): void => {
      if (entry.key.startsWith(prefix)) listener(entry);
    };
    const standing = [...this.#entries.values()].sort((one, other) => one.revision - other.revision);
    this.#listeners.add(filtered);
    for (const entry of standing) filtered(entry);
    return { end: () => void this.#listeners.delete(filtered) };
  }

  end(): void {
    clearInterval(this.#timer);
    this.#subscription?.end();
    this.#listeners.clear();
  }

  #hear({ subject, headers, data }: Msg): void {
    const sequence = Number(headers?.get("Nats-Sequence"));
    // Any other message was not published by the stream.
    if (headers === undefined || !Number.isSafeInteger(sequence)) return;
    this.#isQuiet = false;
    this.#heard = Math.max(this.#heard, sequence);
    if (sequence === this.#seen + 1 && this.#reading === undefined) {
      this.#pass(subject.slice(TABLE_FEED_PREFIX.length), sequence, data, headers);
    } else if (sequence > this.#seen) this.#catchUp().catch(ignoreAway);
  }

  /** Catches up after a silence, because if the very last write is lost, no later one reveals the gap. */
  #audit(): void {
    if (this.#isQuiet && this.#link.isConnected) this.#catchUp().catch(ignoreAway);
    this.#isQuiet = true;
  }

  /** Runs once at a time; a running pass also reads what arrives meanwhile. */
  #catchUp(): Promise<void> {
    this.#reading ??= this.#readToHeard().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readToHeard(): Promise<void> {
    await this.#readPass();
    while (this.#seen < this.#heard) {
      await delay(RETRY_MS);
      await this.#readPass();
    }
  }

  async #readPass(): Promise<void> {
    for (;;) {
      const held = await readHeld(this.#link, TABLE_STREAM, this.#seen + 1, BATCH_COUNT);
      for (const { subject, sequence, bytes, headers } of held) {
        if (sequence > this.#seen) this.#pass(subject.slice(TABLE_PREFIX.length), sequence, bytes, headers);
      }
      if (held.length === 0) return;
    }
  }

  #pass(key: string, revision: number, bytes: Uint8Array, headers: MsgHdrs): void {
    this.#seen = revision;
    const value = headers.get(OPERATION_HEADER) === "" ? bytes : undefined;
    const entry: Entry = { key: readTableKey(key), value, revision };
    if (value === undefined) this.#entries.delete(entry.key);
    else this.#entries.set(entry.key, entry);
    for (const listener of this.#listeners) listener(entry);
  }
}

/** The next write or audit tries again. */
function ignoreAway(error: unknown): void {
  if (!isOrthantError(error, "ORT_ENGINE_AWAY", "ORT_CLOSED")) throw error;
}
