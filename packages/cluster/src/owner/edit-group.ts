import { comparePositions, type Position, PositionMap, regionOf } from "@orthant/core";
import { type ClientEdits, type JournalChunk, journalEditBytesMax } from "@orthant/save";
import type { LoggedEdit } from "@orthant/world";
import { APPEND_RECORDS_MAX, type JournalRecord } from "../engine/engine.ts";
import { nameOfPosition, sectorOfRegion } from "../shard/sectors.ts";
import { encodeRecord, RECORD_BYTES_MAX, RECORD_ORIGINS_MAX } from "../shard/shard-record.ts";

interface RegionGroup {
  readonly region: Position;
  readonly before: number;
  after: number;
  readonly chunks: PositionMap<JournalChunk>;
  readonly origins: ClientEdits[];
  bytes: number;
}

/** Edits that are stored together, with one record per region. */
export class EditGroup {
  readonly #regions = new PositionMap<RegionGroup>();
  /** Log position of the last entry in the group. */
  lastPosition = 0;

  /** Returns true if there is room for an edit. The first edit of a group always fits. */
  hasRoom(edit: LoggedEdit): boolean {
    if (this.#regions.size === 0) return true;
    const bytes = journalEditBytesMax(edit);
    const added = edit.clocks.filter(({ region }) => !this.#regions.has(...region)).length;
    if (this.#regions.size + added > APPEND_RECORDS_MAX) return false;
    return edit.clocks.every(({ region }) => {
      const known = this.#regions.get(...region);
      if (known === undefined) return true;
      return known.bytes + bytes < RECORD_BYTES_MAX && known.origins.length < RECORD_ORIGINS_MAX;
    });
  }

  /** Adds an edit after those already in the group. */
  add(edit: LoggedEdit): void {
    const bytes = journalEditBytesMax(edit);
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
      if (edit.origin !== undefined) group.origins.push(edit.origin);
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
      bytes: encodeRecord(
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
  if ("chunk" in before) return { position, chunk: before.chunk.edit(after.edits) };
  const byIndex = new Map(before.edits.map((edit) => [edit.index, edit]));
  for (const edit of after.edits) byIndex.set(edit.index, edit);
  return { position, edits: [...byIndex.values()].sort((a, b) => a.index - b.index) };
}
