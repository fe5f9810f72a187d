import type { TimeSource } from "@orthant/core";
import { sleep } from "@orthant/core/time";
import type { AppendOutcome, Journal, JournalRecord } from "../backbone/backbone.ts";

/** Bytes that the backbone stores with each record: its subject and headers. */
const RECORD_OVERHEAD_BYTES = 256;
/** Saves without need of its size after which a journal gets smaller. */
const SAVES_BEFORE_SHRINKING = 120;
/**
 * Time for which records wait for room in a full journal. After that the owner ends: the next one has none of the edits
 * that are not stored, and so can save the others, which makes room. Rule K39.
 */
const FULL_MS_MAX = 10_000;
const FULL_RETRY_MS = 250;

/**
 * Knows how full a shard's journal is, and has the backbone set as much room aside as it needs. A journal grows when
 * half of it is used, and shrinks when a long series of saves has needed an eighth of it. Rule K38.
 */
export class JournalCapacity {
  readonly #journal: Journal;
  readonly #time: TimeSource;
  /** Size above which the journal is full. */
  #size = Number.POSITIVE_INFINITY;
  #held = 0;
  /** Bytes of edits that were made and are not stored yet. */
  #pending = 0;
  /** Bytes stored ever, to tell what was stored while the backbone trimmed. */
  #stored = 0;
  #peak = 0;
  #saves = 0;
  #resizing: Promise<void> | undefined;

  private constructor(journal: Journal, time: TimeSource) {
    this.#journal = journal;
    this.#time = time;
  }

  /** Opens the room of a journal that holds `held` bytes. */
  static async open(journal: Journal, held: number, time: TimeSource): Promise<JournalCapacity> {
    const room = new JournalCapacity(journal, time);
    room.#held = held;
    room.#peak = held;
    room.#size = await journal.reserve(held * 2);
    return room;
  }

  /** True if more than half of the journal is used, and the backbone has no room for more. */
  get isFull(): boolean {
    return this.#resizing === undefined && (this.#held + this.#pending) * 2 > this.#size;
  }

  /** Bytes of one edit above which a journal of this size might never store it. */
  get editBytesMax(): number {
    return this.#size / 2;
  }

  /** Counts an edit that will be stored. */
  expect(bytes: number): void {
    this.#pending += bytes;
  }

  /** Counts records that were stored, and the edits in them that were expected. */
  add(records: readonly JournalRecord[], expected: number): void {
    const added = sizeOf(records);
    this.#pending -= expected;
    this.#stored += added;
    this.#held += added;
    this.#peak = Math.max(this.#peak, this.#held);
    if (this.#held * 2 > this.#size && this.#resizing === undefined) void this.#resize(this.#held * 4);
  }

  /**
   * Appends records. If the journal is full, waits a while for a larger one, or for a save after which it can be
   * trimmed, and calls `whileFull` before each further attempt.
   */
  async append(
    records: readonly JournalRecord[],
    expectedLast: number,
    whileFull: () => void,
  ): Promise<AppendOutcome> {
    const startMs = this.#time.nowMs();
    for (;;) {
      const outcome = await this.#journal.append(records, expectedLast);
      // The clock may be set back meanwhile.
      if (outcome.kind !== "full" || Math.abs(this.#time.nowMs() - startMs) >= FULL_MS_MAX) return outcome;
      await this.#resizing;
      const before = this.#size;
      await this.#resize((this.#held + sizeOf(records)) * 2);
      if (this.#size > before) continue;
      whileFull();
      await sleep(this.#time, FULL_RETRY_MS);
    }
  }

  /** Drops what a save contains, and adapts the size to what was needed since it was changed last. */
  async trim(upTo: number): Promise<void> {
    const before = this.#stored;
    await this.#journal.trim(upTo);
    const { bytes } = await this.#journal.state();
    this.#held = bytes + this.#stored - before;
    if (++this.#saves < SAVES_BEFORE_SHRINKING) return;
    const peak = this.#peak;
    this.#saves = 0;
    this.#peak = this.#held;
    if (peak * 8 < this.#size) await this.#resize(peak * 4);
  }

  /** On failure the size stays: the next record that is stored, or the next save, tries again. */
  #resize(bytes: number): Promise<void> {
    this.#resizing = this.#journal
      .reserve(bytes)
      .then(
        (size) => {
          this.#size = size;
        },
        () => undefined,
      )
      .finally(() => {
        this.#resizing = undefined;
      });
    return this.#resizing;
  }
}

function sizeOf(records: readonly JournalRecord[]): number {
  return records.reduce((sum, { bytes }) => sum + bytes.length + RECORD_OVERHEAD_BYTES, 0);
}
