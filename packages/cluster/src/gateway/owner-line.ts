import { type Clock, isOrthantError, OrthantError, type Timer } from "@orthant/core";
import type { ClusterDirectory } from "../directory/cluster-directory.ts";
import type { Engine } from "../engine/engine.ts";
import { ownerAddress } from "../shard/names.ts";

/** Asks the owner of a shard once. */
export type Ask = (question: Uint8Array) => Promise<Uint8Array>;

/** What whoever asks owners is given. */
export interface OwnerLineSetting {
  readonly engine: Engine;
  readonly directory: ClusterDirectory;
  readonly clock: Clock;
  readonly world: string;
}

/** What a line is given. */
export interface OwnerLineOptions<Item> extends OwnerLineSetting {
  /** The most items in one question. */
  readonly batchMax: number;
  readonly shardOf: (item: Item) => string;
  /** Asks about items; gives those that have to be asked about again. */
  readonly send: (items: readonly Item[], ask: Ask) => Promise<readonly Item[]>;
}

interface Lane<Item> {
  /** In the order in which they were added. */
  readonly items: Set<Item>;
  isBusy: boolean;
  timer: Timer | undefined;
}

/** After so long an owner that did not answer is asked again; the one that there is then. */
const RETRY_MS = 100;
const ANSWER_MS = 3_000;

/**
 * Questions to the owners of shards: for each shard one at a time, with all that waits, in order. What was not answered
 * is asked again, of whoever owns the shard then.
 */
export class OwnerLine<Item> {
  readonly #options: OwnerLineOptions<Item>;
  readonly #lanes = new Map<string, Lane<Item>>();
  #isClosed = false;

  constructor(options: OwnerLineOptions<Item>) {
    this.#options = options;
  }

  /** Adds an item, unless it waits already. */
  add(item: Item): void {
    if (this.#isClosed) return;
    const shard = this.#options.shardOf(item);
    const lane = this.#laneOf(shard);
    lane.items.add(item);
    this.#start(shard, lane);
  }

  /** Asks no more about an item. */
  remove(item: Item): void {
    for (const lane of this.#lanes.values()) lane.items.delete(item);
  }

  /** The items that wait for their first question, or for another one. */
  *waiting(): Generator<Item> {
    for (const lane of this.#lanes.values()) yield* lane.items;
  }

  /** Asks nothing more. */
  close(): void {
    this.#isClosed = true;
    for (const lane of this.#lanes.values()) lane.timer?.cancel();
    this.#lanes.clear();
  }

  #laneOf(shard: string): Lane<Item> {
    const known = this.#lanes.get(shard);
    if (known !== undefined) return known;
    const lane: Lane<Item> = { items: new Set(), isBusy: false, timer: undefined };
    this.#lanes.set(shard, lane);
    return lane;
  }

  #start(shard: string, lane: Lane<Item>): void {
    if (lane.isBusy || lane.timer !== undefined) return;
    lane.isBusy = true;
    void this.#run(shard, lane);
  }

  async #run(shard: string, lane: Lane<Item>): Promise<void> {
    // What is added in the same moment is asked in one question.
    await undefined;
    while (lane.items.size > 0 && !this.#isClosed) {
      const batch = [...lane.items].slice(0, this.#options.batchMax);
      for (const item of batch) lane.items.delete(item);
      const isAnswered = await this.#send(shard, lane, batch);
      if (isAnswered) continue;
      lane.timer = this.#options.clock.after(RETRY_MS, () => {
        lane.timer = undefined;
        this.#start(shard, lane);
      });
      break;
    }
    lane.isBusy = false;
  }

  /** Sends a batch; tells whether the next one may follow at once. */
  async #send(shard: string, lane: Lane<Item>, batch: readonly Item[]): Promise<boolean> {
    let left = batch;
    try {
      left = await this.#options.send(batch, (question) => this.#ask(shard, question));
    } catch (error) {
      if (!isOrthantError(error)) throw error;
    }
    if (left.length === 0) return true;
    // In front of those that came meanwhile: the order stays.
    const later = [...lane.items];
    lane.items.clear();
    for (const item of [...left, ...later]) {
      const now = this.#options.shardOf(item);
      if (now === shard) lane.items.add(item);
      else this.#moveTo(now, item);
    }
    return left.length < batch.length;
  }

  #moveTo(shard: string, item: Item): void {
    const lane = this.#laneOf(shard);
    lane.items.add(item);
    this.#start(shard, lane);
  }

  #ask(shard: string, question: Uint8Array): Promise<Uint8Array> {
    const { engine, directory, world } = this.#options;
    const epoch = directory.leaseOf(shard)?.lease.epoch ?? 0;
    if (epoch < 1) return Promise.reject(nobody(shard));
    return engine.request(ownerAddress(world, shard, epoch), question, ANSWER_MS);
  }
}

function nobody(shard: string): OrthantError {
  return new OrthantError("ORT_ENGINE_NOBODY", `nobody owns shard ${shard}`);
}
