import { type Clock, decode, encode, isOrthantError, OrthantError, type Timer } from "@orthant/core";
import type { Engine } from "../engine/engine.ts";
import type { ClusterDirectory } from "../shard/cluster-directory.ts";
import { ownerAddress } from "../shard/names.ts";
import {
  type OwnerAnswer,
  type OwnerRequest,
  ownerAnswerCodec,
  ownerRequestCodec,
} from "../shard/owner-message.ts";

/** Asks the owner of a shard once. */
export type Ask = (request: OwnerRequest) => Promise<OwnerAnswer>;

/** Dependencies of everything that asks owners. */
export interface OwnerLineSetting {
  readonly engine: Engine;
  readonly directory: ClusterDirectory;
  readonly clock: Clock;
  readonly world: string;
}

/** Settings of a line. */
export interface OwnerLineOptions<Item> extends OwnerLineSetting {
  /** Maximum number of items in one question, and of patient items among them. */
  readonly batchMax: number;
  readonly patientMax?: number;
  readonly shardOf: (item: Item) => string;
  /** Asks about items. Returns those that must be asked about again. */
  readonly send: (items: readonly Item[], ask: Ask) => Promise<readonly Item[]>;
}

interface Lane<Item> {
  /** Items in order of arrival; patient items come after all others. */
  readonly items: Set<Item>;
  readonly patient: Set<Item>;
  isBusy: boolean;
  timer: Timer | undefined;
  /** Timer of the rest before the next question about patient items. */
  rest: Timer | undefined;
}

/** Delay before the owner, possibly a new one by then, is asked again after a failure. */
const RETRY_MS = 100;
const ANSWER_MS = 3_000;
const REST_MS_MIN = 1;
const REST_MS_MAX = 1_000;

/**
 * Sends questions to the owners of shards: one question per shard at a time, with all waiting items, in
 * order. Unanswered items go to whichever node owns the shard by then. Patient items go into small questions,
 * followed by a rest as long as the answer took. A gateway with a long backlog thus uses at most half of an
 * owner's time, and less the busier the owner is.
 */
export class OwnerLine<Item> {
  readonly #options: OwnerLineOptions<Item>;
  readonly #lanes = new Map<string, Lane<Item>>();
  #isClosed = false;

  constructor(options: OwnerLineOptions<Item>) {
    this.#options = options;
  }

  /** Adds an item unless it is waiting already. */
  add(item: Item): void {
    this.#enter(this.#options.shardOf(item), item, "items");
  }

  /** Adds a non-urgent item unless it is waiting already. */
  addPatient(item: Item): void {
    this.#enter(this.#options.shardOf(item), item, "patient");
  }

  /** Removes an item, so that no further question contains it. */
  remove(item: Item): void {
    for (const { items, patient } of this.#lanes.values()) {
      items.delete(item);
      patient.delete(item);
    }
  }

  /** Yields the items that wait for their first or next question. */
  *waiting(): Generator<Item> {
    for (const { items, patient } of this.#lanes.values()) {
      yield* items;
      yield* patient;
    }
  }

  /** Stops asking. */
  close(): void {
    this.#isClosed = true;
    for (const { timer, rest } of this.#lanes.values()) {
      timer?.cancel();
      rest?.cancel();
    }
    this.#lanes.clear();
  }

  #enter(shard: string, item: Item, kind: "items" | "patient"): void {
    if (this.#isClosed) return;
    const lane = this.#laneOf(shard);
    put(lane, item, kind);
    if (kind === "items") {
      lane.rest?.cancel();
      lane.rest = undefined;
    }
    this.#start(shard, lane);
  }

  #laneOf(shard: string): Lane<Item> {
    const known = this.#lanes.get(shard);
    if (known !== undefined) return known;
    const lane: Lane<Item> = {
      ...{ items: new Set<Item>(), patient: new Set<Item>() },
      ...{ isBusy: false, timer: undefined, rest: undefined },
    };
    this.#lanes.set(shard, lane);
    return lane;
  }

  #start(shard: string, lane: Lane<Item>): void {
    if (lane.isBusy || lane.timer !== undefined || lane.rest !== undefined) return;
    lane.isBusy = true;
    void this.#run(shard, lane);
  }

  async #run(shard: string, lane: Lane<Item>): Promise<void> {
    const { clock, batchMax, patientMax = batchMax } = this.#options;
    // Items added in the same turn share one question.
    await undefined;
    while (lane.items.size + lane.patient.size > 0 && !this.#isClosed) {
      const startMs = clock.nowMs();
      const urgent = claimed(lane.items, batchMax);
      const patient = claimed(lane.patient, Math.min(patientMax, batchMax - urgent.length));
      const isAnswered = await this.#send(shard, lane, urgent, patient);
      if (!isAnswered) {
        lane.timer = clock.wait(RETRY_MS, () => {
          lane.timer = undefined;
          this.#start(shard, lane);
        });
        break;
      }
      if (lane.items.size > 0 || lane.patient.size === 0) continue;
      const tookMs = clock.nowMs() - startMs;
      lane.rest = clock.wait(Math.min(Math.max(tookMs, REST_MS_MIN), REST_MS_MAX), () => {
        lane.rest = undefined;
        this.#start(shard, lane);
      });
      break;
    }
    lane.isBusy = false;
  }

  /** Sends a batch. Returns true if the next one may follow at once. */
  async #send(
    shard: string,
    lane: Lane<Item>,
    urgent: readonly Item[],
    patient: readonly Item[],
  ): Promise<boolean> {
    const batch = [...urgent, ...patient];
    let left: ReadonlySet<Item> = new Set(batch);
    try {
      left = new Set(await this.#options.send(batch, (request) => this.#ask(shard, request)));
    } catch (error) {
      if (!isOrthantError(error)) throw error;
    }
    if (left.size === 0) return true;
    this.#putBack(
      shard,
      lane,
      "items",
      urgent.filter((item) => left.has(item)),
    );
    this.#putBack(
      shard,
      lane,
      "patient",
      patient.filter((item) => left.has(item)),
    );
    return left.size < batch.length;
  }

  /** Puts items back before later ones, which keeps the order, each into the lane of its current shard. */
  #putBack(shard: string, lane: Lane<Item>, kind: "items" | "patient", items: readonly Item[]): void {
    const all = [...items, ...lane[kind]];
    lane[kind].clear();
    for (const item of all) {
      const now = this.#options.shardOf(item);
      if (now === shard) put(lane, item, kind);
      else this.#enter(now, item, kind);
    }
  }

  async #ask(shard: string, request: OwnerRequest): Promise<OwnerAnswer> {
    const { engine, directory, world } = this.#options;
    const term = directory.leaseOf(shard)?.lease.term ?? 0;
    if (term < 1) throw nobody(shard);
    const address = ownerAddress(world, shard, term);
    const bytes = await engine.request(address, encode(ownerRequestCodec, request), ANSWER_MS);
    return decode(ownerAnswerCodec(directory.map.world.shape.volume), bytes);
  }
}

function put<Item>(lane: Lane<Item>, item: Item, kind: "items" | "patient"): void {
  if (kind === "items") {
    lane.patient.delete(item);
    lane.items.add(item);
  } else if (!lane.items.has(item)) lane.patient.add(item);
}

/** Removes and returns the first `count` items of a set. */
function claimed<Item>(items: Set<Item>, count: number): readonly Item[] {
  const first: Item[] = [];
  for (const item of items) {
    if (first.length >= count) break;
    first.push(item);
    items.delete(item);
  }
  return first;
}

function nobody(shard: string): OrthantError {
  return new OrthantError("ORT_ENGINE_NO_RESPONDER", `nobody owns shard ${shard}`);
}
