import { isOrthantError, type RandomBits } from "@orthant/core";
import type { Disk, DiskFile, DiskLock } from "@orthant/disk";
import {
  encodeEndMark,
  encodeSegmentHeader,
  JOURNAL_FOLDER,
  type SegmentId,
  type SegmentKey,
  sealGroup,
  segmentFile,
} from "@orthant/formats";

interface OpenSegment {
  readonly id: SegmentId;
  readonly key: Required<SegmentKey>;
  readonly file: DiskFile;
  groups: number;
  bytes: number;
  /** How long the file is: zeros follow what was written. */
  room: number;
}

/** What a segment writer needs of the world. */
export interface SegmentWriterParts {
  readonly disk: Disk;
  readonly lock: DiskLock;
  /** For the secrets of segments. */
  readonly random: RandomBits;
}

/** By how much a file is made longer than what it has to hold. */
const JOURNAL_AHEAD_BYTES = 65_536;

/** Appends groups to the segments of a journal, one at a time, and removes segments that are saved. */
export class SegmentWriter {
  readonly #disk: Disk;
  readonly #lock: DiskLock;
  readonly #random: RandomBits;
  #open: OpenSegment | undefined;
  /** The segment before it, as long as it may need an end mark. */
  #before: OpenSegment | undefined;
  /** Every segment that was begun and not removed yet. */
  #begun: SegmentId[] = [];

  constructor({ disk, lock, random }: SegmentWriterParts) {
    this.#disk = disk;
    this.#lock = lock;
    this.#random = random;
  }

  /**
   * Makes a segment without groups, when the one before it gets no more of them. The file and its name are durable when
   * this returns. Rules J12 and J22 in docs/formats/journal.md.
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
   * Makes a group durable, given with room for its header, in the segment that was begun last. Gives how long the
   * segment is now. Rules J11, J13 and J23.
   */
  async append(id: SegmentId, group: Uint8Array): Promise<number> {
    const segment = this.#open;
    if (segment?.id !== id) throw new Error("a group for a segment that is not open");
    if (segment.groups === 0) await this.#endBefore();
    await writeBehind(segment, sealGroup(group, segment.groups, segment.key));
    // Last of all: a process that takes the lock reads the journal after it took it, and finds what was synced before.
    await this.#lock.requireHeld();
    segment.groups++;
    return segment.bytes;
  }

  /** Removes the segments of generations before this one, which is durable. */
  async retire(generation: number): Promise<void> {
    await this.#closeBefore();
    const past = this.#begun.filter((id) => id.generation < generation);
    this.#begun = this.#begun.filter((id) => id.generation >= generation);
    for (const id of past) await removeSegment(this.#disk, segmentFile(id));
  }

  /** Closes the files. Removes the last segment too when it has no groups and the manifest does not name it. */
  async close(isEnded: boolean): Promise<void> {
    await this.#closeBefore();
    const segment = this.#open;
    this.#open = undefined;
    await segment?.file.close();
    if (segment !== undefined && isEnded && segment.groups === 0)
      await removeSegment(this.#disk, segmentFile(segment.id));
  }

  /** Says in the segment before that there is another, before that one has a group: it must not get lost unnoticed. */
  async #endBefore(): Promise<void> {
    const before = this.#before;
    // Taken first: its generation may be retired meanwhile.
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
 * Removes a segment that nobody needs. Nothing is synced: one that comes back after a crash belongs to a generation or
 * an era that is past. When it cannot be removed, the next opening tries again.
 */
export async function removeSegment(disk: Disk, path: string): Promise<void> {
  try {
    await disk.remove(path);
  } catch (error) {
    if (!isOrthantError(error)) throw error;
  }
}

/** Writes durably behind what a segment holds. */
async function writeBehind(segment: OpenSegment, bytes: Uint8Array): Promise<void> {
  await makeRoom(segment, segment.bytes + bytes.length);
  await segment.file.writeDurably(segment.bytes, bytes);
  segment.bytes += bytes.length;
}

/**
 * Makes a file long enough. To write within its length is cheaper than behind its end, where every sync has a new length
 * to write as well. Nothing is synced: a file whose new length is lost is as long as what is in it.
 */
async function makeRoom(segment: OpenSegment, bytes: number): Promise<void> {
  if (bytes <= segment.room) return;
  segment.room = bytes + JOURNAL_AHEAD_BYTES;
  await segment.file.truncate(segment.room);
}

function groupsBefore(before: OpenSegment | undefined, id: SegmentId): number {
  return before?.id.generation === id.generation - 1 ? before.groups : 0;
}
