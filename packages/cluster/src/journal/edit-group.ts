import { OrthantError, type Position } from "@orthant/core";
import { comparePositions, PositionMap, regionOf } from "@orthant/core/lattice";
import { CLOCK_NEVER } from "@orthant/core/tree";
import {
  chunkAfter,
  type JournalChunk,
  type JournalEdit,
  journalChunkBytesMax,
  journalEditBytesMax,
} from "@orthant/save/journal";
import { APPEND_RECORDS_MAX, type JournalRecord } from "../backbone/backbone.ts";
import { borderEditBytes } from "../shard/border-edits.ts";
import { type EntityItem, itemBytes, type TransferItem } from "../shard/entity-record.ts";
import { nameOfPosition, sectorOfRegion } from "../shard/sectors.ts";
import {
  encodeShardRecord,
  RECORD_BYTES_MAX,
  RECORD_ORIGINS_MAX,
  type RecordOrigin,
} from "../shard/shard-record.ts";
import type { StepBody } from "../shard/step-record.ts";

interface RegionGroup {
  readonly region: Position;
  readonly before: number;
  after: number;
  readonly chunks: PositionMap<JournalChunk>;
  readonly origins: RecordOrigin[];
  bytes: number;
}

/** Size of the edits of a group above which no other edit joins them. */
const GROUP_BYTES_MAX = 4_194_304;
/** Size of the changes of entities in a group above which no other one joins them: they may all be in one record. */
const ENTITIES_BYTES_MAX = 1_048_576;
/** Sectors that a change of an entity may add to a group. */
const ENTITY_SECTORS_MAX = 2;
/** Stands for the region in the subject of a record about the entities of a sector. */
const ENTITIES_TOKEN = "entities";
/** Bytes of a record besides its chunks. */
const RECORD_HEAD_BYTES = 256;
/** Bytes of a chunk in a record besides its content. */
const CHUNK_HEAD_BYTES = 32;
/** Bytes of a changed tick, about. */
const TICK_BYTES = 8;
/** Bytes of a note that edits of another shard were applied, at most. */
const TAKEN_BYTES_MAX = 96;

/** Returns an upper bound for the size of an edit with these chunks. Throws `ORT_LIMIT` if no record could store it. */
export function requireRecordable(chunks: readonly JournalChunk[]): number {
  const regions = new PositionMap<number>();
  let total = 0;
  for (const change of chunks) {
    const region = regionOf(change.position);
    const bytes = journalChunkBytesMax(change) + CHUNK_HEAD_BYTES;
    const inRegion = (regions.get(...region) ?? RECORD_HEAD_BYTES) + bytes;
    regions.set(...region, inRegion);
    total += bytes;
    if (inRegion > RECORD_BYTES_MAX)
      throw new OrthantError(
        "ORT_LIMIT",
        `an edit that takes more than ${RECORD_BYTES_MAX} bytes in region [${region}]: make several smaller ones`,
      );
  }
  return total + regions.size * RECORD_HEAD_BYTES;
}

interface ChangedEntity {
  item: EntityItem;
  readonly sectors: Set<string>;
}

/** Edits that are stored together, with one record per region, and changes of entities, with one per sector. */
export class EditGroup {
  readonly #regions = new PositionMap<RegionGroup>();
  readonly #entities = new Map<bigint, ChangedEntity>();
  /** Items that are in the record of no sector. */
  readonly #unplaced: (EntityItem | TransferItem)[] = [];
  /** The stamps that the sectors of its entities had before. */
  readonly #stampsBefore = new Map<string, number>();
  #entityBytes = 0;
  #step: StepBody | undefined;
  /** The stamp of its changes of entities. */
  stamp = 0;
  /** Log position of the last entry in the group. */
  lastPosition = 0;
  /** Upper bound for the size of its edits. */
  bytes = 0;
  /** Number of its edits. */
  edits = 0;
  /** The client of all its edits; `undefined` if they have several clients or none. */
  client: bigint | undefined;

  /** Returns true if there is room for an edit. The first edit of a group always fits. */
  hasRoom(edit: JournalEdit): boolean {
    if (this.#regions.size + this.#stampsBefore.size + this.#unplaced.length === 0) return true;
    const bytes = journalEditBytesMax(edit);
    const added = edit.clocks.filter(({ region }) => !this.#regions.has(...region)).length;
    if (this.#recordsMax + added > APPEND_RECORDS_MAX || this.bytes + bytes > GROUP_BYTES_MAX) return false;
    return edit.clocks.every(({ region }) => {
      const known = this.#regions.get(...region);
      if (known === undefined) return true;
      return known.bytes + bytes < RECORD_BYTES_MAX && known.origins.length < RECORD_ORIGINS_MAX;
    });
  }

  /** Adds an edit after those already in the group. */
  add(edit: JournalEdit): void {
    const bytes = journalEditBytesMax(edit);
    this.bytes += bytes;
    const order = this.edits++;
    const { clientId } = edit.origin ?? {};
    this.client = order === 0 || clientId === this.client ? clientId : undefined;
    for (const { region, before = CLOCK_NEVER, clock } of edit.clocks) {
      const known = this.#regions.get(...region);
      const group = known ?? {
        region,
        before,
        after: clock,
        chunks: new PositionMap(),
        origins: [],
        bytes: 0,
      };
      group.after = clock;
      group.bytes += bytes;
      if (edit.origin !== undefined) group.origins.push({ ...edit.origin, order });
      this.#regions.set(...region, group);
    }
    for (const change of edit.chunks) {
      const chunks = this.#regions.get(...regionOf(change.position))?.chunks;
      const before = chunks?.get(...change.position);
      chunks?.set(...change.position, before === undefined ? change : joined(before, change));
    }
  }

  /** True if there is room for another change of an entity. */
  get hasRoomForEntity(): boolean {
    return (
      this.#recordsMax + ENTITY_SECTORS_MAX <= APPEND_RECORDS_MAX && this.#entityBytes < ENTITIES_BYTES_MAX
    );
  }

  /** Returns true if the group has a change in a sector. */
  hasSector(sector: string): boolean {
    return this.#stampsBefore.has(sector);
  }

  /** Adds a sector, and the stamp that it had before. */
  addSector(sector: string, stampBefore: number): void {
    this.#stampsBefore.set(sector, stampBefore);
  }

  /** Adds a change of an entity, which replaces an earlier one in the group. All its sectors were added before. */
  addEntity(item: EntityItem, sectors: readonly string[]): void {
    const id = item.kind === "gone" ? item.entityId : item.entity.entityId;
    const known = this.#entities.get(id);
    const storedAt = known?.item.storedAt ?? item.storedAt;
    this.#entities.set(id, {
      item: { ...item, storedAt },
      sectors: new Set([...(known?.sectors ?? []), ...sectors]),
    });
    const bytes = itemBytes(item) * sectors.length;
    this.#entityBytes += bytes;
    this.bytes += bytes;
  }

  /** Adds what the shard learned about a transfer, or an entity that was added for another shard. */
  addUnplaced(item: EntityItem | TransferItem): void {
    this.#unplaced.push(item);
    const bytes = itemBytes(item);
    this.#entityBytes += bytes;
    this.bytes += bytes;
  }

  /** Adds the number and the ticks of the step that all of the group belongs to, and what it sent and received. */
  addStep(step: StepBody): void {
    this.#step = step;
    for (const { changes } of step.ticks) this.bytes += CHUNK_HEAD_BYTES + changes.length * TICK_BYTES;
    for (const { edits } of step.sent)
      this.bytes += edits.reduce((sum, edit) => sum + borderEditBytes(edit), CHUNK_HEAD_BYTES);
    this.bytes += step.taken.length * TAKEN_BYTES_MAX;
  }

  get #recordsMax(): number {
    return this.#regions.size + this.#stampsBefore.size + 1;
  }

  /** Returns the group's records: those of regions, in their order, then those of entities, then that of a step. */
  records(term: number, group: number, volume: number): readonly JournalRecord[] {
    const records = [...this.#regionRecords(term, group, volume), ...this.#entityRecords(term, volume)];
    if (this.#step === undefined) return records;
    const bytes = encodeShardRecord({ kind: "step", term, ...this.#step }, volume);
    return [...records, { subject: { kind: "control" }, bytes }];
  }

  #entityRecords(term: number, volume: number): readonly JournalRecord[] {
    const items = new Map<string, EntityItem[]>(
      Array.from(this.#stampsBefore.keys(), (sector) => [sector, []]),
    );
    for (const { item, sectors } of this.#entities.values())
      for (const sector of sectors) items.get(sector)?.push(item);
    const after = this.stamp;
    const records = Array.from(items, ([sector, changed]): JournalRecord => {
      const before = this.#stampsBefore.get(sector) ?? after;
      const record = { kind: "entities", term, before, after, items: changed } as const;
      return {
        subject: { kind: "region", sector, region: ENTITIES_TOKEN },
        bytes: encodeShardRecord(record, volume),
      };
    });
    if (this.#unplaced.length === 0) return records;
    const record = { kind: "entities", term, before: after, after, items: this.#unplaced } as const;
    return [...records, { subject: { kind: "control" }, bytes: encodeShardRecord(record, volume) }];
  }

  #regionRecords(term: number, group: number, volume: number): readonly JournalRecord[] {
    const regions = [...this.#regions.values()].sort((a, b) => comparePositions(a.region, b.region));
    return regions.map(({ region, before, after, chunks, origins }, index) => ({
      subject: {
        kind: "region",
        sector: nameOfPosition(sectorOfRegion(region)),
        region: nameOfPosition(region),
      },
      bytes: encodeShardRecord(
        {
          kind: "region",
          term,
          group,
          index,
          count: regions.length,
          region,
          before,
          after,
          origins,
          chunks: [...chunks.values()].sort((a, b) => comparePositions(a.position, b.position)),
        },
        volume,
      ),
    }));
  }
}

/** Merges two successive changes of a chunk. */
function joined(before: JournalChunk, after: JournalChunk): JournalChunk {
  const { position } = before;
  if ("chunk" in after) return after;
  if ("chunk" in before) return { position, chunk: chunkAfter(after, () => before.chunk) };
  const edits = lastOf([...before.edits, ...after.edits]);
  if (before.data === undefined && after.data === undefined) return { position, edits };
  return { position, edits, data: lastOf([...(before.data ?? []), ...(after.data ?? [])]) };
}

/** Returns the last edit of each voxel, ascending by index. */
function lastOf<Edit extends { readonly index: number }>(edits: readonly Edit[]): readonly Edit[] {
  const byIndex = new Map(edits.map((edit) => [edit.index, edit]));
  return [...byIndex.values()].sort((a, b) => a.index - b.index);
}
