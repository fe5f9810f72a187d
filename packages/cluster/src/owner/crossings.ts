import { type ChunkShape, isOrthantError, type Position, type TimeSource } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { sleep } from "@orthant/core/engine";
import type { Engine } from "../engine/engine.ts";
import { transferAddress } from "../shard/names.ts";
import { regionOfPoint } from "../shard/sectors.ts";
import {
  TRANSFERS_MAX,
  type Transfer,
  type TransferOutcome,
  transferAnswerCodec,
  transferRequestCodec,
} from "../shard/transfer-messages.ts";
import type { ShardLog } from "./shard-log.ts";

/** What sending entities to other shards needs. */
export interface CrossingsContext {
  readonly engine: Engine;
  readonly time: TimeSource;
  readonly world: string;
  readonly shard: string;
  readonly shape: ChunkShape;
  readonly log: ShardLog;
  /** Returns the shard of a region according to the current map. */
  readonly shardOf: (region: Position) => string;
  /** Returns the term of a shard's owner; 0 if it has none. */
  readonly termOf: (shard: string) => number;
  readonly refreshMap: () => Promise<void>;
  /** Resolves when the log may be written. Throws if the shard is no longer owned here. */
  readonly whenOpen: () => Promise<void>;
  /** Called after changes were added to the log. */
  readonly onStored: () => void;
}

/** Delay before the next attempt to send what was not taken. */
const RETRY_MS = 200;
const ANSWER_MS = 3_000;
/** Size of a request above which no other transfer joins those in it. */
const REQUEST_BYTES_MAX = 524_288;
/** Bytes of an entity besides its data and texts. */
const ENTITY_BYTES = 256;

/**
 * Sends the entities in a shard's outbox to the shards in which they are now, until they have them. An entity leaves
 * the outbox when its arrival is stored there. Rule K56.
 */
export class Crossings {
  readonly #context: CrossingsContext;
  #isRunning = false;
  #isEnded = false;

  constructor(context: CrossingsContext) {
    this.#context = context;
  }

  /** Begins to send, if there is something to send. */
  start(): void {
    if (this.#isRunning || this.#isEnded || this.#context.log.transfers.outboxSize === 0) return;
    this.#isRunning = true;
    void this.#run().finally(() => {
      this.#isRunning = false;
    });
  }

  /** Stops sending. The next owner goes on. */
  end(): void {
    this.#isEnded = true;
  }

  async #run(): Promise<void> {
    const { log, time } = this.#context;
    try {
      while (!this.#isEnded && log.transfers.outboxSize > 0) {
        const { outbox } = log.transfers;
        // Nothing that is not stored may arrive anywhere.
        await log.whenDurable();
        const isProgress = await this.#sendAll(outbox);
        if (!isProgress) await sleep(time, RETRY_MS);
      }
    } catch (error) {
      // The journal or the shard is lost; the next owner sends them again.
      if (!isOrthantError(error)) throw error;
    }
  }

  /** Sends transfers to all their destinations at once. Returns true if any arrived. */
  async #sendAll(transfers: readonly Transfer[]): Promise<boolean> {
    const { shape, shardOf } = this.#context;
    const byShard = new Map<string, Transfer[]>();
    for (const transfer of transfers) {
      const shard = shardOf(regionOfPoint(shape, transfer.entity.position));
      const others = byShard.get(shard);
      if (others === undefined) byShard.set(shard, [transfer]);
      else others.push(transfer);
    }
    const arrived = await Promise.all(Array.from(byShard, ([shard, some]) => this.#sendTo(shard, some)));
    return arrived.some((count) => count > 0);
  }

  /** Sends transfers to a shard, as many as fit into one request. Returns the number of those that arrived. */
  async #sendTo(shard: string, transfers: readonly Transfer[]): Promise<number> {
    const { log, refreshMap, whenOpen, onStored } = this.#context;
    const sent = fitting(transfers);
    const outcomes = await this.#request(shard, sent);
    if (outcomes.includes("elsewhere")) await refreshMap();
    const arrived = sent.filter((_, index) => outcomes[index] === "stored");
    if (arrived.length === 0) return 0;
    await whenOpen();
    for (const { term, number } of arrived)
      log.addTransfer({ kind: "delivered", transfer: { term, number } });
    await log.whenDurable();
    onStored();
    return arrived.length;
  }

  async #request(shard: string, transfers: readonly Transfer[]): Promise<readonly TransferOutcome[]> {
    const { engine, world, shard: from, log, termOf } = this.#context;
    const term = termOf(shard);
    const low = log.transfers.earliest;
    if (term < 1 || low === undefined) return [];
    const request = encode(transferRequestCodec, { from, low, stamp: log.transfers.stamp, transfers });
    try {
      const answer = await engine.request(transferAddress(world, shard, term), request, ANSWER_MS);
      return decode(transferAnswerCodec, answer);
    } catch (error) {
      // Sent again later, perhaps to another owner.
      if (isOrthantError(error)) return [];
      throw error;
    }
  }
}

/** Returns the first transfers, of those in order, that fit into a request. */
function fitting(transfers: readonly Transfer[]): readonly Transfer[] {
  const first: Transfer[] = [];
  let bytes = 0;
  for (const transfer of transfers) {
    const { payload, tags, displayName = "" } = transfer.entity;
    bytes += tags.reduce(
      (sum, tag) => sum + tag.length * 3,
      ENTITY_BYTES + payload.length + displayName.length * 3,
    );
    if (first.length >= TRANSFERS_MAX || (first.length > 0 && bytes > REQUEST_BYTES_MAX)) break;
    first.push(transfer);
  }
  return first;
}
