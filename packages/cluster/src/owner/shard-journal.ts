import { OrthantError, type Position } from "@orthant/core";
import { bytesEqual, type Codec, decode, encode } from "@orthant/core/bytes";
import { comparePositions, PositionMap, regionOf } from "@orthant/core/engine";
import type { Attachment, WorldDescription } from "@orthant/save";
import {
  chunkAfter,
  type JournalChunk,
  journalChunkBytesMax,
  journalEditBytesMax,
} from "@orthant/save/journal";
import type { LoggedChange, LoggedEdit } from "@orthant/world/engine";
import { APPEND_RECORDS_MAX, type Journal, type JournalRecord } from "../engine/engine.ts";
import type { Retries } from "../engine/retries.ts";
import { nameOfPosition, sectorOfRegion } from "../shard/sectors.ts";
import type { ShardSplit } from "../shard/shard-map.ts";
import {
  encodeShardRecord,
  RECORD_BYTES_MAX,
  RECORD_ORIGINS_MAX,
  type RecordOrigin,
} from "../shard/shard-record.ts";
import { decodeOwned, type ForeignRecordListener } from "./foreign-records.ts";

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
/** Bytes of a record besides its chunks. */
const RECORD_HEAD_BYTES = 256;
/** Bytes of a chunk in a record besides its content. */
const CHUNK_HEAD_BYTES = 32;

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

/** Edits that are stored together, with one record per region. */
export class EditGroup {
  readonly #regions = new PositionMap<RegionGroup>();
  /** Log position of the last entry in the group. */
  lastPosition = 0;
  /** Upper bound for the size of its edits. */
  bytes = 0;
  #edits = 0;

  /** Returns true if there is room for an edit. The first edit of a group always fits. */
  hasRoom(edit: LoggedEdit): boolean {
    if (this.#regions.size === 0) return true;
    const bytes = journalEditBytesMax(edit);
    const added = edit.clocks.filter(({ region }) => !this.#regions.has(...region)).length;
    if (this.#regions.size + added > APPEND_RECORDS_MAX || this.bytes + bytes > GROUP_BYTES_MAX) return false;
    return edit.clocks.every(({ region }) => {
      const known = this.#regions.get(...region);
      if (known === undefined) return true;
      return known.bytes + bytes < RECORD_BYTES_MAX && known.origins.length < RECORD_ORIGINS_MAX;
    });
  }

  /** Adds an edit after those already in the group. */
  add(edit: LoggedEdit): void {
    const bytes = journalEditBytesMax(edit);
    this.bytes += bytes;
    const order = this.#edits++;
    for (const { region, before, clock } of edit.clocks) {
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

  /** Returns the group's records, ordered by region. */
  records(term: number, group: number, volume: number): readonly JournalRecord[] {
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

/** Range of records to read, and how to read them. */
export interface ReadChangesOptions {
  readonly from: number;
  readonly to: number;
  readonly volume: number;
  /** The latest term that a record can have. */
  readonly termMax: number;
  readonly retries: Retries;
  /** Called for messages that no owner wrote, which are passed over. */
  readonly onForeign?: ForeignRecordListener | undefined;
  readonly onSplit?: (split: ShardSplit) => Promise<void>;
}

/** Records read at once. */
const READ_RECORDS = 256;

/** Yields the changes in a range of journal records. Throws `ORT_JOURNAL` if the term decreases. Rule K9. */
export async function* readChanges(
  journal: Journal,
  { from, to, volume, termMax, retries, onForeign, onSplit }: ReadChangesOptions,
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
      const record = decodeOwned(bytes, { volume, termMax });
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
        continue;
      }
      if (record.group !== group) yield authorsOf(origins);
      const { region, before, after, chunks } = record;
      origins = record.group === group ? [...origins, ...record.origins] : record.origins;
      group = record.group;
      yield { steps: [{ region, before, after }], chunks, origins: [] };
    }
  }
  yield authorsOf(origins);
}

/** Returns a change without regions that has the edits of a group in their order. */
function authorsOf(origins: readonly RecordOrigin[]): LoggedChange {
  const inOrder = [...origins].sort((one, other) => one.order - other.order);
  return { steps: [], chunks: [], origins: inOrder };
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

/** The journal record up to which a generation contains everything. Rule K24. */
export interface Checkpoint {
  readonly term: number;
  readonly sequence: number;
}

const ATTACHMENT = "orthant.cluster.fold";

const checkpointCodec: Codec<Checkpoint> = {
  write(out, { term, sequence }) {
    out.varUint(term);
    out.varUint(sequence);
  },
  read: (input) => ({ term: input.varUint(), sequence: input.varUint() }),
};

/** Returns the mark in a world's description; `undefined` if the world was never part of a cluster. */
export function checkpointOf({ attachments }: WorldDescription): Checkpoint | undefined {
  const value = attachments.find(({ key }) => key === ATTACHMENT)?.value;
  return value === undefined ? undefined : decode(checkpointCodec, value);
}

/** Returns the description with a new mark. */
export function withCheckpoint(description: WorldDescription, mark: Checkpoint): WorldDescription {
  const own: Attachment = { key: ATTACHMENT, value: encode(checkpointCodec, mark) };
  const others = withoutCheckpoint(description).attachments;
  const attachments = [...others, own].sort((a, b) => (a.key < b.key ? -1 : 1));
  return { ...description, attachments };
}

/** Returns the description without a mark, for a world outside a cluster. */
export function withoutCheckpoint(description: WorldDescription): WorldDescription {
  return { ...description, attachments: description.attachments.filter(({ key }) => key !== ATTACHMENT) };
}
