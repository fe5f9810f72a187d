import type { Journal } from "../engine/engine.ts";

/** Bytes that the engine stores with each record: its subject and headers. */
const RECORD_OVERHEAD_BYTES = 256;
/** Saves without need of its size after which a journal gets smaller. */
const SAVES_BEFORE_SHRINKING = 120;

/**
 * Knows how full a shard's journal is, and has the engine set as much room aside as it needs. A journal grows when
 * half of it is used, and shrinks when a long series of saves has needed an eighth of it. Rule K38.
 */
export class JournalRoom {
  readonly #journal: Journal;
  /** Size above which the journal is full. */
  #size = Number.POSITIVE_INFINITY;
  #held = 0;
  /** Bytes of edits that were made and are not stored yet. */
  #pending = 0;
  /** Bytes stored ever, to tell what was stored while the engine trimmed. */
  #stored = 0;
  #peak = 0;
  #saves = 0;
  #resizing: Promise<void> | undefined;

  private constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Opens the room of a journal that holds `held` bytes. */
  static async open(journal: Journal, held: number): Promise<JournalRoom> {
    const room = new JournalRoom(journal);
    room.#held = held;
    room.#peak = held;
    room.#size = await journal.reserve(held * 2);
    return room;
  }

  /** True if more than half of the journal is used, and the engine has no room for more. */
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
  add(records: number, bytes: number, expected: number): void {
    const added = bytes + records * RECORD_OVERHEAD_BYTES;
    this.#pending -= expected;
    this.#stored += added;
    this.#held += added;
    this.#peak = Math.max(this.#peak, this.#held);
    if (this.#held * 2 > this.#size && this.#resizing === undefined) void this.#resize(this.#held * 4);
  }

  /** Makes sure that the journal has room for `bytes` more, as far as the engine has room. Returns true if it has. */
  async reserve(bytes: number): Promise<boolean> {
    await this.#resizing;
    const needed = (this.#held + bytes) * 2;
    if (needed > this.#size) await this.#resize(needed);
    return needed <= this.#size;
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
