import { type Clock, isOrthantError } from "@orthant/core";
import type { Disk, DiskFile, DiskLock } from "@orthant/disk";
import {
  encodeSegmentHeader,
  JOURNAL_FOLDER,
  type SegmentId,
  sealGroup,
  segmentFile,
} from "@orthant/formats";

interface OpenSegment {
  readonly id: SegmentId;
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
  readonly clock: Clock;
}

/** By how much a file is made longer than what it has to hold. */
const JOURNAL_AHEAD_BYTES = 65_536;
/** How long a lock that was held is taken to be held still. Nobody takes it from a holder that is silent for less. */
const LOCK_TRUST_MS = 1_000;

/** Appends groups to the segments of a journal, one at a time, and removes segments that are saved. */
export class SegmentWriter {
  readonly #disk: Disk;
  readonly #lock: DiskLock;
  readonly #clock: Clock;
  #heldAtMs = -Infinity;
  #open: OpenSegment | undefined;
  /** Every segment that was begun and not removed yet. */
  #begun: SegmentId[] = [];

  constructor({ disk, lock, clock }: SegmentWriterParts) {
    this.#disk = disk;
    this.#lock = lock;
    this.#clock = clock;
  }

  /**
   * Makes a group durable, given with room for its header; begins the segment if it is new. Gives how long the segment
   * is now. Rules J11 to J13 in docs/formats/journal.md.
   */
  async append(id: SegmentId, group: Uint8Array): Promise<number> {
    const isNew = this.#open?.id !== id;
    const before = this.#open;
    const segment = isNew ? await this.#begin(id) : (before as OpenSegment);
    const sealed = sealGroup(group, segment.groups, id);
    const bytes = isNew ? joined(encodeSegmentHeader(id, groupsBefore(before, id)), sealed) : sealed;
    await makeRoom(segment, segment.bytes + bytes.length);
    await segment.file.writeDurably(segment.bytes, bytes);
    await this.#requireLock();
    if (isNew) await this.#disk.syncDirectory(JOURNAL_FOLDER);
    segment.groups++;
    segment.bytes += bytes.length;
    return segment.bytes;
  }

  /** Removes the segments of generations before this one, which is durable. */
  async retire(generation: number): Promise<void> {
    const past = this.#begun.filter((id) => id.generation < generation);
    this.#begun = this.#begun.filter((id) => id.generation >= generation);
    for (const id of past) await removeSegment(this.#disk, segmentFile(id));
  }

  /** Lets go of the file. */
  async close(): Promise<void> {
    await this.#open?.file.close();
    this.#open = undefined;
  }

  /**
   * Whoever lost the lock must not say that anything is safe. A lock is lost by a process that stood still for many
   * seconds, so it is asked for only when time has passed, and after the sync: not to have asked is noticed then.
   */
  async #requireLock(): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const sinceMs = nowMs - this.#heldAtMs;
    if (sinceMs >= 0 && sinceMs < LOCK_TRUST_MS) return;
    await this.#lock.requireHeld();
    this.#heldAtMs = nowMs;
  }

  async #begin(id: SegmentId): Promise<OpenSegment> {
    await this.close();
    this.#begun.push(id);
    const file = await this.#disk.open(segmentFile(id), "create");
    this.#open = { id, file, groups: 0, bytes: 0, room: 0 };
    return this.#open;
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

function joined(header: Uint8Array, group: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(header.length + group.length);
  bytes.set(header);
  bytes.set(group, header.length);
  return bytes;
}
