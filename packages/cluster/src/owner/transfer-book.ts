import { type Codec, decode, encode, list } from "@orthant/core/bytes";
import { getOrAdd } from "@orthant/core/lattice";
import {
  compareTransfers,
  type EntitiesRecord,
  type EntityItem,
  shardNameCodec,
  type TransferId,
  type TransferItem,
  transferIdCodec,
  transferKey,
} from "../shard/entity-record.ts";
import { type Transfer, transferCodec } from "../shard/transfer-messages.ts";

/** What a shard has received from another. */
interface Inbox {
  /** Everything before this was received here or elsewhere: the sender no longer has it. */
  low: TransferId;
  /** Received transfers from `low` on, by their keys. */
  readonly received: Map<string, TransferId>;
}

interface SavedInbox {
  readonly from: string;
  readonly low: TransferId;
  readonly received: readonly TransferId[];
}

/** The state of a book as a save has it. */
interface BookState {
  readonly stamp: number;
  readonly outbox: readonly Transfer[];
  readonly inboxes: readonly SavedInbox[];
}

/** Entities that may wait for their destinations at once. */
export const OUTBOX_MAX = 16_384;
const SHARDS_MAX = 4_096;
/** Distance of the first stamp of an owner from the last known one: a lost journal may have had more. */
const STAMPS_SKIPPED: number = 2 ** 20;

const inboxCodec: Codec<SavedInbox> = {
  write(out, { from, low, received }) {
    shardNameCodec.write(out, from);
    transferIdCodec.write(out, low);
    idsCodec.write(out, received);
  },
  read: (input) => ({
    from: shardNameCodec.read(input),
    low: transferIdCodec.read(input),
    received: idsCodec.read(input),
  }),
};
const idsCodec = list(transferIdCodec, OUTBOX_MAX);
const outboxCodec = list(transferCodec, OUTBOX_MAX);
const inboxesCodec = list(inboxCodec, SHARDS_MAX);
const stateCodec: Codec<BookState> = {
  write(out, { stamp, outbox, inboxes }) {
    out.varUint(stamp);
    outboxCodec.write(out, outbox);
    inboxesCodec.write(out, inboxes);
  },
  read: (input) => ({
    stamp: input.varUint(),
    outbox: outboxCodec.read(input),
    inboxes: inboxesCodec.read(input),
  }),
};

/**
 * What a shard knows about entities that cross its border: those that left and are not known to have arrived, and the
 * transfers that it received. Saves and records of the journal contain all of it. Rules K56 to K58.
 */
export class TransferBook {
  readonly #outbox = new Map<string, Transfer>();
  readonly #inboxes = new Map<string, Inbox>();
  readonly #stamps = new Map<string, number>();
  #stamp = 0;
  /** The stamp of sectors without a change in this term. */
  #firstStamp = 0;
  #number = 0;

  /** Takes over the state in a save. */
  load(bytes: Uint8Array): void {
    const { stamp, outbox, inboxes } = decode(stateCodec, bytes);
    this.#stamp = Math.max(this.#stamp, stamp);
    for (const transfer of outbox) this.#outbox.set(transferKey(transfer), transfer);
    for (const { from, low, received } of inboxes)
      this.#inboxes.set(from, {
        low,
        received: new Map(received.map((transfer) => [transferKey(transfer), transfer])),
      });
  }

  /** Returns the state for a save. */
  toBytes(): Uint8Array {
    return encode(stateCodec, {
      stamp: this.#stamp,
      outbox: this.outbox,
      inboxes: Array.from(this.#inboxes, ([from, { low, received }]) => ({
        from,
        low,
        received: [...received.values()],
      })),
    });
  }

  /** Applies an item of a record of a term, whether it is new or replayed. */
  apply(item: EntityItem | TransferItem, term: number): void {
    if (item.kind === "left") {
      const transfer = { term, number: item.number, entity: item.entity };
      this.#outbox.set(transferKey(transfer), transfer);
    } else if (item.kind === "delivered") this.#outbox.delete(transferKey(item.transfer));
    else if (item.kind === "received") this.#receive(item.from, item.transfer, item.low);
  }

  /** Applies a record of the journal. */
  replay({ term, after, items }: EntitiesRecord): void {
    this.observe(after);
    for (const item of items) this.apply(item, term);
  }

  /** Forgets the outbox, which stays with the shard that this one was split from. */
  clearOutbox(): void {
    this.#outbox.clear();
  }

  /** Begins to issue stamps, later than all that an earlier owner may have issued. */
  begin(): void {
    this.#stamp += STAMPS_SKIPPED;
    this.#firstStamp = this.#stamp;
  }

  /** The transfers that are not known to have arrived, in order. */
  get outbox(): readonly Transfer[] {
    return [...this.#outbox.values()].sort(compareTransfers);
  }

  /** The earliest of them. */
  get earliest(): TransferId | undefined {
    let earliest: Transfer | undefined;
    for (const transfer of this.#outbox.values())
      if (earliest === undefined || compareTransfers(transfer, earliest) < 0) earliest = transfer;
    return earliest;
  }

  get outboxSize(): number {
    return this.#outbox.size;
  }

  /** The latest stamp known. */
  get stamp(): number {
    return this.#stamp;
  }

  /** Returns the number of the next transfer of this term. */
  nextNumber(): number {
    return ++this.#number;
  }

  /** Returns true if a transfer arrived before. */
  has(from: string, transfer: TransferId): boolean {
    const inbox = this.#inboxes.get(from);
    if (inbox === undefined) return false;
    return compareTransfers(transfer, inbox.low) < 0 || inbox.received.has(transferKey(transfer));
  }

  /** Returns the stamp of the last change in a sector. */
  stampOf(sector: string): number {
    return this.#stamps.get(sector) ?? this.#firstStamp;
  }

  /** Returns the next stamp. */
  nextStamp(): number {
    return ++this.#stamp;
  }

  setStamp(sector: string, stamp: number): void {
    this.#stamps.set(sector, stamp);
  }

  /** Has all later stamps exceed this one. */
  observe(stamp: number): void {
    this.#stamp = Math.max(this.#stamp, stamp);
  }

  #receive(from: string, transfer: TransferId, low: TransferId): void {
    const inbox = getOrAdd(this.#inboxes, from, () => ({ low, received: new Map<string, TransferId>() }));
    if (compareTransfers(transfer, inbox.low) >= 0) inbox.received.set(transferKey(transfer), transfer);
    if (compareTransfers(inbox.low, low) >= 0) return;
    inbox.low = low;
    for (const [key, one] of inbox.received) if (compareTransfers(one, low) < 0) inbox.received.delete(key);
  }
}
