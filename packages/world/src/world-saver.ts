import { type Clock, nextTurn } from "@orthant/core";
import type { CompactionReport, SegmentId } from "@orthant/formats";
import { Autosave } from "./autosave.ts";
import { Housekeeper } from "./housekeeper.ts";
import type { LoggedEntry, WorldLog } from "./journal/world-log.ts";
import { Listeners } from "./listeners.ts";
import { SerialQueue } from "./serial-queue.ts";
import type { WorldContent } from "./world-content.ts";
import { poisoned, refusal } from "./world-error.ts";
import type { WorldCadence } from "./world-options.ts";
import { releaseParts, type WorldParts, type Writing } from "./world-parts.ts";

/** What a save takes along: entities that only moved are not due at once. */
export type SaveExtent = "everything" | "what is due";

/** Commits what a world holds, one save at a time, and knows whether more can be saved. */
export class WorldSaver {
  readonly #clock: Clock;
  readonly #cadence: WorldCadence;
  readonly #content: WorldContent;
  readonly #writing: Writing | undefined;
  readonly #journal: WorldLog | undefined;
  readonly #autosave: Autosave | undefined;
  readonly #saves = new SerialQueue();
  readonly #housekeeper: Housekeeper | undefined;
  readonly #failureListeners = new Listeners<unknown>();
  /** The save that waits for its turn and that everybody shares who asks for one now. */
  #sharedSave: Promise<void> | undefined;
  #failure: unknown;
  /** Whether somebody was told of the failure: an autosave fails with nobody there. */
  #failureTold = false;
  #closed = false;
  /** Whether the manifest says that there is no journal any more. */
  #journalEnded = false;

  constructor({ clock, content, writing, autosave, cadence }: WorldParts) {
    this.#cadence = cadence;
    this.#content = content;
    this.#clock = clock;
    this.#writing = writing;
    this.#journal = writing?.journal;
    this.#journal?.attach({
      onFull: () => void this.#saveShared().catch(() => undefined),
      onFailure: (error) => this.#fail(error),
    });
    this.#housekeeper = writing && new Housekeeper(clock, writing.writer);
    this.#autosave = writing && autosave ? new Autosave(clock, () => this.#saveByItself()) : undefined;
  }

  /** Why nothing more is saved; `undefined` while it is. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Calls back when a save fails, or the journal, of which there is one at most. */
  onFailure(listener: (failure: unknown) => void): () => void {
    return this.#failureListeners.add(listener);
  }

  /** Whether changes are written down one by one, before a save has them. */
  get isJournaling(): boolean {
    return this.#journal !== undefined;
  }

  /** Something has changed: a save must come in time, and the journal, if there is one, gets an entry. */
  noteChange(due: keyof WorldCadence, entryOf: () => LoggedEntry, isStep = false): void {
    this.#autosave?.within(this.#cadence[due]);
    this.#journal?.add(entryOf(), isStep);
  }

  /** Throws when the files were let go. */
  requireOpen(): void {
    if (this.#closed) throw refusal("closed");
  }

  /** Throws unless a change that was asked for may be made or saved. */
  requireWriting(): Writing {
    this.requireOpen();
    if (this.#writing === undefined) throw refusal("readOnly");
    this.#requireHealth();
    return this.#writing;
  }

  /** Commits when all earlier saves are done; gives the generation once it is durable. */
  save(extent: SaveExtent): Promise<number> {
    return this.#telling(this.#saves.run(() => this.#commit(extent)));
  }

  /** Runs `work` while no save runs. It may commit, and what it finds on the disk in between stays there. */
  exclusively<Result>(work: (commit: () => Promise<number>) => Promise<Result>): Promise<Result> {
    return this.#telling(this.#saves.run(() => work(() => this.#commit("everything"))));
  }

  /** Resolves when all changes made so far are durable: in the journal, or else in a save that all who ask share. */
  whenDurable(): Promise<void> {
    return this.#telling(this.#journal === undefined ? this.#saveShared() : this.#journal.whenSafe());
  }

  /** Saves everything, if it can, and lets go of the files also when that fails. Throws a failure nobody heard of. */
  async close(): Promise<void> {
    try {
      if (this.#writing !== undefined && this.#failure === undefined) {
        await this.save("everything");
        await this.#telling(this.#saves.run(() => this.#endJournal()));
      }
      if (!this.#failureTold) this.#requireHealth();
    } finally {
      this.#closed = true;
      await this.#saves.idle();
      this.#autosave?.cancel();
      await this.#release();
    }
  }

  /** Takes off the disk what no generation needs that is kept. */
  async compact(): Promise<CompactionReport> {
    this.requireWriting();
    return (this.#housekeeper as Housekeeper).compact();
  }

  async #release(): Promise<void> {
    this.#housekeeper?.close();
    try {
      await this.#journal?.close(this.#content.save.generation, this.#journalEnded);
    } finally {
      await releaseParts(this.#content.save, this.#writing);
    }
  }

  /** A world that is closed with nothing unsaved needs no journal, and an empty segment is no loss then. Rule J24. */
  async #endJournal(): Promise<void> {
    if (this.#journal === undefined || !this.#content.unsaved.isEmpty) return;
    const { writer } = this.requireWriting();
    try {
      await writer.endJournal();
      this.#journalEnded = true;
    } catch (error) {
      this.#fail(error);
      throw poisoned(error);
    }
  }

  async #commit(extent: SaveExtent): Promise<number> {
    const { writer, lock } = this.requireWriting();
    try {
      // Nothing waits between the last look and the moment at which all is taken.
      while (!this.#content.isReadyToCommit) await this.#content.makeReadyToCommit();
      const nowMs = this.#clock.nowMs();
      const dueMs = extent === "everything" ? nowMs : nowMs - this.#cadence.entitiesMs;
      // With a journal all is due: the segment that has what would be left out is removed.
      const change = this.#content.takeUnsaved(nowMs, this.#journal === undefined ? dueMs : Infinity);
      if (change !== undefined) {
        // In the same step: what happens from now on is in the next generation's segment and not in this change.
        const taken = this.#journal?.rotate(this.#nextSegment()) ?? 0;
        const prepared = await this.#journal?.prepare(change, () => this.#content.globalNow(), taken);
        await lock.requireHeld();
        const save = await writer.commit(prepared ?? change, { pause: nextTurn });
        await this.#journal?.committed(save.generation, taken);
        await this.#content.follow(save, writer.lastChange);
        this.#housekeeper?.tidy();
      }
      this.#planNext();
      return this.#content.save.generation;
    } catch (error) {
      this.#fail(error);
      throw poisoned(error);
    }
  }

  /**
   * A save that has all changes made so far. Whoever asks while a save runs shares the next one, which nobody can
   * share any more once it has begun: it may have taken already what there is to save.
   */
  #saveShared(): Promise<void> {
    this.#sharedSave ??= this.#saves.run(async () => {
      this.#sharedSave = undefined;
      this.#requireHealth();
      // No save runs now, so what is not unsaved is durable, also when the world was closed meanwhile.
      if (!this.#content.unsaved.isEmpty) await this.#commit("what is due");
    });
    return this.#sharedSave;
  }

  #nextSegment(): SegmentId {
    const { epoch = 0, mark = 0n } = this.#content.global.description.lineage.at(-1) ?? {};
    return { generation: this.#content.save.generation + 1, epoch, mark };
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#journal?.stop(error);
    try {
      this.#failureListeners.tell(error);
    } catch {
      // Whoever waits for the save has to hear why it failed, and not why a listener did.
    }
  }

  /** Makes sure that a save comes for what was not due in this one, or is due because of it. */
  #planNext(): void {
    const oldestMs = this.#content.entities.oldestChangeMs();
    if (this.#content.unsaved.homeless) this.#autosave?.within(this.#cadence.worldMs);
    if (oldestMs === undefined) return;
    this.#autosave?.within(Math.max(0, oldestMs + this.#cadence.entitiesMs - this.#clock.nowMs()));
  }

  #saveByItself(): void {
    // Whoever edits next, or closes the world, is told; there is nobody here to throw to.
    this.#saves.run(() => this.#commit("what is due")).catch(() => undefined);
  }

  #requireHealth(): void {
    if (this.#failure === undefined) return;
    this.#failureTold = true;
    throw poisoned(this.#failure);
  }

  async #telling<Result>(saving: Promise<Result>): Promise<Result> {
    try {
      return await saving;
    } catch (error) {
      this.#failureTold = true;
      throw error;
    }
  }
}
