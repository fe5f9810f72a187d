import type { Position } from "@orthant/core";
import {
  type Codec,
  checkedWhenRead,
  constant,
  encode,
  list,
  option,
  record,
  string,
  variants,
  varU64,
  varUint,
} from "@orthant/core/bytes";
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

/** Changes of entities in a sector, or what concerns no sector: transfers, and entities that were added for other shards. */
export interface EntitiesRecord {
  readonly kind: "entities";
  readonly term: number;
  /** The stamps of the sector before and after the changes; in a record about no sector both are the same. */
  readonly before: number;
  readonly after: number;
  readonly items: readonly (EntityItem | TransferItem)[];
}

/** Maximum size of an entity in a cluster, encoded. */
export const ENTITY_BYTES_MAX = 65_536;
const ITEMS_MAX = 65_536;
const SHARD_BYTES_MAX = 32;
const storedAtCodec = option(positionCodec);

/** Codec of the id of a transfer. */
export const transferIdCodec: Codec<TransferId> = checkedWhenRead(
  record({ term: varUint, number: varUint }),
  "ORT_JOURNAL",
  ({ term }) => (term === 0 ? "a transfer in term 0" : undefined),
);

/** Codec of the name of a shard. */
export const shardNameCodec: Codec<string> = checkedWhenRead(
  string(SHARD_BYTES_MAX),
  "ORT_ARGUMENT",
  (shard) => (isName(shard) ? undefined : `${JSON.stringify(shard)} is not a name of a shard`),
);

const itemCodec = variants<EntityItem | TransferItem>({
  present: record({ kind: constant("present"), entity: storedEntityCodec, storedAt: storedAtCodec }),
  gone: record({ kind: constant("gone"), entityId: varU64, storedAt: storedAtCodec }),
  left: record({
    kind: constant("left"),
    number: varUint,
    entity: storedEntityCodec,
    storedAt: storedAtCodec,
  }),
  received: record({
    kind: constant("received"),
    from: shardNameCodec,
    transfer: transferIdCodec,
    low: transferIdCodec,
  }),
  delivered: record({ kind: constant("delivered"), transfer: transferIdCodec }),
});

/** Codec of the body of a record about entities. Rule K55 in docs/formats/cluster.md. */
export const entitiesBodyCodec: Codec<Omit<EntitiesRecord, "kind" | "term">> = checkedWhenRead(
  record({ before: varUint, after: varUint, items: list(itemCodec, ITEMS_MAX) }),
  "ORT_JOURNAL",
  ({ before, after }) => (before > after ? `a record of entities from ${before} to ${after}` : undefined),
);

/** Returns the size of an item in a record. */
export function itemBytes(item: EntityItem | TransferItem): number {
  return encode(itemCodec, item).length;
}

/** Compares the ids of two transfers of one shard. */
export function compareTransfers(one: TransferId, other: TransferId): number {
  return one.term - other.term || one.number - other.number;
}

/** Returns a key for a transfer of one shard. */
export function transferKey({ term, number }: TransferId): string {
  return `${term}.${number}`;
}
