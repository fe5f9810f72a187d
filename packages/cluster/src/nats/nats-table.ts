import { setTimeout as delay } from "node:timers/promises";
import type { Msg, MsgHdrs } from "@nats-io/transport-node";
import { isOrthantError, OrthantError } from "@orthant/core";
import type { BackboneTable, Subscription, TableEntry } from "../backbone/backbone.ts";
import { readTableKey, TABLE_FEED_PREFIX, TABLE_PREFIX, TABLE_STREAM, tableSubject } from "./names.ts";
import { type NatsClient, REFUSAL, refusalOf } from "./nats-client.ts";
import { type Expectation, publishWhole, readHeld } from "./stream-messages.ts";

const BATCH_COUNT = 512;
/** Delay before a replica that lags is asked again. */
const RETRY_MS = 50;
/** Silence after which the feed asks the stream for missed writes. */
const AUDIT_MS = 1000;
const OPERATION_HEADER = "KV-Operation";

/** The table in a NATS key-value bucket. A revision is a sequence of the underlying stream. */
export class NatsTable implements BackboneTable {
  readonly #client: NatsClient;
  readonly #restore: () => Promise<void>;
  #restoring: Promise<void> | undefined;
  #feed: Promise<TableFeed> | undefined;

  /** `restore` makes the stream if NATS says that there is none. */
  constructor(client: NatsClient, restore: () => Promise<void>) {
    this.#client = client;
    this.#restore = restore;
  }

  /** Asks the leader, because a replica may lag. */
  get(key: string): Promise<TableEntry | undefined> {
    const subject = tableSubject(key);
    return this.#client.manage(`reading ${key}`, async ({ streams }) => {
      try {
        const found = await streams.getMessage(TABLE_STREAM, { last_by_subj: subject });
        if (found === null) return undefined;
        const isRemoved = (found.header.get(OPERATION_HEADER) ?? "") !== "";
        return { key, value: isRemoved ? undefined : found.data, revision: found.seq };
      } catch (error) {
        if (refusalOf(error) === REFUSAL.noMessage) return undefined;
        throw error;
      }
    });
  }

  async put(key: string, value: Uint8Array): Promise<number> {
    const revision = await this.#write(key, value, {}).catch((error) => {
      // Only owners put, and they do so all the time, so a table that was deleted is soon there again. Rule K52.
      if (isOrthantError(error, "ORT_BACKBONE_AWAY") && this.#client.isConnected) this.#startRestoring();
      throw error;
    });
    if (revision !== undefined) return revision;
    throw new OrthantError(
      "ORT_BACKBONE_AWAY",
      `writing ${key}: NATS calls it stale, and nothing was expected`,
    );
  }

  /** Runs beside the next heartbeats: they must not wait for a check that a server without a leader leaves open. */
  #startRestoring(): void {
    this.#restoring ??= this.#restore()
      // The next failed heartbeat tries again.
      .catch(() => undefined)
      .finally(() => {
        this.#restoring = undefined;
      });
  }

  swap(key: string, value: Uint8Array, expected: number): Promise<number | undefined> {
    return this.#write(key, value, { lastOfSubject: expected });
  }

  async watch(prefix: string, listener: (entry: TableEntry) => void): Promise<Subscription> {
    this.#feed ??= TableFeed.open(this.#client);
    try {
      return (await this.#feed).watch(prefix, listener);
    } catch (error) {
      this.#feed = undefined;
      throw error;
    }
  }

  async end(): Promise<void> {
    // A feed that failed to open has nothing to end; `watch` has reported the failure.
    (await this.#feed?.catch(() => undefined))?.end();
  }

  async #write(key: string, value: Uint8Array, expected: Expectation): Promise<number | undefined> {
    const message = { subject: tableSubject(key), bytes: value };
    const answer = await publishWhole(this.#client, TABLE_STREAM, [message], expected);
    if (answer.kind === "full")
      throw new OrthantError("ORT_BACKBONE_UNFIT", `NATS has no room for the table`);
    return answer.kind === "stored" ? answer.sequence : undefined;
  }
}

/**
 * A current copy of the table. The server that stores a write republishes it, and such a message may get
 * lost. Sequences are consecutive, so a gap shows, and the feed reads what is missing. It does not use the
 * client's consumers, because they need up to a minute to notice that their server is gone.
 */
class TableFeed {
  readonly #client: NatsClient;
  readonly #entries = new Map<string, TableEntry>();
  readonly #listeners = new Set<(entry: TableEntry) => void>();
  readonly #timer: NodeJS.Timeout;
  #subscription: Subscription | undefined;
  /** Sequence up to which all writes were passed on. */
  #seen = 0;
  /** Sequence of the newest write we know of. */
  #newest = 0;
  #reading: Promise<void> | undefined;
  #isQuiet = false;

  private constructor(client: NatsClient) {
    this.#client = client;
    this.#timer = setInterval(() => this.#audit(), AUDIT_MS).unref();
  }

  static async open(client: NatsClient): Promise<TableFeed> {
    const feed = new TableFeed(client);
    try {
      feed.#subscription = await client.subscribe(`${TABLE_FEED_PREFIX}>`, (message) =>
        feed.#receive(message),
      );
      await feed.#catchUp();
      return feed;
    } catch (error) {
      feed.end();
      throw error;
    }
  }

  watch(prefix: string, listener: (entry: TableEntry) => void): Subscription {
    const filtered = (entry: TableEntry): void => {
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

  #receive({ subject, headers, data }: Msg): void {
    const sequence = Number(headers?.get("Nats-Sequence"));
    // Any other message was not published by the stream.
    if (headers === undefined || !Number.isSafeInteger(sequence)) return;
    this.#isQuiet = false;
    this.#newest = Math.max(this.#newest, sequence);
    if (sequence === this.#seen + 1 && this.#reading === undefined) {
      this.#pass(subject.slice(TABLE_FEED_PREFIX.length), sequence, data, headers);
    } else if (sequence > this.#seen) this.#catchUp().catch(ignoreAway);
  }

  /** Catches up after a silence, because if the very last write is lost, no later one reveals the gap. */
  #audit(): void {
    if (this.#isQuiet && this.#client.isConnected) this.#catchUp().catch(ignoreAway);
    this.#isQuiet = true;
  }

  /** Runs once at a time; a running pass also reads what arrives meanwhile. */
  #catchUp(): Promise<void> {
    this.#reading ??= this.#readToNewest().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readToNewest(): Promise<void> {
    await this.#readPass();
    while (this.#seen < this.#newest) {
      await delay(RETRY_MS);
      await this.#readPass();
    }
  }

  async #readPass(): Promise<void> {
    for (;;) {
      const held = await readHeld(this.#client, TABLE_STREAM, this.#seen + 1, BATCH_COUNT);
      for (const { subject, sequence, bytes, headers } of held) {
        if (sequence > this.#seen) this.#pass(subject.slice(TABLE_PREFIX.length), sequence, bytes, headers);
      }
      if (held.length === 0) return;
    }
  }

  #pass(key: string, revision: number, bytes: Uint8Array, headers: MsgHdrs): void {
    this.#seen = revision;
    const value = headers.get(OPERATION_HEADER) === "" ? bytes : undefined;
    const entry: TableEntry = { key: readTableKey(key), value, revision };
    if (value === undefined) this.#entries.delete(entry.key);
    else this.#entries.set(entry.key, entry);
    for (const listener of this.#listeners) listener(entry);
  }
}

/** The next write or audit tries again. */
function ignoreAway(error: unknown): void {
  if (!isOrthantError(error, "ORT_BACKBONE_AWAY", "ORT_CLOSED")) throw error;
}
