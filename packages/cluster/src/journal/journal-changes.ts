import { type ChunkShape, OrthantError } from "@orthant/core";
import { bytesEqual } from "@orthant/core/bytes";
import { boxContains } from "@orthant/core/lattice";
import type { StoredEntity } from "@orthant/save";
import type { LoggedChange, LoggedEntityChange } from "@orthant/world/engine";
import type { Journal, JournalRecord } from "../backbone/backbone.ts";
import type { Retries } from "../backbone/retries.ts";
import type { EntitiesRecord, EntityItem, TransferItem } from "../shard/entity-record.ts";
import { sectorOfPosition } from "../shard/sectors.ts";
import type { ShardSplit } from "../shard/shard-map.ts";
import type { RecordOrigin } from "../shard/shard-record.ts";
import type { StepRecord } from "../shard/step-record.ts";
import { decodeOwned, type ForeignRecordListener } from "./foreign-records.ts";

/** Range of records to read, and how to read them. */
export interface ReadChangesOptions {
  readonly from: number;
  readonly to: number;
  readonly shape: ChunkShape;
  /** The latest term that a record can have. */
  readonly termMax: number;
  readonly retries: Retries;
  /** Called for messages that no owner wrote, which are passed over. */
  readonly onForeign?: ForeignRecordListener | undefined;
  readonly onSplit?: (split: ShardSplit) => Promise<void>;
  /** Called for each record about entities, and for each step. */
  readonly onTransfers: (record: EntitiesRecord | StepRecord) => void;
}

/** Records read at once. */
const READ_RECORDS = 256;

/** Yields the changes in a range of journal records. Throws `ORT_JOURNAL` if the term decreases. Rule K9. */
export async function* readChanges(
  journal: Journal,
  { from, to, shape, termMax, retries, onForeign, onSplit, onTransfers }: ReadChangesOptions,
): AsyncIterable<LoggedChange> {
  let term = 0;
  // The next owner forgets clients in the order of their edits, which is not that of the records. Rule K41.
  let origins: readonly RecordOrigin[] = [];
  let group = 0;
  for (let first = from; first <= to; first += READ_RECORDS) {
    const records = await retries.until(() =>
      readAll(journal, first, Math.min(to, first + READ_RECORDS - 1)),
    );
    for (const [index, bytes] of records.entries()) {
      const record = decodeOwned(bytes, { volume: shape.volume, termMax });
      if (record instanceof OrthantError) {
        onForeign?.(first + index, record);
        continue;
      }
      if (record.term < term)
        throw new OrthantError("ORT_JOURNAL", `a record of term ${record.term} behind one of ${term}`);
      term = record.term;
      if (record.kind === "split") await onSplit?.(record.split);
      if (record.kind !== "region") {
        yield authorsOf(origins);
        origins = [];
        group = 0;
        if (record.kind === "split") yield { ...NO_CHANGE, keepsEntity: isOutside(record.split, shape) };
        if (record.kind === "step") yield { ...NO_CHANGE, step: record.step, ticks: record.ticks };
        if (record.kind === "step" || record.kind === "entities") onTransfers(record);
        if (record.kind !== "entities") continue;
        yield { ...NO_CHANGE, entities: record.items.flatMap(entityChangesOf) };
        continue;
      }
      if (record.group !== group) yield authorsOf(origins);
      const { region, before, after, chunks } = record;
      origins = record.group === group ? [...origins, ...record.origins] : record.origins;
      group = record.group;
      yield { clocks: [{ region, before, after }], chunks, origins: [] };
    }
  }
  yield authorsOf(origins);
}

const NO_CHANGE: LoggedChange = { clocks: [], chunks: [], origins: [] };

/** Returns what an item changes in the world. */
function entityChangesOf(item: EntityItem | TransferItem): readonly LoggedEntityChange[] {
  if (item.kind === "received" || item.kind === "delivered") return [];
  const { storedAt } = item;
  if (item.kind === "present") return [{ kind: "entity", entity: item.entity, storedAt }];
  return [
    { kind: "entityGone", entityId: item.kind === "left" ? item.entity.entityId : item.entityId, storedAt },
  ];
}

/** Returns whether an entity stays with the shard that a split divides. */
export function isOutside({ sectors }: ShardSplit, shape: ChunkShape): (entity: StoredEntity) => boolean {
  return ({ position }) => !boxContains(sectors, sectorOfPosition(shape, position));
}

/** Returns a change without regions that has the edits of a group in their order. */
function authorsOf(origins: readonly RecordOrigin[]): LoggedChange {
  const inOrder = [...origins].sort((one, other) => one.order - other.order);
  return { clocks: [], chunks: [], origins: inOrder };
}

async function readAll(journal: Journal, from: number, to: number): Promise<readonly Uint8Array[]> {
  const all: Uint8Array[] = [];
  for await (const { bytes } of journal.read(from, to)) all.push(bytes);
  return all;
}

/** Returns true if the journal has exactly these records from a sequence on. */
export async function isStored(
  journal: Journal,
  from: number,
  records: readonly JournalRecord[],
): Promise<boolean> {
  const { last } = await journal.state();
  const to = from + records.length - 1;
  if (last < to) return false;
  const stored = await readAll(journal, from, to);
  return records.every(({ bytes }, index) => bytesEqual(bytes, stored[index] ?? NO_BYTES));
}

const NO_BYTES = new Uint8Array(0);
