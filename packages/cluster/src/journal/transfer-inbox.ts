import { type Codec, list, record } from "@orthant/core/bytes";
import { getOrAdd } from "@orthant/core/lattice";
import {
  compareTransfers,
  shardNameCodec,
  type TransferId,
  transferIdCodec,
} from "../shard/entity-record.ts";

/** What a shard has received from another. */
interface Received<Arrival> {
  /** Everything before this was received here or elsewhere: the sender no longer has it. */
  low: TransferId;
  /** The last transfer from `low` on in each lane. */
  readonly last: Map<string, Arrival>;
}

/** What a shard has received from another, in a save. */
export interface SavedInbox<Arrival> {
  readonly from: string;
  readonly low: TransferId;
  readonly last: readonly Arrival[];
}

/**
 * The transfers that a shard received, so that it takes each once. Transfers arrive in order within a lane, and in any
 * order otherwise: one is a duplicate if a later one of its lane has arrived. Rules K57 and K67.
 */
export class TransferInbox<Arrival extends TransferId> {
  readonly #received = new Map<string, Received<Arrival>>();
  readonly #laneOf: (arrival: Arrival) => string;

  constructor(laneOf: (arrival: Arrival) => string) {
    this.#laneOf = laneOf;
  }

  /** True if nothing was ever received. */
  get isEmpty(): boolean {
    return this.#received.size === 0;
  }

  /** Returns true if a transfer arrived before. */
  has(from: string, arrival: Arrival): boolean {
    const received = this.#received.get(from);
    if (received === undefined) return false;
    const last = received.last.get(this.#laneOf(arrival));
    if (compareTransfers(arrival, received.low) < 0) return true;
    return last !== undefined && compareTransfers(arrival, last) <= 0;
  }

  /** Notes a transfer of a shard whose outbox has nothing before `low`. */
  add(from: string, arrival: Arrival, low: TransferId): void {
    const received = this.#from(from, low);
    if (compareTransfers(arrival, received.low) < 0) return;
    const lane = this.#laneOf(arrival);
    const last = received.last.get(lane);
    if (last === undefined || compareTransfers(last, arrival) < 0) received.last.set(lane, arrival);
  }

  /** Takes over what a save has. */
  load(saved: readonly SavedInbox<Arrival>[]): void {
    for (const { from, low, last } of saved) {
      this.#from(from, low);
      for (const arrival of last) this.add(from, arrival, low);
    }
  }

  /** Returns what a save needs. */
  toSave(): readonly SavedInbox<Arrival>[] {
    return Array.from(this.#received, ([from, { low, last }]) => ({ from, low, last: [...last.values()] }));
  }

  /** Returns what was received from a shard, without what is before `low`. */
  #from(from: string, low: TransferId): Received<Arrival> {
    const received = getOrAdd(this.#received, from, () => ({ low, last: new Map<string, Arrival>() }));
    if (compareTransfers(received.low, low) >= 0) return received;
    received.low = low;
    for (const [lane, last] of received.last) if (compareTransfers(last, low) < 0) received.last.delete(lane);
    return received;
  }
}

/** Returns the codec of what a shard received from others. */
export function inboxCodec<Arrival>(
  arrivalCodec: Codec<Arrival>,
  arrivalsMax: number,
): Codec<SavedInbox<Arrival>> {
  return record({ from: shardNameCodec, low: transferIdCodec, last: list(arrivalCodec, arrivalsMax) });
}
