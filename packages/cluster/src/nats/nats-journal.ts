import { setTimeout as delay } from "node:timers/promises";
import type { StreamInfo } from "@nats-io/jetstream";
import { OrthantError } from "@orthant/core";
import {
  APPEND_RECORDS_MAX,
  type AppendOutcome,
  type Journal,
  type JournalRecord,
  type JournalState,
  type StoredRecord,
} from "../backbone/backbone.ts";
import { journalSubject, readJournalSubject } from "./names.ts";
import type { NatsClient } from "./nats-client.ts";
import { type HeldMessage, type PublishAnswer, publishWhole, readHeld } from "./stream-messages.ts";
import {
  findStream,
  journalSettings,
  journalSizeFor,
  resizeStream,
  type StreamSettings,
  type StreamSizes,
} from "./stream-settings.ts";

const BATCH_COUNT = 256;
const RETRY_MS = 50;
/** Room added to a full journal for the records of new owners and of splits. */
const CONTROL_BYTES = 65_536;

/** The journal of a shard, in its own stream. */
export class NatsJournal implements Journal {
  readonly #client: NatsClient;
  readonly #world: string;
  readonly #shard: string;
  readonly #settings: StreamSettings;
  readonly #sizes: StreamSizes;

  constructor(client: NatsClient, world: string, shard: string, sizes: StreamSizes) {
    this.#client = client;
    this.#world = world;
    this.#shard = shard;
    this.#settings = journalSettings(world, shard, sizes);
    this.#sizes = sizes;
  }

  async state(): Promise<JournalState> {
    const { state, config } = await this.#info();
    const { first_seq: first, last_seq: last, bytes } = state;
    return { first: Math.max(first, 1), last, bytes, ...(config.sealed && { isSealed: true }) };
  }

  async append(records: readonly JournalRecord[], expectedLast: number): Promise<AppendOutcome> {
    if (records.length === 0 || records.length > APPEND_RECORDS_MAX) {
      throw new OrthantError(
        "ORT_ARGUMENT",
        `an append has 1 to ${APPEND_RECORDS_MAX} records, not ${records.length}`,
      );
    }
    const messages = records.map(({ subject, bytes }) => ({
      subject: journalSubject(this.#world, this.#shard, subject),
      bytes,
    }));
    const publish = (): Promise<PublishAnswer> =>
      this.#whileItIsThere(() =>
        publishWhole(this.#client, this.#settings.name, messages, { last: expectedLast }),
      );
    let answer = await publish();
    const isControl = records.every(({ subject }) => subject.kind === "control");
    if (answer.kind === "full" && isControl && (await this.#addControlRoom())) answer = await publish();
    if (answer.kind !== "stored") return answer;
    const { sequence, count } = answer;
    if (count !== records.length || sequence !== expectedLast + count) {
      throw new OrthantError(
        "ORT_BACKBONE_AWAY",
        `NATS stored ${count} records up to ${sequence}, expected ${records.length} after ${expectedLast}`,
      );
    }
    return { kind: "stored", last: sequence };
  }

  async *read(from: number, to: number): AsyncIterable<StoredRecord> {
    let next = from;
    let retriesLeft = Math.ceil(this.#client.timeoutMilliseconds / RETRY_MS);
    while (next <= to) {
      const count = Math.min(BATCH_COUNT, to - next + 1);
      const held = await this.#whileItIsThere(() => readHeld(this.#client, this.#settings.name, next, count));
      const before = next;
      for (const message of held) {
        // Everything after a gap is requested again.
        if (message.sequence !== next) break;
        yield stored(message);
        next++;
      }
      if (next > before) continue;
      await this.#mustHold(next);
      if (retriesLeft-- === 0) throw new OrthantError("ORT_BACKBONE_AWAY", `no replica gives record ${next}`);
      await delay(RETRY_MS);
    }
  }

  async trim(upTo: number): Promise<void> {
    const { first, last } = await this.state();
    // NATS would also purge records that are still to come, and skip their sequences.
    const end = Math.min(upTo, last);
    if (end < first) return;
    const { name } = this.#settings;
    await this.#client.manage(`trimming the stream ${name}`, ({ streams }) =>
      streams.purge(name, { seq: end + 1 }),
    );
  }

  async reserve(bytes: number): Promise<number> {
    const { name } = this.#settings;
    const { config, cluster, state } = await this.#info();
    const size = journalSizeFor(bytes, this.#sizes);
    // NATS would accept a size below what the stream holds, and then no more records.
    if (size === config.max_bytes || (size < config.max_bytes && state.bytes * 2 > size))
      return config.max_bytes;
    return resizeStream(this.#client, { name, config, ...(cluster && { cluster }) }, size);
  }

  /** Makes room for control records in a full journal. Returns true if there is more room now. */
  async #addControlRoom(): Promise<boolean> {
    const { name } = this.#settings;
    const { config, cluster, state } = await this.#info();
    const size = Math.max(config.max_bytes, state.bytes) + CONTROL_BYTES;
    const made = await resizeStream(this.#client, { name, config, ...(cluster && { cluster }) }, size);
    return made > config.max_bytes;
  }

  async #info(): Promise<StreamInfo> {
    const info = await findStream(this.#client, this.#settings);
    if (info === undefined) throw this.#missing("is gone");
    return info;
  }

  /** After a failure, asks for the state: a removed stream and one without a leader fail alike. */
  async #whileItIsThere<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (this.#client.isConnected && (await this.state()).isSealed) throw this.#missing("is sealed");
      throw error;
    }
  }

  /** Asks the leader whether the record exists, because a replica may lag. */
  async #mustHold(sequence: number): Promise<void> {
    const { first, last } = await this.state();
    if (sequence < first || sequence > last) {
      throw this.#missing(`holds ${first} to ${last}, so record ${sequence} is not there`);
    }
  }

  #missing(what: string): OrthantError {
    return new OrthantError("ORT_JOURNAL", `the journal of shard ${this.#shard} of ${this.#world} ${what}`);
  }
}

function stored({ subject, sequence, bytes }: HeldMessage): StoredRecord {
  // No owner writes other subjects, so the reader sets such a message aside.
  return { subject: readJournalSubject(subject) ?? { kind: "control" }, sequence, bytes };
}
