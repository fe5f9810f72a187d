import { isOrthantError, OrthantError, type TimeSource } from "@orthant/core";
import { nextTurn } from "@orthant/core/time";
import { ListenerSet } from "@orthant/core/world";
import type { DiskLock } from "@orthant/disk";
import { SerialQueue } from "@orthant/disk/files";
import type { CompactionReport, GeneratorChange, Save, SaveWriter } from "@orthant/save";
import { type JournalChunk, type SegmentId, saveFailed } from "@orthant/save/journal";
import type { WorldContent } from "../content/world-content.ts";
import type { ChangeLog, ExternalLog, LoggedEntry, LoggedStep } from "../journal/world-log.ts";
import type { WorldCadence } from "../options/world-options.ts";
import { Autosave, BackgroundCompactor } from "./background-tasks.ts";

/** Commits everything, and returns the generation once it is durable. The commit may change the generator. */
type CommitAll = (generatorChange?: GeneratorChange) => Promise<number>;

/** What a save includes. `what is due` leaves out entities that only moved less than `entitiesMs` ago. */
type SaveExtent = "everything" | "what is due";

/** Decides how soon a change is saved, see `WorldCadence`. */
type ChangeKind = "world" | "players" | "entities";

/** What only the writer of a world holds. */
interface WriterResources {
  readonly writer: SaveWriter;
  readonly lock: DiskLock;
  /** `undefined` in a world whose changes become durable with the next save. */
  readonly journal: ChangeLog | undefined;
}

/** What saving a world requires. */
export interface SaverContext {
  readonly time: TimeSource;
  readonly content: WorldContent;
  readonly autosave: boolean;
  readonly cadence: WorldCadence;
  /** `undefined` for a read-only world. */
  readonly writing: WriterResources | undefined;
  /** The log of a shard, which a cluster supplies and stores; `undefined` for a world of its own. */
  readonly shard?: ExternalLog;
}

/** Errors of a disk that may take the same save later: it is full, away, read-only or failing. */
const DISK_ERRORS = ["ORT_DISK_FULL", "ORT_DISK_IO", "ORT_DISK_DENIED", "ORT_NOT_FOUND"] as const;

/** Part of a world's memory that unsaved regions may take before they are saved at once: they cannot be evicted. */
const UNSAVED_SHARE = 0.25;
/** Part that they may take, with those that are being saved, before edits wait. */
const UNSAVED_SHARE_MAX = 0.5;

/** Commits the changes of a world, one save at a time, and knows whether saving is still possible. */
export class WorldSaver {
  /** The log of a shard; `undefined` for a world of its own. */
  readonly shard: ExternalLog | undefined;
  readonly #time: TimeSource;
  readonly #cadence: WorldCadence;
  readonly #content: WorldContent;
  readonly #writing: WriterResources | undefined;
  readonly #journal: ChangeLog | undefined;
  readonly #autosave: Autosave | undefined;
  readonly #saves = new SerialQueue();
  readonly #compactor: BackgroundCompactor | undefined;
  readonly #failureListeners = new ListenerSet<[unknown]>();
  /** The queued save that all current callers share. */
  #sharedSave: Promise<void> | undefined;
  /** The last promise of {@link whenDurable}, and what it is made of. */
  #durable: { readonly of: Promise<void>; readonly reported: Promise<void> } | undefined;
  #failure: unknown;
  #saveFailure: unknown;
  /** Whether a caller has seen the failure: an automatic save fails without a caller. */
  #failureReported = false;
  #closed = false;
  /** Whether the manifest no longer names a journal. */
  #journalEnded = false;

  constructor({ time, content, writing, autosave, cadence, shard }: SaverContext) {
    this.shard = shard;
    this.#cadence = cadence;
    this.#content = content;
    this.#time = time;
    this.#writing = writing;
    this.#journal = writing?.journal;
    this.#journal?.attach({
      onFull: () => void this.#saveShared().catch(() => undefined),
      onFailure: (error) => this.#fail(error),
    });
    // What a journal has was replayed by now.
    if (writing !== undefined) content.steps.skipReserved();
    this.#compactor = writing && new BackgroundCompactor(time, writing.writer);
    this.#autosave = writing && autosave ? new Autosave(time, () => this.#saveUnasked()) : undefined;
  }

  /** Why saving has stopped; `undefined` while it works. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Why the last save failed, if the next one may succeed; `undefined` if it succeeded. */
  get saveFailure(): unknown {
    return this.#saveFailure;
  }

  /** Calls `listener` when a save or the journal fails, at most once. Returns an unsubscribe function. */
  onFailure(listener: (failure: unknown) => void): () => void {
    return this.#failureListeners.add(listener);
  }

  /** Whether changes are logged one by one before a save includes them. */
  get isJournaling(): boolean {
    return this.#journal !== undefined;
  }

  /**
   * Adds a change that was made: schedules a save, and adds the entry to the journal, if there is one. Without a journal
   * the entry may be left out.
   */
  addChange(kind: ChangeKind, entry: LoggedEntry | undefined, isOnlyMovement = false): void {
    this.#autosave?.within(this.#cadence[`${kind}Ms`]);
    if (entry !== undefined) this.#journal?.add(entry, isOnlyMovement);
    // A disk that refused the last save is tried again at the usual time.
    const { unsavedBytes, regions } = this.#content;
    const isTooMuch = unsavedBytes > regions.bytesMax * UNSAVED_SHARE;
    if (isTooMuch && this.#savesItself && this.#saveFailure === undefined)
      void this.#saveShared().catch(() => undefined);
  }

  /** Whether the unsaved changes leave memory for an edit. */
  get hasRoom(): boolean {
    return !this.#savesItself || this.#unsavedBytes <= this.#unsavedMax;
  }

  get #unsavedMax(): number {
    return this.#content.regions.bytesMax * UNSAVED_SHARE_MAX;
  }

  /**
   * Returns a promise for the time when the unsaved changes leave memory for an edit; `undefined` if they do so now. Throws
   * `ORT_LIMIT` while the disk refuses to save.
   */
  whenRoom(): Promise<void> | undefined {
    return this.hasRoom ? undefined : this.#makeRoom(this.#unsavedMax);
  }

  /** Throws `ORT_LIMIT` while the unsaved changes leave no memory for another, and has them saved. */
  requireRoom(): void {
    if (this.hasRoom) return;
    void this.whenRoom()?.catch(() => undefined);
    const detail = `${this.#unsavedBytes} bytes of chunks are unsaved: await whenDurable before further edits`;
    throw new OrthantError("ORT_LIMIT", detail);
  }

  async #makeRoom(bytesMax: number): Promise<void> {
    while (this.#unsavedBytes > bytesMax) {
      if (this.#saveFailure !== undefined) {
        const detail = `${this.#unsavedBytes} bytes of chunks are unsaved, the limit is ${bytesMax}: the disk refuses to save them`;
        throw new OrthantError("ORT_LIMIT", detail, {}, { cause: this.#saveFailure });
      }
      await this.#reporting(this.#saveShared());
    }
  }

  /** Memory of the regions with unsaved changes. One that changes while it is saved counts twice: both states are there. */
  get #unsavedBytes(): number {
    return this.#content.unsavedBytes + this.#content.committingBytes;
  }

  /** Whether saves are made without a request. Otherwise the caller decides when, and how much memory that takes. */
  get #savesItself(): boolean {
    return this.#autosave !== undefined || this.#journal !== undefined;
  }

  /** Adds a step that was made. One that changed nothing needs no save. */
  addStep(entry: LoggedStep | undefined, { isIdle }: { readonly isIdle: boolean }): void {
    if (!isIdle) this.addChange("world", entry);
    else if (entry !== undefined) this.#journal?.addStep?.(entry);
  }

  /** Throws if the log could not store an edit of these chunks. */
  admit(chunks: readonly JournalChunk[]): void {
    this.#journal?.admit?.(chunks);
  }

  /** Throws if the log could not store a step. */
  admitStep(step: Omit<LoggedStep, "clocks">): void {
    this.#journal?.admitStep?.(step);
  }

  requireOpen(): void {
    if (this.#closed) throw notWritable("closed");
  }

  /** Throws unless a requested change may be applied or saved. */
  requireWriter(): WriterResources {
    this.requireOpen();
    if (this.#writing === undefined) throw notWritable("readOnly");
    this.#requireHealth();
    return this.#writing;
  }

  /** Commits after all earlier saves. Returns the generation once it is durable. */
  save(extent: SaveExtent): Promise<number> {
    return this.#reporting(this.#saves.run(() => this.#commit(extent)));
  }

  /**
   * Runs `work` while no other save runs, so that no file disappears under it. `work` may itself commit, with
   * the function that it receives.
   */
  exclusively<Result>(work: (commit: CommitAll) => Promise<Result>): Promise<Result> {
    return this.#reporting(
      this.#saves.run(() => work((generatorChange) => this.#commit("everything", generatorChange))),
    );
  }

  /** Resolves when all changes so far are durable: in the journal, or in a save that callers share. */
  whenDurable(): Promise<void> {
    const durable = this.#journal === undefined ? this.#saveShared() : this.#journal.whenDurable();
    // Thousands of callers may share the promise.
    if (this.#durable?.of !== durable) this.#durable = { of: durable, reported: this.#reporting(durable) };
    return this.#durable.reported;
  }

  /** Saves everything if possible and always releases the files. Throws a failure that no caller saw. */
  async close(): Promise<void> {
    try {
      if (this.#writing !== undefined && this.#failure === undefined) {
        this.#content.steps.release();
        await this.save("everything");
        await this.#reporting(this.#saves.run(() => this.#endJournal()));
      }
      if (!this.#failureReported) this.#requireHealth();
    } finally {
      this.#closed = true;
      await this.#saves.idle();
      this.#autosave?.cancel();
      await this.#release();
    }
  }

  async compact(): Promise<CompactionReport> {
    this.requireWriter();
    return (this.#compactor as BackgroundCompactor).compact();
  }

  async #release(): Promise<void> {
    this.#compactor?.close();
    try {
      await this.#journal?.close(this.#content.save.generation, this.#journalEnded);
    } finally {
      await releaseSave(this.#content.save, this.#writing);
    }
  }

  /** A world that closes with nothing unsaved needs no journal, nor its empty segment. Rule J24. */
  async #endJournal(): Promise<void> {
    if (this.#journal === undefined || this.#content.hasUnsaved) return;
    const { writer } = this.requireWriter();
    try {
      await writer.endJournal();
      this.#journalEnded = true;
    } catch (error) {
      this.#fail(error);
      throw saveFailed(error);
    }
  }

  async #commit(extent: SaveExtent, generatorChange?: GeneratorChange): Promise<number> {
    const { writer, lock } = this.requireWriter();
    try {
      if (this.#saveFailure !== undefined) await writer.recover();
      // Nothing awaits between the last check and taking the changes.
      while (!this.#content.isReadyToCommit) await this.#content.makeReadyToCommit();
      if (generatorChange !== undefined) this.#content.touch();
      const nowMs = this.#time.nowMs();
      const dueMs = extent === "everything" ? nowMs : nowMs - this.#cadence.entitiesMs;
      // With a journal, no change may be left out: this save deletes the segment that holds it.
      const started = this.#content.startCommit(nowMs, this.#journal === undefined ? dueMs : Infinity);
      if (started !== undefined) {
        // In the same step: later changes belong to the next generation's segment and not to this commit.
        const taken = this.#journal?.rotate(this.#nextSegment()) ?? 0;
        const preparing = this.#journal?.prepare(started.change, () => this.#content.globalNow(), taken);
        const collecting = started.leaves.collect(nextTurn);
        // Both end before a failure of one is thrown.
        await Promise.allSettled([preparing, collecting]);
        const change = (await preparing) ?? started.change;
        const leaves = await collecting;
        await lock.requireHeld();
        const complete = { ...change, leaves, ...(generatorChange && { generatorChange }) };
        const save = await writer.commit(complete, { pause: nextTurn });
        if (generatorChange !== undefined)
          this.#content.changeGenerators(save.global, generatorChange.generators);
        await this.#journal?.committed(save.generation, taken);
        await this.#content.switchTo(save, writer.lastChange);
        this.#compactor?.start();
      }
      this.#saveFailure = undefined;
      this.#planNext();
      return this.#content.save.generation;
    } catch (error) {
      if (await this.#mayRetry(error, lock)) {
        this.#content.undoCommit();
        this.#saveFailure = error;
        throw error;
      }
      this.#fail(error);
      throw saveFailed(error);
    }
  }

  /**
   * Returns true if the disk refused a save that may succeed later, the generation before it still counts, and the log of a
   * shard has the changes. The world then accepts more of them, and the next save writes everything again.
   */
  async #mayRetry(error: unknown, lock: DiskLock): Promise<boolean> {
    if (this.shard === undefined || this.#failure !== undefined) return false;
    if (this.#writing?.writer.state.generation !== this.#content.save.generation) return false;
    if (!DISK_ERRORS.some((code) => isOrthantError(error, code))) return false;
    try {
      await lock.requireHeld();
      return true;
    } catch (loss) {
      return DISK_ERRORS.some((code) => isOrthantError(loss, code));
    }
  }

  /**
   * Returns a save that includes all changes so far. All callers that wait for the running save share
   * the next one. A save that has begun is not shared: it may lack their changes.
   */
  #saveShared(): Promise<void> {
    this.#sharedSave ??= this.#saves.run(async () => {
      this.#sharedSave = undefined;
      this.#requireHealth();
      // No save runs now, so everything that is not unsaved is on the disk, even in a world closed meanwhile.
      if (this.#content.hasUnsaved) await this.#commit("what is due");
    });
    return this.#sharedSave;
  }

  #nextSegment(): SegmentId {
    const { number: epoch = 0, id: epochId = 0n } = this.#content.global.description.epochs.at(-1) ?? {};
    return { generation: this.#content.save.generation + 1, epoch, epochId };
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#journal?.stop(error);
    try {
      this.#failureListeners.emit(error);
    } catch {
      // Callers waiting for the save must get its error, not the listener's.
    }
  }

  /** Schedules a save for changes that were not due in this one or result from it. */
  #planNext(): void {
    const oldestMs = this.#content.entities.oldestChangeMs();
    if (this.#content.hasUnassignedEntities) this.#autosave?.within(this.#cadence.worldMs);
    if (oldestMs === undefined) return;
    this.#autosave?.within(Math.max(0, oldestMs + this.#cadence.entitiesMs - this.#time.nowMs()));
  }

  #saveUnasked(): void {
    // There is no caller to throw to; the next edit or `close` reports the failure.
    this.#saves.run(() => this.#commit("what is due")).catch(() => undefined);
  }

  #requireHealth(): void {
    if (this.#failure === undefined) return;
    this.#failureReported = true;
    throw saveFailed(this.#failure);
  }

  #reporting<Result>(saving: Promise<Result>): Promise<Result> {
    return saving.catch((error: unknown) => {
      this.#failureReported = true;
      throw error;
    });
  }
}

/** Returns the error for an edit or save of a closed or read-only world. */
export function notWritable(reason: "closed" | "readOnly"): OrthantError {
  return reason === "closed"
    ? new OrthantError("ORT_CLOSED", "the world was closed")
    : new OrthantError("ORT_READ_ONLY", "the world was opened to be read only");
}

/** Releases everything that a world holds, the lock last, even when a step fails. Throws the last failure. */
export async function releaseSave(
  save: Save,
  writing: Pick<WriterResources, "writer" | "lock"> | undefined,
): Promise<void> {
  try {
    await save.close();
  } finally {
    try {
      await writing?.writer.close();
    } finally {
      await writing?.lock.release();
    }
  }
}
