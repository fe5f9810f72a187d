import type { Position } from "@orthant/core";
import { type ByteReader, type ByteWriter, type Codec, encode, list, option } from "@orthant/core/bytes";
import { positionCodec } from "@orthant/core/lattice";
import type { StoredEntity } from "@orthant/save";
import { storedEntityCodec } from "@orthant/save/content";
import { isName } from "./names.ts";

/** Identifies a transfer among all that a shard ever sends. Later ones have a later term, or a higher number in it. */
export interface TransferId {
  readonly term: number;
  /** From 1 in each term. */
  readonly number: number;
}

/** A change of an entity. `storedAt` is a chunk of the leaf that has it in the last save, if any. */
export type EntityItem =
  | { readonly kind: "present"; readonly entity: StoredEntity; readonly storedAt: Position | undefined }
  | { readonly kind: "gone"; readonly entityId: bigint; readonly storedAt: Position | undefined }
  /** It walked into another shard, and is in the outbox until that one has it. */
  | {
      readonly kind: "left";
      readonly number: number;
      readonly entity: StoredEntity;
      readonly storedAt: Position | undefined;
    };

/** What a shard knows about transfers. */
export type TransferItem =
  /** A transfer arrived here. The sender has no earlier ones than `low` in its outbox. */
  | {
      readonly kind: "received";
      readonly from: string;
      readonly transfer: TransferId;
      readonly low: TransferId;
    }
  /** A transfer arrived at its destination, so the outbox no longer needs it. */
  | { readonly kind: "delivered"; readonly transfer: TransferId };

/** Changes of entities in a sector, or of what the shard knows about transfers. */
export interface EntitiesRecord {
  readonly kind: "entities";
  readonly term: number;
  /** The stamps of the sector before and after the changes; in a record about transfers both are the same. */
  readonly before: number;
  readonly after: number;
  readonly items: readonly (EntityItem | TransferItem)[];
}

/** Maximum size of an entity in a cluster, encoded. */
export const ENTITY_BYTES_MAX = 65_536;
const ITEMS_MAX = 65_536;
const SHARD_BYTES_MAX = 32;
const KINDS = ["present", "gone", "left", "received", "delivered"] as const;
const storedAtCodec = option(positionCodec);

/** Codec of the id of a transfer. */
export const transferIdCodec: Codec<TransferId> = {
  write(out, { term, number }) {
    out.varUint(term);
    out.varUint(number);
  },
  read(input) {
    const id = { term: input.varUint(), number: input.varUint() };
    if (id.term === 0) throw input.fail("ORT_JOURNAL", "a transfer in term 0");
    return id;
  },
};

/** Codec of the name of a shard. */
export const shardNameCodec: Codec<string> = {
  write: (out, shard) => out.string(shard, SHARD_BYTES_MAX),
  read(input) {
    const shard = input.string(SHARD_BYTES_MAX);
    if (!isName(shard)) throw input.fail("ORT_ARGUMENT", `${JSON.stringify(shard)} is not a name of a shard`);
    return shard;
  },
};

const itemsCodec = list<EntityItem | TransferItem>({ write: writeItem, read: readItem }, ITEMS_MAX);

/** Codec of the body of a record about entities. Rule K55 in docs/formats/cluster.md. */
export const entitiesBodyCodec: Codec<Omit<EntitiesRecord, "kind" | "term">> = {
  write(out, { before, after, items }) {
    out.varUint(before);
    out.varUint(after);
    itemsCodec.write(out, items);
  },
  read(input) {
    const [before, after] = [input.varUint(), input.varUint()];
    if (before > after) throw input.fail("ORT_JOURNAL", `a record of entities from ${before} to ${after}`);
    return { before, after, items: itemsCodec.read(input) };
  },
};

/** Returns the size of an item in a record. */
export function itemBytes(item: EntityItem | TransferItem): number {
  return encode({ write: writeItem, read: readItem }, item).length;
}

/** Compares the ids of two transfers of one shard. */
export function compareTransfers(one: TransferId, other: TransferId): number {
  return one.term - other.term || one.number - other.number;
}

/** Returns a key for a transfer of one shard. */
export function transferKey({ term, number }: TransferId): string {
  return `${term}.${number}`;
}

function writeItem(out: ByteWriter, item: EntityItem | TransferItem): void {
  out.tag(KINDS.indexOf(item.kind), KINDS.length);
  if (item.kind === "received") {
    shardNameCodec.write(out, item.from);
    transferIdCodec.write(out, item.transfer);
    transferIdCodec.write(out, item.low);
  } else if (item.kind === "delivered") transferIdCodec.write(out, item.transfer);
  else {
    if (item.kind === "left") out.varUint(item.number);
    if (item.kind === "gone") out.varU64(item.entityId);
    else storedEntityCodec.write(out, item.entity);
    storedAtCodec.write(out, item.storedAt);
  }
}

function readItem(input: ByteReader): EntityItem | TransferItem {
  const kind = KINDS[input.tag(KINDS.length)];
  switch (kind) {
    case "gone":
      return { kind, entityId: input.varU64(), storedAt: storedAtCodec.read(input) };
    case "left":
      return {
        kind,
        number: input.varUint(),
        entity: storedEntityCodec.read(input),
        storedAt: storedAtCodec.read(input),
      };
    case "received":
      return {
        kind,
        from: shardNameCodec.read(input),
        transfer: transferIdCodec.read(input),
        low: transferIdCodec.read(input),
      };
    case "delivered":
      return { kind, transfer: transferIdCodec.read(input) };
    default:
      return {
        kind: "present",
        entity: storedEntityCodec.read(input),
        storedAt: storedAtCodec.read(input),
      };
  }
}
