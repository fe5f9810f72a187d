import type { ClockStep, Position } from "@orthant/core";
import type { EditRequest } from "./edit-request.ts";
import { journalEditOf } from "./journal/journal-edit.ts";
import type { EditOrigin } from "./last-edit-store.ts";
import { Listeners } from "./listeners.ts";
import { SerialQueue } from "./serial-queue.ts";
import type { SessionEpoch } from "./session-epoch.ts";
import type { WorldContent } from "./world-content.ts";
import type { WorldSaver } from "./world-saver.ts";

/** Options for editing voxels. */
export interface EditOptions {
  /** Identifies the edit, so that it is applied once however often it is requested, even after a crash. */
  readonly origin?: EditOrigin;
  /**
   * What the promise waits for in a world with a journal: until the edit is `durable` (default) or only until
   * it is `applied`; `whenDurable` waits for the rest. Without a journal, the promise never waits for the
   * disk.
   */
  readonly wait?: "applied" | "durable";
}

/** What an edit changed. */
export interface WorldEdit {
  /** The changed chunks, in lexicographic order. */
  readonly chunks: readonly Position[];
  /** The regions of these chunks, with their clocks before and after. */
  readonly clocks: readonly ClockStep[];
  /** `duplicate`: this edit, or a later one by the same client, was applied before; nothing changed now. */
  readonly outcome: "applied" | "unchanged" | "duplicate";
}

/** Applies edits one after the other, in the order of the requests. */
export class WorldEditor {
  readonly #content: WorldContent;
  readonly #saver: WorldSaver;
  readonly #epoch: SessionEpoch;
  readonly #queue = new SerialQueue();
  readonly #listeners = new Listeners<WorldEdit>();

  constructor(content: WorldContent, saver: WorldSaver, epoch: SessionEpoch) {
    this.#content = content;
    this.#saver = saver;
    this.#epoch = epoch;
  }

  /** Calls `listener` after each edit that changed something. Returns an unsubscribe function. */
  onEdit(listener: (edit: WorldEdit) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Resolves when all requested edits have been applied. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /** Applies an edit when its turn comes and the chunks it touches are in memory. */
  make(request: EditRequest, origin: EditOrigin | undefined): Promise<WorldEdit> {
    return this.#queue.run(async () => {
      this.#saver.requireWriting();
      // Checked only now, since the same edit may have been queued before it.
      if (origin && this.#content.lastEdits.includes(origin))
        return { chunks: [], clocks: [], outcome: "duplicate" };
      return this.#content.whenLoaded(request.touched, async () => {
        const epoch = await this.#epoch.open();
        // A save may have failed while this edit waited.
        this.#saver.requireWriting();
        return this.#apply(request, epoch.number, origin);
      });
    });
  }

  /** Must not await: a save includes the edit and its origin together or not at all. */
  #apply({ change, placements }: EditRequest, epoch: number, origin: EditOrigin | undefined): WorldEdit {
    const before = this.#content.field;
    const { field, chunks, regions } = change(before);
    const clocks = this.#content.clocks.bump(regions, epoch);
    const edit: WorldEdit = { chunks, clocks, outcome: clocks.length > 0 ? "applied" : "unchanged" };
    if (origin) this.#content.noteOrigin(origin);
    this.#content.noteEdit(field, edit);
    if (clocks.length > 0 || origin) {
      const entry = { before, after: field, chunks, clocks, origin, placements };
      this.#saver.noteChange("worldMs", () => journalEditOf(entry));
    }
    if (clocks.length > 0) this.#listeners.emit(edit);
    return edit;
  }
}
