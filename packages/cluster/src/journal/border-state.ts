import type { Position } from "@orthant/core";
import { type Codec, combined, decode, encode, list, record, varUint } from "@orthant/core/bytes";
import { getOrAdd, positionCodec } from "@orthant/core/lattice";
import type { WorldDescription } from "@orthant/save";
import { type EditTransfer, editTransferBytes, editTransferCodec } from "../shard/border-edits.ts";
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
import { nameOfPosition } from "../shard/sectors.ts";
import type { StepRecord } from "../shard/step-record.ts";
import { type Transfer, transferCodec } from "../shard/transfer-messages.ts";
import { type SavedBorder, savedBorderOf } from "./checkpoint.ts";

/** The id of edits of a step, and their region. */
interface RegionTransferId extends TransferId {
  readonly region: Position;
}

/** Where transfers of one kind leave and arrive. */
interface Mailbox<Sent extends TransferId, Arrival extends TransferId> {
  readonly outbox: TransferOutbox<Sent>;
  readonly inbox: TransferInbox<Arrival>;
}

interface SavedMailbox<Sent, Arrival> {
  readonly outbox: readonly Sent[];
  readonly inbox: readonly SavedInbox<Arrival>[];
}

/** Entities that may wait for their destinations at once. */
export const LEAVING_ENTITIES_MAX = 16_384;
/** Bytes of an entity besides its data and texts. */
const ENTITY_BYTES = 256;
const LEAVING_EDITS_MAX = 1_048_576;
const REGIONS_MAX = 1_048_576;
const SHARDS_MAX = 4_096;

const regionTransferIdCodec: Codec<RegionTransferId> = combined(
  record({ region: positionCodec }),
  transferIdCodec,
);
const entitiesCodec = record<SavedMailbox<Transfer, TransferId> & { readonly stamp: number }>({
  stamp: varUint,
  outbox: list(transferCodec, LEAVING_ENTITIES_MAX),
  inbox: list(inboxCodec(transferIdCodec, LEAVING_ENTITIES_MAX), SHARDS_MAX),
});
const editsCodec = record<SavedMailbox<EditTransfer, RegionTransferId>>({
  outbox: list(editTransferCodec, LEAVING_EDITS_MAX),
  inbox: list(inboxCodec(regionTransferIdCodec, REGIONS_MAX), SHARDS_MAX),
});

/**
 * What a shard knows about entities and edits of steps that cross its border: those that it sent and that are not known to
 * have arrived, and which ones of others it took. Saves and records of the journal contain all of it. Rules K56 to K58,
 * K66 and K67.
 */
export class BorderState {
  readonly stamps: SectorStamps = new SectorStamps();
  /** Entities arrive in any order. */
  readonly entities: Mailbox<Transfer, TransferId> = {
    outbox: new TransferOutbox(entityBytes),
    inbox: new TransferInbox(transferKey),
  };
  /** Edits of one region are applied in their order. */
  readonly edits: Mailbox<EditTransfer, RegionTransferId> = {
    outbox: new TransferOutbox(editTransferBytes),
    inbox: new TransferInbox(({ region }) => nameOfPosition(region)),
  };
  #number = 0;

  /** Takes over the state in a save. Returns false if it has none. */
  load(description: WorldDescription): boolean {
    const saved = savedBorderOf(description);
    if (saved.transfers !== undefined) {
      const entities = decode(entitiesCodec, saved.transfers);
      this.stamps.observe(entities.stamp);
      load(this.entities, entities);
    }
    if (saved.edits !== undefined) load(this.edits, decode(editsCodec, saved.edits));
    return saved.transfers !== undefined;
  }

  /** Returns the state for a save. */
  toSave(): SavedBorder {
    const { stamps, entities, edits } = this;
    const hasEdits = edits.outbox.size > 0 || !edits.inbox.isEmpty;
    return {
      transfers: encode(entitiesCodec, { stamp: stamps.latest, ...toSave(entities) }),
      edits: hasEdits ? encode(editsCodec, toSave(edits)) : undefined,
    };
  }

  /** Applies a record of the journal. */
  replay(record: EntitiesRecord | StepRecord): void {
    const { term } = record;
    if (record.kind === "entities") {
      this.stamps.observe(record.after);
      for (const item of record.items) this.apply(item, term);
      return;
    }
    for (const sent of record.sent) this.edits.outbox.add({ ...sent, term });
    for (const { from, region, transfer, low } of record.taken)
      this.edits.inbox.add(from, { ...transfer, region }, low);
  }

  /** Applies an item of a record of a term, whether it is new or replayed. */
  apply(item: EntityItem | TransferItem, term: number): void {
    if (item.kind === "left") this.entities.outbox.add({ term, number: item.number, entity: item.entity });
    else if (item.kind === "received") this.entities.inbox.add(item.from, item.transfer, item.low);
    else if (item.kind === "delivered")
      for (const { outbox } of [this.entities, this.edits]) outbox.delivered(item.transfer);
  }

  /** Returns the number of the next transfer of this term. */
  nextNumber(): number {
    return ++this.#number;
  }

  /** True if something waits to arrive elsewhere. */
  get isSending(): boolean {
    return this.entities.outbox.size + this.edits.outbox.size > 0;
  }

  /** Forgets the outboxes, which stay with the shard that this one was split from. */
  clearOutboxes(): void {
    this.entities.outbox.clear();
    this.edits.outbox.clear();
  }
}

function load<Sent extends TransferId, Arrival extends TransferId>(
  { outbox, inbox }: Mailbox<Sent, Arrival>,
  saved: SavedMailbox<Sent, Arrival>,
): void {
  for (const transfer of saved.outbox) outbox.add(transfer);
  inbox.load(saved.inbox);
}

function toSave<Sent extends TransferId, Arrival extends TransferId>({
  outbox,
  inbox,
}: Mailbox<Sent, Arrival>): SavedMailbox<Sent, Arrival> {
  return { outbox: outbox.inOrder().map(({ transfer }) => transfer), inbox: inbox.toSave() };
}

function entityBytes({ entity: { payload, tags, displayName = "" } }: Transfer): number {
  return tags.reduce(
    (sum, tag) => sum + tag.length * 3,
    ENTITY_BYTES + payload.length + displayName.length * 3,
  );
}

/** Distance of the first stamp of an owner from the last known one: a lost journal may have had more. */
const STAMPS_SKIPPED: number = 2 ** 20;

/** The stamps of a shard, which order the changes of entities, and those of its sectors. Rule K55. */
class SectorStamps {
  readonly #stamps = new Map<string, number>();
  #latest = 0;
  /** The stamp of sectors without a change in this term. */
  #first = 0;

  /** The latest stamp known. */
  get latest(): number {
    return this.#latest;
  }

  /** Begins to issue stamps, later than all that an earlier owner may have issued. */
  begin(): void {
    this.#latest += STAMPS_SKIPPED;
    this.#first = this.#latest;
  }

  /** Returns the next stamp. */
  next(): number {
    return ++this.#latest;
  }

  /** Ensures that later stamps are greater. */
  observe(stamp: number): void {
    this.#latest = Math.max(this.#latest, stamp);
  }

  /** Returns the stamp of the last change in a sector. */
  of(sector: string): number {
    return this.#stamps.get(sector) ?? this.#first;
  }

  set(sector: string, stamp: number): void {
    this.#stamps.set(sector, stamp);
  }
}

/** What a shard has received from another. */
interface Received<Arrival> {
  /** Everything before this was received here or elsewhere: the sender no longer has it. */
  low: TransferId;
  /** The last transfer from `low` on in each lane. */
  readonly last: Map<string, Arrival>;
}

/** What a shard has received from another, in a save. */
interface SavedInbox<Arrival> {
  readonly from: string;
  readonly low: TransferId;
  readonly last: readonly Arrival[];
}

/**
 * The transfers that a shard received, so that it takes each once. Transfers arrive in order within a lane, and in any
 * order otherwise: one is a duplicate if a later one of its lane has arrived. Rules K57 and K67.
 */
class TransferInbox<Arrival extends TransferId> {
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
function inboxCodec<Arrival>(arrivalCodec: Codec<Arrival>, arrivalsMax: number): Codec<SavedInbox<Arrival>> {
  return record({ from: shardNameCodec, low: transferIdCodec, last: list(arrivalCodec, arrivalsMax) });
}

/** A transfer that waits to arrive, and its size. */
export interface WaitingTransfer<Transfer> {
  readonly transfer: Transfer;
  readonly bytes: number;
}

/** The transfers that a shard sends to others and that are not known to have arrived. Rules K56 and K66. */
export class TransferOutbox<Transfer extends TransferId> {
  readonly #waiting = new Map<string, WaitingTransfer<Transfer>>();
  readonly #bytesOf: (transfer: Transfer) => number;

  /** `bytesOf` returns the size of a transfer in a request, about. */
  constructor(bytesOf: (transfer: Transfer) => number) {
    this.#bytesOf = bytesOf;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Adds a transfer, or replaces the one with its id. */
  add(transfer: Transfer): void {
    this.#waiting.set(transferKey(transfer), { transfer, bytes: this.#bytesOf(transfer) });
  }

  /** Forgets a transfer that arrived. */
  delivered(id: TransferId): void {
    this.#waiting.delete(transferKey(id));
  }

  clear(): void {
    this.#waiting.clear();
  }

  /** Returns the transfers in the order of their ids. */
  inOrder(): readonly WaitingTransfer<Transfer>[] {
    return [...this.#waiting.values()].sort((one, other) => compareTransfers(one.transfer, other.transfer));
  }

  /** The lowest id; `undefined` if the outbox is empty. */
  get earliest(): TransferId | undefined {
    let earliest: TransferId | undefined;
    for (const { transfer } of this.#waiting.values())
      if (earliest === undefined || compareTransfers(transfer, earliest) < 0) earliest = transfer;
    return earliest;
  }
}
