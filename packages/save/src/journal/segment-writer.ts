import { isOrthantError } from "@orthant/core";
import type { RandomBits } from "@orthant/core/lattice";
import type { Disk, DiskFile, DiskLock } from "@orthant/disk";
import {
  encodeEndMark,
  encodeSegmentHeader,
  finishGroup,
  JOURNAL_FOLDER,
  parseSegmentName,
  type SegmentId,
  type SegmentKey,
  segmentFile,
} from "./journal-layout.ts";
import type { ScannedJournal } from "./journal-reader.ts";

interface OpenSegment {
  readonly id: SegmentId;
  readonly key: Required<SegmentKey>;
  readonly file: DiskFile;
  groups: number;
  bytes: number;
  /** Length of the file; zeros follow the written bytes. */
  room: number;
}

/** What a segment writer needs from the world. */
export interface SegmentWriterContext {
  readonly disk: Disk;
  readonly lock: DiskLock;
  /** Generates the secrets of segments. */
  readonly random: RandomBits;
}

/** Bytes by which a file is extended beyond its contents. */
const JOURNAL_AHEAD_BYTES = 65_536;

/** Appends groups to the segments of a journal, one at a time, and removes saved segments. */
export class SegmentWriter {
  readonly #disk: Disk;
  readonly #lock: DiskLock;
  readonly #random: RandomBits;
  #open: OpenSegment | undefined;
  /** The previous segment, while it may still need an end mark. */
  #before: OpenSegment | undefined;
  /** Segments that were begun and not yet removed. */
  #begun: SegmentId[] = [];

  constructor({ disk, lock, random }: SegmentWriterContext) {
    this.#disk = disk;
    this.#lock = lock;
    this.#random = random;
  }

  /**
   * Begins an empty segment. The previous one gets no more groups. The file and its name are durable when
   * this resolves. Rules J12 and J22 in docs/formats/journal.md.
   */
  async begin(id: SegmentId): Promise<void> {
    const before = this.#open;
    await this.#before?.file.close();
    this.#before = before;
    this.#begun.push(id);
    const key = { ...id, secret: this.#random() };
    const file = await this.#disk.open(segmentFile(id), "create");
    this.#open = { id, key, file, groups: 0, bytes: 0, room: 0 };
    await writeBehind(this.#open, encodeSegmentHeader(key, groupsBefore(before, id)));
    await this.#disk.syncDirectory(JOURNAL_FOLDER);
  }

  /**
   * Writes a group, which includes room for its header, durably to the segment begun last. Returns the new
   * length of the segment. Rules J11, J13 and J23.
   */
  async append(id: SegmentId, group: Uint8Array): Promise<number> {
    const segment = this.#open;
    if (segment?.id !== id) throw new Error("a group for a segment that is not open");
    if (segment.groups === 0) await this.#endBefore();
    await writeBehind(segment, finishGroup(group, segment.groups, segment.key));
    // Check last: a process that takes the lock reads the journal afterwards and finds everything synced
    // before.
    await this.#lock.requireHeld();
    segment.groups++;
    return segment.bytes;
  }

  /** Removes the segments of generations before `generation`, which is durable. */
  async retire(generation: number): Promise<void> {
    await this.#closeBefore();
    const past = this.#begun.filter((id) => id.generation < generation);
    this.#begun = this.#begun.filter((id) => id.generation >= generation);
    for (const id of past) await removeSegment(this.#disk, segmentFile(id));
  }

  /** Closes the files. Removes the last segment if it has no groups and the manifest does not name it. */
  async close(isEnded: boolean): Promise<void> {
    await this.#closeBefore();
    const segment = this.#open;
    this.#open = undefined;
    await segment?.file.close();
    if (segment !== undefined && isEnded && segment.groups === 0)
      await removeSegment(this.#disk, segmentFile(segment.id));
  }

  /**
   * Records in the previous segment that another follows, before that one gets a group, so that its loss is
   * detected.
   */
  async #endBefore(): Promise<void> {
    const before = this.#before;
    // Cleared first: its generation may be retired meanwhile.
    this.#before = undefined;
    if (before === undefined) return;
    try {
      await writeBehind(before, encodeEndMark(before.groups, before.key));
    } finally {
      await before.file.close();
    }
  }

  async #closeBefore(): Promise<void> {
    const before = this.#before;
    this.#before = undefined;
    await before?.file.close();
  }
}

/**
 * Removes an unneeded segment. Does not sync: a segment that reappears after a crash belongs to a past
 * generation or epoch. If removal fails, the next opening tries again.
 */
async function removeSegment(disk: Disk, path: string): Promise<void> {
  try {
    await disk.remove(path);
  } catch (error) {
    if (!isOrthantError(error)) throw error;
  }
}

/** Removes all segments of a journal whose changes are part of a durable generation. */
export async function removeSegments(disk: Disk, { stale, segments }: ScannedJournal): Promise<void> {
  for (const path of [...stale, ...segments.map(({ id }) => segmentFile(id))])
    await removeSegment(disk, path);
}

/**
 * Returns the number of the epoch after `last` and after those of sessions that created a segment but never
 * committed, so that no segment name is used twice. Rule J1.
 */
export function nextEpochNumber(last: number, { stale }: ScannedJournal): number {
  const names = stale.map((path) => path.slice(JOURNAL_FOLDER.length + 1));
  const used = new Set(names.map((name) => parseSegmentName(name)?.epoch));
  let epoch = last + 1;
  while (used.has(epoch)) epoch++;
  return epoch;
}

/**
 * Whether an opening failed because a writer that lost the lock created a segment of the chosen name after the opening
 * had listed the segments. The next opening lists that one too, and chooses another epoch. Rule J1.
 */
export function isSegmentTaken(error: unknown): boolean {
  const cause = isOrthantError(error, "ORT_SAVE_FAILED") ? error.cause : undefined;
  return isOrthantError(cause, "ORT_EXISTS") && cause.context.path?.startsWith(`${JOURNAL_FOLDER}/`) === true;
}

/** Appends bytes durably to a segment. */
async function writeBehind(segment: OpenSegment, bytes: Uint8Array): Promise<void> {
  await makeRoom(segment, segment.bytes + bytes.length);
  await segment.file.writeDurably(segment.bytes, bytes);
  segment.bytes += bytes.length;
}

/**
 * Extends a file to hold `bytes`. Writing within its length is cheaper than appending, where every sync also
 * has to write a new length. Does not sync: a file that loses its new length still covers its contents.
 */
async function makeRoom(segment: OpenSegment, bytes: number): Promise<void> {
  if (bytes <= segment.room) return;
  segment.room = bytes + JOURNAL_AHEAD_BYTES;
  await segment.file.truncate(segment.room);
}

function groupsBefore(before: OpenSegment | undefined, id: SegmentId): number {
  return before?.id.generation === id.generation - 1 ? before.groups : 0;
}
