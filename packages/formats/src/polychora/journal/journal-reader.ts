import { type ByteReader, type Codec, isOrthantError, OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { decodeAt } from "../files/at-file.ts";
import type { SaveState } from "../save.ts";
import { type JournalEntry, journalEntryCodec } from "./journal-entry.ts";
import { JOURNAL_FOLDER, parseSegmentName, type SegmentId, segmentFile } from "./journal-layout.ts";
import { type ScannedSegment, scanSegment } from "./segment-scan.ts";

/** What a journal holds that a generation does not. */
export interface ScannedJournal {
  /** Every segment that belongs to the generation or a later one, in their order. */
  readonly segments: readonly ScannedSegment[];
  /** Files of generations and openings that are past. Nobody needs them. */
  readonly stale: readonly string[];
  /** Files that are no segments. */
  readonly strangers: readonly string[];
  /** The first thing that is wrong. */
  readonly damage: OrthantError | undefined;
  /** How many of the segments come before the damage, or end in it: what follows must not be made. */
  readonly readable: number;
}

type Base = Pick<SaveState, "generation" | "global">;

/** Looks at the journal beside a generation, and proves all checksums. Rules J3, J5 and J6. */
export async function scanJournal(disk: Disk, { generation, global }: Base): Promise<ScannedJournal> {
  const era = global.description.lineage.at(-1);
  // Nobody writes a journal before an era is durable.
  if (era === undefined) return { segments: [], stale: [], strangers: [], damage: undefined, readable: 0 };
  const ids: SegmentId[] = [];
  const stale: string[] = [];
  const strangers: string[] = [];
  for (const name of await listJournal(disk)) {
    const parsed = parseSegmentName(name);
    if (parsed === undefined) strangers.push(`${JOURNAL_FOLDER}/${name}`);
    else if (parsed.epoch === era.epoch && parsed.generation >= generation)
      ids.push({ ...parsed, mark: era.mark });
    else stale.push(`${JOURNAL_FOLDER}/${name}`);
  }
  const segments: ScannedSegment[] = [];
  let damage: OrthantError | undefined;
  let readable = 0;
  // Names have a fixed number of digits, so that their order is that of the generations.
  for (const id of ids) {
    const segment = await scanFile(disk, id);
    const gap = id.generation === generation ? undefined : findGap(segments.at(-1), segment);
    if (damage === undefined && gap === undefined) readable++;
    damage ??= gap ?? segment.damage;
    segments.push(segment);
  }
  return { segments, stale, strangers, damage, readable };
}

/** Every entry of a journal up to its damage, group by group, in the order in which things happened. */
export async function* readJournal(
  disk: Disk,
  { segments, readable }: ScannedJournal,
  volume: number,
): AsyncGenerator<readonly JournalEntry[]> {
  const codec = groupCodec(volume);
  for (const { id, groups } of segments.slice(0, readable)) {
    const path = segmentFile(id);
    const file = await disk.open(path, "read");
    try {
      for (const { offset, bytes } of groups) {
        const payload = await file.readAt(offset, bytes);
        yield decodeGroup(() => decodeAt({ path, origin: offset }, codec, payload));
      }
    } finally {
      await file.close();
    }
  }
}

/** The names in the journal's folder; none when there is no such folder. */
async function listJournal(disk: Disk): Promise<readonly string[]> {
  try {
    const entries = await disk.list(JOURNAL_FOLDER);
    return entries.filter(({ kind }) => kind === "file").map(({ name }) => name);
  } catch (error) {
    if (isOrthantError(error, "ORT_NOT_FOUND")) return [];
    throw error;
  }
}

async function scanFile(disk: Disk, id: SegmentId): Promise<ScannedSegment> {
  const file = await disk.open(segmentFile(id), "read");
  try {
    return await scanSegment(file, id);
  } finally {
    await file.close();
  }
}

/** A segment is begun when the one before it is finished, and says how many groups that has. */
function findGap(
  before: ScannedSegment | undefined,
  { id, header }: ScannedSegment,
): OrthantError | undefined {
  if (header === undefined) return undefined;
  const found = before?.id.generation === id.generation - 1 ? before.groups.length : 0;
  if (header.groupsBefore === found) return undefined;
  const path = segmentFile({ ...id, generation: id.generation - 1 });
  const detail = `${header.groupsBefore} groups were written to the journal and ${found} are there`;
  return new OrthantError("ORT_JOURNAL", detail, { path });
}

function groupCodec(volume: number): Codec<readonly JournalEntry[]> {
  const codec = journalEntryCodec(volume);
  return {
    write(out, entries) {
      for (const entry of entries) codec.write(out, entry);
    },
    read(input: ByteReader) {
      const entries: JournalEntry[] = [];
      while (input.remaining > 0) entries.push(codec.read(input));
      return entries;
    },
  };
}

/** Bytes whose checksum is right and that mean nothing were written so: by a newer program, or a faulty one. */
function decodeGroup<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    if (!isOrthantError(cause)) throw cause;
    throw new OrthantError("ORT_JOURNAL", `a group means nothing: ${cause.detail}`, cause.context, { cause });
  }
}
