import type { Position } from "@orthant/core";
import { type Codec, decode, encode, list, record, varUint } from "@orthant/core/bytes";
import { positionCodec } from "@orthant/core/lattice";
import type { WorldDescription } from "@orthant/save";
import { type EditTransfer, editTransferBytes, editTransferCodec } from "../shard/border-edits.ts";
import {
  type EntitiesRecord,
  type EntityItem,
  type TransferId,
  type TransferItem,
  transferIdCodec,
  transferKey,
} from "../shard/entity-record.ts";
import { nameOfPosition } from "../shard/sectors.ts";
import type { StepRecord } from "../shard/step-record.ts";
import { type Transfer, transferCodec } from "../shard/transfer-messages.ts";
import { type SavedBorder, savedBorderOf } from "./checkpoint.ts";
import { SectorStamps } from "./sector-stamps.ts";
import { inboxCodec, type SavedInbox, TransferInbox } from "./transfer-inbox.ts";
import { TransferOutbox } from "./transfer-outbox.ts";

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

const regionTransferIdCodec: Codec<RegionTransferId> = {
  write(out, transfer) {
    positionCodec.write(out, transfer.region);
    transferIdCodec.write(out, transfer);
  },
  read: (input) => ({ region: positionCodec.read(input), ...transferIdCodec.read(input) }),
};
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
