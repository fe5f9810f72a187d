import { isOrthantError, type Position } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { getOrAdd } from "@orthant/core/lattice";
import { sleep } from "@orthant/core/time";
import type { WaitingTransfer } from "../journal/border-state.ts";
import type { EditTransfer } from "../shard/border-edits.ts";
import type { TransferId } from "../shard/entity-record.ts";
import { transferAddress } from "../shard/names.ts";
import { regionOfPoint } from "../shard/sectors.ts";
import {
  TRANSFERS_MAX,
  type Transfer,
  type TransferOutcome,
  type TransferRequest,
  transferAnswerCodec,
  transferRequestCodec,
} from "../shard/transfer-messages.ts";
import type { OwnerContext } from "./owner-context.ts";

/** What waits for one shard, in order. */
interface Waiting {
  readonly entities: WaitingTransfer<Transfer>[];
  readonly edits: WaitingTransfer<EditTransfer>[];
}

/** Delay before the next attempt to send what was not taken. */
const RETRY_MS = 200;
const ANSWER_MS = 3_000;
/** Size of a request above which no other transfer joins those in it. */
const REQUEST_BYTES_MAX = 524_288;

/**
 * Sends the entities and the edits in a shard's outboxes to the shards in which they are now, until they have them. One
 * leaves the outbox when its arrival is stored there. Rules K56 and K66.
 */
export class Crossings {
  readonly #context: OwnerContext;
  /** The shards to which something is being sent. */
  readonly #running = new Set<string>();
  #isEnded = false;

  constructor(context: OwnerContext) {
    this.#context = context;
  }

  /** Begins to send, if there is something to send. */
  start(): void {
    if (this.#isEnded) return;
    for (const shard of this.#waiting().keys()) {
      if (this.#running.has(shard)) continue;
      this.#running.add(shard);
      void this.#run(shard);
    }
  }

  /** Stops sending. The next owner goes on. */
  end(): void {
    this.#isEnded = true;
  }

  /** Sends to one shard, so that no shard waits for the answers of another. */
  async #run(shard: string): Promise<void> {
    const { log, options } = this.#context;
    try {
      for (;;) {
        const waiting = this.#waiting().get(shard);
        if (this.#isEnded || waiting === undefined) break;
        // Nothing that is not stored may arrive anywhere.
        await log.whenDurable();
        const isProgress = await this.#sendTo(shard, waiting);
        if (!isProgress) await sleep(options.time, RETRY_MS);
      }
      this.#running.delete(shard);
      // What was for this shard may be for another one by now.
      this.start();
    } catch (error) {
      // The journal or the shard is lost; the next owner sends them again.
      if (!isOrthantError(error)) throw error;
    } finally {
      this.#running.delete(shard);
    }
  }

  /** Returns everything in the outboxes by the shards that have the places now. */
  #waiting(): ReadonlyMap<string, Waiting> {
    const { log, options, world } = this.#context;
    const byShard = new Map<string, Waiting>();
    const of = (region: Position): Waiting =>
      getOrAdd(byShard, options.maps.shardOf(region), () => ({ entities: [], edits: [] }));
    const { entities, edits } = log.border;
    for (const one of entities.outbox.inOrder())
      of(regionOfPoint(world.shape, one.transfer.entity.position)).entities.push(one);
    for (const one of edits.outbox.inOrder()) of(one.transfer.region).edits.push(one);
    return byShard;
  }

  /** Sends to a shard, as much as fits into a request of each kind. Returns true if something arrived. */
  async #sendTo(shard: string, { entities, edits }: Waiting): Promise<boolean> {
    const { border } = this.#context.log;
    const { shard: from } = this.#context.options;
    const requests: TransferRequest[] = [];
    const lowOfEntities = border.entities.outbox.earliest;
    if (entities.length > 0 && lowOfEntities !== undefined) {
      const stamp = border.stamps.latest;
      requests.push({ kind: "entities", from, low: lowOfEntities, stamp, transfers: firstFitting(entities) });
    }
    const lowOfEdits = border.edits.outbox.earliest;
    if (edits.length > 0 && lowOfEdits !== undefined)
      requests.push({ kind: "edits", from, low: lowOfEdits, transfers: firstFitting(edits) });
    const arrived = await Promise.all(requests.map((request) => this.#send(shard, request)));
    return arrived.some((count) => count > 0);
  }

  /** Sends a request. Returns the number of transfers that arrived. */
  async #send(shard: string, request: TransferRequest): Promise<number> {
    const { log, gate, saver, options } = this.#context;
    const outcomes = await this.#request(shard, request);
    if (outcomes.includes("elsewhere")) await options.maps.refresh();
    const sent: readonly TransferId[] = request.transfers;
    const arrived = sent.filter((_, index) => outcomes[index] === "stored");
    if (arrived.length === 0) return 0;
    await gate.whenOpen();
    for (const { term, number } of arrived)
      log.addTransfer({ kind: "delivered", transfer: { term, number } });
    await log.whenDurable();
    saver.stored();
    return arrived.length;
  }

  async #request(shard: string, request: TransferRequest): Promise<readonly TransferOutcome[]> {
    const { backbone, world, maps } = this.#context.options;
    const term = maps.termOf(shard);
    if (term < 1) return [];
    try {
      const address = transferAddress(world, shard, term);
      const answer = await backbone.request(address, encode(transferRequestCodec, request), ANSWER_MS);
      return decode(transferAnswerCodec, answer);
    } catch (error) {
      // Sent again later, perhaps to another owner.
      if (isOrthantError(error)) return [];
      throw error;
    }
  }
}

/** Returns the first transfers, of those in order, that fit into a request. */
function firstFitting<Transfer>(waiting: readonly WaitingTransfer<Transfer>[]): readonly Transfer[] {
  const first: Transfer[] = [];
  let bytes = 0;
  for (const { transfer, bytes: added } of waiting) {
    bytes += added;
    if (first.length >= TRANSFERS_MAX || (first.length > 0 && bytes > REQUEST_BYTES_MAX)) break;
    first.push(transfer);
  }
  return first;
}
