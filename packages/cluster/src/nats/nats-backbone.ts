import { headers, type Msg } from "@nats-io/transport-node";
import { OrthantError } from "@orthant/core";
import { SerialQueue } from "@orthant/disk/files";
import type { Backbone, BackboneStatus, Journal, Subscription } from "../backbone/backbone.ts";
import {
  addressSubject,
  isInbox,
  JOURNAL_STREAM_PREFIX,
  journalStream,
  LEADER_ELECTED,
  sectorFeed,
  TABLE_STREAM,
  topicSubject,
} from "./names.ts";
import {
  backboneFailure,
  isNoResponder,
  NatsClient,
  type NatsConnectionOptions,
  REFUSAL,
  refusalOf,
} from "./nats-client.ts";
import { NatsJournal } from "./nats-journal.ts";
import { NatsTable } from "./nats-table.ts";
import { checkServers } from "./server-check.ts";
import {
  ensureStream,
  findStream,
  journalSettings,
  type StreamSizes,
  tableSettings,
} from "./stream-settings.ts";

/** Settings of the NATS backbone. All nodes of a cluster use the same sizes. */
export interface NatsBackboneOptions extends NatsConnectionOptions {
  /** Number of servers that store everything: 3, or 1 for experiments. */
  readonly replicas?: number;
  /** Largest size of one shard's journal. A journal is small at first, and grows when it fills. */
  readonly journalBytesMax?: number;
}

const REPLICAS = 3;
/** Covers four times what an owner lets a journal hold before it saves. */
const JOURNAL_BYTES_MAX = 256 * 1024 * 1024;
const FAILED_HEADER = "Orthant-Failed";

/**
 * Connects to NATS JetStream. Throws `ORT_BACKBONE_UNFIT` if the servers are too old, acknowledge before they
 * sync, or keep a stream with other settings than requested; the message says what to change.
 */
export async function connectNats(options: NatsBackboneOptions): Promise<Backbone> {
  const { replicas = REPLICAS, journalBytesMax = JOURNAL_BYTES_MAX } = options;
  const sizes = { replicas, journalBytesMax };
  const client = await NatsClient.open(options);
  try {
    await checkServers(client, replicas);
    if (options.role === "gateway") await requireTable(client, sizes);
    else await ensureTable(client, sizes);
    const backbone = new NatsBackbone(client, sizes);
    await backbone.watchLeaders();
    return backbone;
  } catch (error) {
    await client.close();
    throw backboneFailure(error, "checking the NATS servers");
  }
}

/** A gateway writes no table, so it cannot create one. */
async function requireTable(client: NatsClient, sizes: StreamSizes): Promise<void> {
  if ((await findStream(client, tableSettings(sizes))) !== undefined) return;
  const remedy = "Create a world with orthant cluster create, or start an owner, and then this gateway";
  throw new OrthantError("ORT_NOT_FOUND", `NATS has no table ${TABLE_STREAM}. ${remedy}`);
}

function ensureTable(client: NatsClient, sizes: StreamSizes): Promise<void> {
  return ensureStream(client, tableSettings(sizes), firstRevision());
}

/**
 * Returns the first revision of a new table. It is later than any revision of a lost table, unless that one
 * was written to a thousand times a second throughout its life. So nothing that was read from the lost table
 * can change the new one. Rule K35.
 */
function firstRevision(): number {
  return Date.now();
}

class NatsBackbone implements Backbone {
  readonly table: NatsTable;
  readonly #client: NatsClient;
  readonly #sizes: StreamSizes;
  /** Journals are made one after the other, so that each finds the room that those before it leave. */
  readonly #making = new SerialQueue();

  constructor(client: NatsClient, sizes: StreamSizes) {
    this.table = new NatsTable(client, () => ensureTable(client, sizes));
    this.#client = client;
    this.#sizes = sizes;
  }

  /** Reports a gap when a journal's leader changes: the old one may have stored unpublished records. */
  async watchLeaders(): Promise<void> {
    await this.#client.subscribe(`${LEADER_ELECTED}*`, ({ subject }) => {
      const stream = subject.slice(LEADER_ELECTED.length);
      this.#client.leaderElected(stream);
      if (stream.startsWith(JOURNAL_STREAM_PREFIX)) this.#client.reportLag();
    });
  }

  async journal(world: string, shard: string, firstSequence = 1): Promise<Journal> {
    const settings = journalSettings(world, shard, this.#sizes);
    await this.#making.run(() => ensureStream(this.#client, settings, firstSequence));
    return new NatsJournal(this.#client, world, shard, this.#sizes);
  }

  async findJournal(world: string, shard: string): Promise<Journal | undefined> {
    const settings = journalSettings(world, shard, this.#sizes);
    const info = await findStream(this.#client, settings);
    return info === undefined ? undefined : new NatsJournal(this.#client, world, shard, this.#sizes);
  }

  removeJournal(world: string, shard: string): Promise<void> {
    const stream = journalStream(world, shard);
    return this.#client.manage(`removing the stream ${stream}`, async ({ streams }) => {
      try {
        await streams.delete(stream);
      } catch (error) {
        if (refusalOf(error) !== REFUSAL.streamNotFound) throw error;
      }
    });
  }

  follow(world: string, sector: string, listener: (record: Uint8Array) => void): Promise<Subscription> {
    return this.#client.subscribe(sectorFeed(world, sector), (message) => {
      // Any other message was not published by a stream.
      if (Number(message.headers?.get("Nats-Sequence")) > 0) listener(message.data);
    });
  }

  respond(address: string, answer: (request: Uint8Array) => Promise<Uint8Array>): Promise<Subscription> {
    return this.#client.subscribe(addressSubject(address), (message) => void this.#answer(message, answer));
  }

  async request(address: string, request: Uint8Array, timeoutMilliseconds: number): Promise<Uint8Array> {
    try {
      const message = await this.#client.request(addressSubject(address), request, {
        timeout: timeoutMilliseconds,
      });
      const failed = message.headers?.get(FAILED_HEADER) ?? "";
      if (failed === "") return message.data;
      throw new OrthantError("ORT_BACKBONE_AWAY", `${address} failed to answer: ${failed}`);
    } catch (error) {
      if (isNoResponder(error))
        throw new OrthantError("ORT_BACKBONE_NO_RESPONDER", `no process responds at ${address}`);
      throw backboneFailure(error, `asking ${address}`);
    }
  }

  broadcast(topic: string, bytes: Uint8Array): void {
    this.#client.publish(topicSubject(topic), bytes);
  }

  listen(topic: string, listener: (bytes: Uint8Array) => void): Promise<Subscription> {
    return this.#client.subscribe(topicSubject(topic), ({ data }) => listener(data));
  }

  onStatus(listener: (status: BackboneStatus) => void): Subscription {
    return this.#client.onStatus(listener);
  }

  async close(): Promise<void> {
    await this.table.end();
    await this.#client.close();
  }

  async #answer(message: Msg, answer: (request: Uint8Array) => Promise<Uint8Array>): Promise<void> {
    if (!isInbox(message.reply)) return;
    try {
      message.respond(await answer(message.data));
    } catch (error) {
      const fields = headers();
      fields.set(FAILED_HEADER, error instanceof Error ? error.name : "unknown");
      if (this.#client.isConnected) message.respond(new Uint8Array(), { headers: fields });
    }
  }
}
