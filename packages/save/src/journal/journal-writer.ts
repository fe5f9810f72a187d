import type { Timer, TimeSource } from "@orthant/core";
import { ByteWriter, type Codec } from "@orthant/core/bytes";
import type { SaveChange } from "../change/save-change.ts";
import { saveFailed } from "../codec/save-failed.ts";
import { DurableWaiters } from "./durable-waiters.ts";
import { type JournalEntry, journalEditBytesMax, journalEntryCodec } from "./journal-entry.ts";
import { groupHeader, JOURNAL_FOLDER, type SegmentId } from "./journal-layout.ts";
import { SegmentWriter, type SegmentWriterContext } from "./segment-writer.ts";

/** A segment that grows beyond this size triggers a save, which begins a new segment. */
export const JOURNAL_SEGMENT_BYTES_MAX = 16_777_216;
/** Larger entries are not written to the journal: they trigger a save at once and wait for it. */
export const JOURNAL_ENTRY_BYTES_MAX = 16_777_216;
/** How many microtasks to wait for the next queued edit to arrive, so that both share one sync. */
const TURNS_BETWEEN_EDITS = 16;

/** How long entity movements wait for another entry to share a sync with. */
const STEPS_WAIT_MS = 1_000;
/** Longer buffers are not kept for reuse. */
const SPARE_BYTES_MAX = 1_048_576;
const HEADER_ROOM = new Uint8Array(groupHeader.bytes);

/** What a journal needs from its world. */
interface JournalWriterContext extends SegmentWriterContext {
  readonly time: TimeSource;
  readonly volume: number;
}

/** Callbacks of a log. */
export interface LogEvents {
  /** Asks for a save now. */
  onFull(): void;
  onFailure(error: unknown): void;
}

/** A segment that a commit waits for. */
interface ComingSegment {
  readonly segment: SegmentId;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Entries that share a write and a sync. */
interface Group {
  readonly segment: SegmentId;
  /** Begins with room for the header. */
  readonly out: ByteWriter;
  readonly entities: LatestEntities;
  lastPosition: number;
  /** Whether to write it now. */
  isAwaited: boolean;
}

/** What callers wait for: the entries up to a position, the last of which is in a group that collects more. */
interface DurableWait {
  readonly position: number;
  readonly group: Group | undefined;
  readonly durable: Promise<void>;
}

/**
 * Logs the changes of a world in order and writes many entries with one sync: while one group is being
 * synced, the next one collects. Every entry has a position. An entry is durable once it is synced or part of a
 * durable generation.
 */
export class JournalWriter {
  readonly #codec: Codec<JournalEntry>;
  readonly #segments: SegmentWriter;
  readonly #scratch = new ByteWriter();
  readonly #waiters = new DurableWaiters();
  #lastWait: DurableWait | undefined;
  readonly #time: TimeSource;
  #events: LogEvents | undefined;
  #segment: SegmentId | undefined;
  #collecting: Group | undefined;
  /** An unused buffer. */
  #spare: ByteWriter | undefined;
  #closedGroups: Group[] = [];
  #coming: ComingSegment | undefined;
  #position = 0;
  #durableTo = 0;
  /**
   * Position of the first entry that is not in the journal: it was too large, or came before there was a
   * segment. Until a save includes it, no later entry is written.
   */
  #heldFrom: number | undefined;
  #failure: { readonly error: unknown } | undefined;
  #writing: Promise<void> | undefined;
  #stepTimer: Timer | undefined;

  private constructor(context: JournalWriterContext) {
    this.#codec = journalEntryCodec(context.volume);
    this.#segments = new SegmentWriter(context);
    this.#time = context.time;
  }

  /** Creates the journal folder. The next commit makes its name durable, since it syncs the parent folder. */
  static async open(context: JournalWriterContext): Promise<JournalWriter> {
    await context.disk.makeDirectory(JOURNAL_FOLDER);
    return new JournalWriter(context);
  }

  /** Sets the event handlers. */
  attach(events: LogEvents): void {
    this.#events = events;
  }

  /** Adds an entry and writes it; an entity movement waits up to a second for another entry. Rule J21. */
  add(entry: JournalEntry, isOnlyMovement = false): void {
    this.#position++;
    const written =
      entry.kind === "entity" ? (this.#collecting?.entities.withPosition(entry) ?? entry) : entry;
    if (this.#segment === undefined || !this.#encode(written)) {
      // It is not in the journal, so no later entry may be until a generation includes it.
      this.#heldFrom ??= this.#position;
      this.#events?.onFull();
      return;
    }
    this.#collect(this.#segment, written);
    if (!isOnlyMovement) this.#await();
    else this.#stepTimer ??= this.#time.after(STEPS_WAIT_MS, () => this.#await());
  }

  /** Resolves when all entries added so far are durable. */
  whenDurable(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(saveFailed(this.#failure.error));
    if (this.#durableTo >= this.#position) return Promise.resolve();
    this.#await();
    // Callers that wait for the same entries, or for entries of one group, share a promise.
    const position = this.#position;
    const group = this.#collecting?.lastPosition === position ? this.#collecting : undefined;
    const last = this.#lastWait;
    if (last?.position === position || (group !== undefined && last?.group === group)) return last.durable;
    const durable = this.#waiters.wait(position);
    this.#lastWait = { position, group, durable };
    return durable;
  }

  /**
   * Called at the start of a commit: entries added from now on go to `segment`. Returns the position of the
   * last entry that the commit includes.
   */
  rotate(segment: SegmentId): number {
    this.#closeGroup();
    this.#segment = segment;
    return this.#position;
  }

  /** Called before the commit is written: waits until its segment exists, which the manifest names. Rule J22. */
  async prepare(change: SaveChange): Promise<SaveChange> {
    const segment = this.#segment;
    if (this.#failure !== undefined) throw this.#failure.error;
    if (segment === undefined) throw new Error("a commit without a rotation");
    await new Promise<void>((resolve, reject) => {
      this.#coming = { segment, resolve, reject };
      this.#start();
    });
    return { ...change, journalEpoch: segment.epoch };
  }

  /** Called when the generation that includes the entries up to `position` is durable. */
  async committed(generation: number, position: number): Promise<void> {
    this.#markDurable(position);
    this.#closedGroups = this.#closedGroups.filter(({ lastPosition }) => lastPosition > position);
    if (this.#heldFrom !== undefined && this.#heldFrom <= position) this.#heldFrom = undefined;
    this.#start();
    await this.#segments.retire(generation);
  }

  /** Stops writing and rejects all waiting calls. */
  stop(error: unknown): void {
    this.#failure ??= { error };
    this.#stepTimer?.cancel();
    this.#waiters.reject(saveFailed(error));
    this.#coming?.reject(error);
    this.#coming = undefined;
  }

  /** Closes the files and removes unneeded segments. */
  async close(generation: number, isEnded: boolean): Promise<void> {
    this.#stepTimer?.cancel();
    await this.#writing;
    await this.#segments.close(isEnded);
    await this.#segments.retire(generation);
  }

  /** Encodes into the scratch buffer. Returns `false` when the entry is too large. */
  #encode(entry: JournalEntry): boolean {
    if (entry.kind === "edit" && journalEditBytesMax(entry) > JOURNAL_ENTRY_BYTES_MAX) return false;
    this.#scratch.clear();
    try {
      this.#codec.write(this.#scratch, entry);
    } catch (error) {
      // The change is made but cannot be logged: from here on memory and disk would diverge.
      this.#fail(error);
      throw error;
    }
    return this.#scratch.length <= JOURNAL_ENTRY_BYTES_MAX;
  }

  /** Moves the entry in the scratch buffer to the group being collected. */
  #collect(segment: SegmentId, entry: JournalEntry): void {
    const room = JOURNAL_ENTRY_BYTES_MAX - this.#scratch.length;
    const before = this.#collecting;
    if (before !== undefined && before.out.length + before.entities.bytes > room) this.#closeGroup();
    this.#collecting ??= {
      segment,
      out: this.#emptyWriter(),
      entities: new LatestEntities(),
      lastPosition: 0,
      isAwaited: false,
    };
    const group = this.#collecting;
    group.lastPosition = this.#position;
    if (entry.kind === "entityGone") group.entities.settle(entry.entityId, group.out);
    // What came before the step stays before it.
    if (entry.kind === "step")
      for (const change of entry.entities)
        group.entities.settle(change.kind === "entity" ? change.entity.entityId : change.entityId, group.out);
    if (entry.kind === "entity") group.entities.put(entry, this.#scratch.copy());
    else group.out.written(this.#scratch);
  }

  /** Requests that the collected entries be written now. */
  #await(): void {
    if (this.#collecting !== undefined) this.#collecting.isAwaited = true;
    this.#start();
  }

  /** Returns a buffer with room for a group header, reusing the last one if possible. */
  #emptyWriter(): ByteWriter {
    const spare = this.#spare;
    this.#spare = undefined;
    const out = spare !== undefined && spare.length <= SPARE_BYTES_MAX ? spare : new ByteWriter();
    out.clear();
    out.raw(HEADER_ROOM);
    return out;
  }

  #closeGroup(): void {
    const group = this.#collecting;
    if (group === undefined) return;
    group.entities.settleAll(group.out);
    this.#closedGroups.push(group);
    this.#collecting = undefined;
    this.#stepTimer?.cancel();
    this.#stepTimer = undefined;
  }

  #start(): void {
    if (this.#writing !== undefined || !this.#hasWork()) return;
    this.#writing = this.#writeAll();
  }

  #hasWork(): boolean {
    if (this.#failure !== undefined) return false;
    if (this.#isSegmentNext()) return true;
    return this.#mayWriteGroups() && (this.#closedGroups.length > 0 || this.#collecting?.isAwaited === true);
  }

  #mayWriteGroups(): boolean {
    return this.#failure === undefined && this.#heldFrom === undefined;
  }

  /** Whether the segment that a commit waits for is next: no group may be written to earlier ones. */
  #isSegmentNext(): boolean {
    if (this.#coming === undefined || this.#failure !== undefined) return false;
    return (
      !this.#mayWriteGroups() ||
      (this.#closedGroups[0]?.segment ?? this.#coming.segment) === this.#coming.segment
    );
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#hasWork()) {
        if (this.#isSegmentNext()) await this.#beginSegment();
        else await this.#writeNext();
      }
    } catch (error) {
      this.#fail(error);
    }
    // In the same step as the last check for work, so that no entry is missed.
    this.#writing = undefined;
  }

  async #beginSegment(): Promise<void> {
    const coming = this.#coming;
    if (coming === undefined) return;
    await this.#segments.begin(coming.segment);
    if (this.#coming === coming) this.#coming = undefined;
    coming.resolve();
  }

  async #writeNext(): Promise<void> {
    await this.#comingEdits();
    // A commit may have rotated meanwhile; its segment comes first if no group of the previous one is left.
    if (this.#closedGroups.length === 0 && !this.#isSegmentNext()) this.#closeGroup();
    const group = this.#mayWriteGroups() && !this.#isSegmentNext() ? this.#closedGroups.shift() : undefined;
    if (group !== undefined) await this.#write(group);
  }

  /** Waits until no further edit arrives: edits requested together are applied one by one. */
  async #comingEdits(): Promise<void> {
    for (let known = -1; known < this.#position && this.#closedGroups.length === 0; ) {
      known = this.#position;
      await microtasks(TURNS_BETWEEN_EDITS);
    }
  }

  async #write({ segment, out, lastPosition }: Group): Promise<void> {
    const bytes = await this.#segments.append(segment, out.view());
    if (this.#failure !== undefined) return;
    this.#spare = out;
    this.#markDurable(lastPosition);
    if (bytes > JOURNAL_SEGMENT_BYTES_MAX && segment === this.#segment) this.#events?.onFull();
  }

  #markDurable(position: number): void {
    this.#durableTo = Math.max(this.#durableTo, position);
    this.#waiters.reached(this.#durableTo);
  }

  #fail(error: unknown): void {
    this.stop(error);
    this.#events?.onFailure(error);
  }
}

const SETTLED = Promise.resolve();

/** Resolves after `count` microtasks. Much cheaper than as many awaits, and every group waits here. */
function microtasks(count: number): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    const next = (): void => {
      if (left-- > 0) void SETTLED.then(next);
      else resolve();
    };
    next();
  });
}

type EntityEntry = Extract<JournalEntry, { readonly kind: "entity" }>;

interface LatestEntity {
  readonly storedAt: EntityEntry["storedAt"];
  readonly bytes: Uint8Array;
}

/** The last entry of each entity in a group, which makes earlier ones redundant: groups are atomic. */
class LatestEntities {
  /** Created for the first one: most groups have only edits. */
  #latest: Map<bigint, LatestEntity> | undefined;
  #bytes = 0;

  /** Total size of the entries. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Returns the entry to write in place of the previous one. An entity that has left its leaf since then no
   * longer knows that leaf, but replay has to find it there. Rules J8 and J20.
   */
  withPosition(entry: EntityEntry): EntityEntry {
    return { ...entry, storedAt: entry.storedAt ?? this.#latest?.get(entry.entity.entityId)?.storedAt };
  }

  /** Stores the bytes of an entry, which must not change afterwards. */
  put({ entity: { entityId }, storedAt }: EntityEntry, bytes: Uint8Array): void {
    this.#latest ??= new Map();
    this.#bytes += bytes.length - (this.#latest.get(entityId)?.bytes.length ?? 0);
    this.#latest.set(entityId, { storedAt, bytes });
  }

  /** Writes the pending entry of an entity, if any, before another entry about it is written. */
  settle(entityId: bigint, out: ByteWriter): void {
    const latest = this.#latest?.get(entityId);
    if (latest === undefined) return;
    out.raw(latest.bytes);
    this.#bytes -= latest.bytes.length;
    this.#latest?.delete(entityId);
  }

  /** Writes all pending entries. */
  settleAll(out: ByteWriter): void {
    if (this.#latest === undefined) return;
    for (const entityId of this.#latest.keys()) this.settle(entityId, out);
  }
}
