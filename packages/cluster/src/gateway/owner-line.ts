import { type Clock, decode, encode, isOrthantError, OrthantError, type Timer } from "@orthant/core";
import type { ClusterDirectory } from "../directory/cluster-directory.ts";
import type { Engine } from "../engine/engine.ts";
import { ownerAddress } from "../shard/names.ts";
import {
  type OwnerAnswer,
  type OwnerQuestion,
  ownerAnswerCodec,
  ownerQuestionCodec,
} from "../shard/owner-message.ts";

/** Asks the owner of a shard once. */
export type Ask = (question: OwnerQuestion) => Promise<OwnerAnswer>;

/** What whoever asks owners is given. */
export interface OwnerLineSetting {
  readonly engine: Engine;
  readonly directory: ClusterDirectory;
  readonly clock: Clock;
  readonly world: string;
}

/** What a line is given. */
export interface OwnerLineOptions<Item> extends OwnerLineSetting {
  /** The most items in one question, and the most of those in it that can wait. */
  readonly batchMax: number;
  readonly patientMax?: number;
  readonly shardOf: (item: Item) => string;
  /** Asks about items; gives those that have to be asked about again. */
  readonly send: (items: readonly Item[], ask: Ask) => Promise<readonly Item[]>;
}

interface Lane<Item> {
  /** In the order in which they were added; those that can wait come behind all others. */
  readonly items: Set<Item>;
  readonly patient: Set<Item>;
  isBusy: boolean;
  timer: Timer | undefined;
  /** Until what can wait is asked about again. */
  rest: Timer | undefined;
}

/** After so long an owner that did not answer is asked again; the one that there is then. */
const RETRY_MS = 100;
const ANSWER_MS = 3_000;
const REST_MS_MIN = 1;
const REST_MS_MAX = 1_000;

/**
 * Questions to the owners of shards: for each shard one at a time, with all that waits, in order. What was not answered
 * is asked again, of whoever owns the shard then. What can wait is asked about in small questions, and as long as an
 * answer took there is a rest before the next: so a gateway that has very much to ask takes half of an owner's time at
 * most, and less the more the owner has to do.
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
    this.#enter(this.#options.shardOf(item), item, "items");
  }

  /** Adds an item about which nobody needs to know at once, unless it waits already. */
  addPatient(item: Item): void {
    this.#enter(this.#options.shardOf(item), item, "patient");
  }

  /** Asks no more about an item. */
  remove(item: Item): void {
    for (const { items, patient } of this.#lanes.values()) {
      items.delete(item);
      patient.delete(item);
    }
  }

  /** The items that wait for their first question, or for another one. */
  *waiting(): Generator<Item> {
    for (const { items, patient } of this.#lanes.values()) {
      yield* items;
      yield* patient;
    }
  }

  /** Asks nothing more. */
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
    // What is added in the same moment is asked in one question.
    await undefined;
    while (lane.items.size + lane.patient.size > 0 && !this.#isClosed) {
      const startMs = clock.nowMs();
      const urgent = taken(lane.items, batchMax);
      const patient = taken(lane.patient, Math.min(patientMax, batchMax - urgent.length));
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

  /** Sends a batch; tells whether the next one may follow. */
  async #send(
    shard: string,
    lane: Lane<Item>,
    urgent: readonly Item[],
    patient: readonly Item[],
  ): Promise<boolean> {
    const batch = [...urgent, ...patient];
    let left: ReadonlySet<Item> = new Set(batch);
    try {
      left = new Set(await this.#options.send(batch, (question) => this.#ask(shard, question)));
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

  /** Puts items in front of those that came meanwhile, so that the order stays; each to where it belongs by now. */
  #putBack(shard: string, lane: Lane<Item>, kind: "items" | "patient", items: readonly Item[]): void {
    const all = [...items, ...lane[kind]];
    lane[kind].clear();
    for (const item of all) {
      const now = this.#options.shardOf(item);
      if (now === shard) put(lane, item, kind);
      else this.#enter(now, item, kind);
    }
  }

  async #ask(shard: string, question: OwnerQuestion): Promise<OwnerAnswer> {
    const { engine, directory, world } = this.#options;
    const epoch = directory.leaseOf(shard)?.lease.epoch ?? 0;
    if (epoch < 1) throw nobody(shard);
    const address = ownerAddress(world, shard, epoch);
    const bytes = await engine.request(address, encode(ownerQuestionCodec, question), ANSWER_MS);
    return decode(ownerAnswerCodec(directory.map.world.shape.volume), bytes);
  }
}

function put<Item>(lane: Lane<Item>, item: Item, kind: "items" | "patient"): void {
  if (kind === "items") {
    lane.patient.delete(item);
    lane.items.add(item);
  } else if (!lane.items.has(item)) lane.patient.add(item);
}

/** Takes up to so many of the first out of a set. */
function taken<Item>(items: Set<Item>, count: number): readonly Item[] {
  const first: Item[] = [];
  for (const item of items) {
    if (first.length >= count) break;
    first.push(item);
    items.delete(item);
  }
  return first;
}

function nobody(shard: string): OrthantError {
  return new OrthantError("ORT_ENGINE_NOBODY", `nobody owns shard ${shard}`);
}
