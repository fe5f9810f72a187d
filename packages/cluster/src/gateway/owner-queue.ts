import { isOrthantError, OrthantError, type Timer, type TimeSource } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { getOrAdd } from "@orthant/core/lattice";
import type { Backbone } from "../backbone/backbone.ts";
import type { ClusterDirectory } from "../shard/cluster-directory.ts";
import { ownerAddress } from "../shard/names.ts";
import {
  type OwnerAnswer,
  type OwnerRequest,
  ownerAnswerCodec,
  ownerRequestCodec,
} from "../shard/owner-messages.ts";

/** Sends one request to the owner of a shard. */
export type SendRequest = (request: OwnerRequest) => Promise<OwnerAnswer>;

/** Dependencies of every queue to the owners. */
export interface OwnerQueueContext {
  readonly backbone: Backbone;
  readonly directory: ClusterDirectory;
  readonly time: TimeSource;
  readonly world: string;
}

/** Settings of a queue. */
interface OwnerQueueOptions<Item> extends OwnerQueueContext {
  /** Maximum number of items in one request, and of background items among them. */
  readonly batchMax: number;
  readonly backgroundMax?: number;
  readonly shardOf: (item: Item) => string;
  /** Upper bound for the size of an item in a request, if items may be large. */
  readonly bytesOf?: (item: Item) => number;
  /** Arranges items that are sent again and those that wait already. By default the former come first. */
  readonly inOrder?: (items: readonly Item[]) => readonly Item[];
  /** Sends items to an owner. Returns those that must be sent again. */
  readonly send: (items: readonly Item[], request: SendRequest) => Promise<readonly Item[]>;
}

interface ShardQueue<Item> {
  /** Items in order of arrival; background items come after all others. */
  readonly items: Set<Item>;
  readonly background: Set<Item>;
  isBusy: boolean;
  timer: Timer | undefined;
  /** Timer of the pause before the next request with background items. */
  pause: Timer | undefined;
}

/** Delay before the next request to the owner, possibly a new one by then, after a failure. */
const RETRY_MS = 100;
const ANSWER_MS = 3_000;
/** Size of a request above which no other item joins those in it: the backbone takes messages of a limited size. */
const BATCH_BYTES_MAX = 1_048_576;
const PAUSE_MS_MIN = 1;
const PAUSE_MS_MAX = 1_000;

/**
 * Sends items to the owners of their shards: one request per shard at a time, with all waiting items, in
 * order. Unanswered items go to the node that owns the shard by then. Background items go into small requests,
 * each followed by a pause as long as the answer took. A gateway with a long backlog thus uses at most half of
 * an owner's time, and less the busier the owner is.
 */
export class OwnerQueue<Item> {
  readonly #options: OwnerQueueOptions<Item>;
  readonly #queues = new Map<string, ShardQueue<Item>>();
  #isClosed = false;

  constructor(options: OwnerQueueOptions<Item>) {
    this.#options = options;
  }

  /** Adds an item unless it is waiting already. */
  add(item: Item): void {
    this.#enqueue(this.#options.shardOf(item), item, "items");
  }

  /** Adds an item that has been sent to another owner, and arranges it among those that wait already. */
  addAgain(item: Item): void {
    this.add(item);
    const shard = this.#options.shardOf(item);
    this.#putBack(shard, this.#queueOf(shard), "items", []);
  }

  /** Adds a non-urgent item unless it is waiting already. */
  addBackground(item: Item): void {
    this.#enqueue(this.#options.shardOf(item), item, "background");
  }

  /** Removes an item, so that no further request contains it. */
  remove(item: Item): void {
    for (const { items, background } of this.#queues.values()) {
      items.delete(item);
      background.delete(item);
    }
  }

  /** Yields the items that wait for their first or next request. */
  *waiting(): Generator<Item> {
    for (const { items, background } of this.#queues.values()) {
      yield* items;
      yield* background;
    }
  }

  /** Stops sending. */
  close(): void {
    this.#isClosed = true;
    for (const { timer, pause } of this.#queues.values()) {
      timer?.cancel();
      pause?.cancel();
    }
    this.#queues.clear();
  }

  #enqueue(shard: string, item: Item, kind: "items" | "background"): void {
    if (this.#isClosed) return;
    const queue = this.#queueOf(shard);
    put(queue, item, kind);
    if (kind === "items") {
      queue.pause?.cancel();
      queue.pause = undefined;
    }
    this.#start(shard, queue);
  }

  #queueOf(shard: string): ShardQueue<Item> {
    return getOrAdd(this.#queues, shard, () => ({
      items: new Set(),
      background: new Set(),
      isBusy: false,
      timer: undefined,
      pause: undefined,
    }));
  }

  #start(shard: string, queue: ShardQueue<Item>): void {
    if (queue.isBusy || queue.timer !== undefined || queue.pause !== undefined) return;
    queue.isBusy = true;
    void this.#run(shard, queue);
  }

  async #run(shard: string, queue: ShardQueue<Item>): Promise<void> {
    const { time, batchMax, backgroundMax = batchMax, bytesOf = () => 0 } = this.#options;
    // Items added in the same turn share one request.
    await undefined;
    while (queue.items.size + queue.background.size > 0 && !this.#isClosed) {
      const startMs = time.nowMs();
      const urgent = claimed(queue.items, batchMax, bytesOf);
      const background = claimed(
        queue.background,
        Math.min(backgroundMax, batchMax - urgent.length),
        bytesOf,
      );
      const isAnswered = await this.#send(shard, queue, urgent, background);
      if (!isAnswered) {
        queue.timer = time.wait(RETRY_MS, () => {
          queue.timer = undefined;
          this.#start(shard, queue);
        });
        break;
      }
      if (queue.items.size > 0 || queue.background.size === 0) continue;
      const tookMs = time.nowMs() - startMs;
      queue.pause = time.wait(Math.min(Math.max(tookMs, PAUSE_MS_MIN), PAUSE_MS_MAX), () => {
        queue.pause = undefined;
        this.#start(shard, queue);
      });
      break;
    }
    queue.isBusy = false;
  }

  /** Sends a batch. Returns true if the next one may follow at once. */
  async #send(
    shard: string,
    queue: ShardQueue<Item>,
    urgent: readonly Item[],
    background: readonly Item[],
  ): Promise<boolean> {
    const batch = [...urgent, ...background];
    let left: ReadonlySet<Item> = new Set(batch);
    try {
      left = new Set(await this.#options.send(batch, (request) => this.#request(shard, request)));
    } catch (error) {
      if (!isOrthantError(error)) throw error;
    }
    if (left.size === 0) return true;
    const isLeft = (item: Item): boolean => left.has(item);
    this.#putBack(shard, queue, "items", urgent.filter(isLeft));
    this.#putBack(shard, queue, "background", background.filter(isLeft));
    return left.size < batch.length;
  }

  /** Puts items back before later ones, which keeps the order, each into the queue of its current shard. */
  #putBack(
    shard: string,
    queue: ShardQueue<Item>,
    kind: "items" | "background",
    items: readonly Item[],
  ): void {
    const { inOrder = (all) => all } = this.#options;
    const all = inOrder([...items, ...queue[kind]]);
    queue[kind].clear();
    for (const item of all) {
      const now = this.#options.shardOf(item);
      if (now === shard) put(queue, item, kind);
      else this.#enqueue(now, item, kind);
    }
  }

  async #request(shard: string, request: OwnerRequest): Promise<OwnerAnswer> {
    const { backbone, directory, world } = this.#options;
    const term = directory.leaseOf(shard)?.lease.term ?? 0;
    if (term < 1) throw new OrthantError("ORT_BACKBONE_NO_RESPONDER", `shard ${shard} has no owner`);
    const address = ownerAddress(world, shard, term);
    const bytes = await backbone.request(address, encode(ownerRequestCodec, request), ANSWER_MS);
    return decode(ownerAnswerCodec(directory.map.world.shape.volume), bytes);
  }
}

function put<Item>(queue: ShardQueue<Item>, item: Item, kind: "items" | "background"): void {
  if (kind === "items") {
    queue.background.delete(item);
    queue.items.add(item);
  } else if (!queue.items.has(item)) queue.background.add(item);
}

/** Removes and returns the first `count` items of a set, or fewer if they are large. */
function claimed<Item>(items: Set<Item>, count: number, bytesOf: (item: Item) => number): readonly Item[] {
  const first: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    bytes += bytesOf(item);
    if (first.length >= count || (first.length > 0 && bytes > BATCH_BYTES_MAX)) break;
    first.push(item);
    items.delete(item);
  }
  return first;
}
