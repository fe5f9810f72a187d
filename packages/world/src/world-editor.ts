import type { ClockStep, Place } from "@orthant/core";
import type { EditOrigin } from "./edit-ledger.ts";
import type { EditRequest } from "./edit-request.ts";
import type { EraKeeper } from "./era-keeper.ts";
import { journalEditOf } from "./journal/journal-edit.ts";
import { Listeners } from "./listeners.ts";
import { SerialQueue } from "./serial-queue.ts";
import type { WorldContent } from "./world-content.ts";
import type { WorldSaver } from "./world-saver.ts";

/** How voxels are edited. */
export interface EditOptions {
  /** Who edits. With it, the same edit is made once, however often it is asked for, also after a crash. */
  readonly origin?: EditOrigin;
  /**
   * What the promise waits for in a world with a journal: until the edit is `durable`, unless it is said otherwise, or
   * only until it is `applied`; `whenDurable` tells the rest. Without a journal nobody waits for the disk.
   */
  readonly wait?: "applied" | "durable";
}

/** What an edit changed. */
export interface WorldEdit {
  /** The chunks that look different now, in lexicographic order. */
  readonly chunks: readonly Place[];
  /** The regions of these chunks, with their clocks before and after. */
  readonly clocks: readonly ClockStep[];
  /** Whether this edit, or a later one of the same client, was made before; nothing was changed now. */
  readonly repeated: boolean;
}

/** Makes edits, one after the other, in the order in which they are asked for. */
export class WorldEditor {
  readonly #content: WorldContent;
  readonly #saver: WorldSaver;
  readonly #eras: EraKeeper;
  readonly #queue = new SerialQueue();
  readonly #listeners = new Listeners<WorldEdit>();

  constructor(content: WorldContent, saver: WorldSaver, eras: EraKeeper) {
    this.#content = content;
    this.#saver = saver;
    this.#eras = eras;
  }

  /** Calls back after each edit that changed something, until the function returned is called. */
  onEdit(listener: (edit: WorldEdit) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Resolves when every edit that was asked for is made. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /** Makes an edit when its turn has come and what it touches is in memory. */
  make(request: EditRequest, origin: EditOrigin | undefined): Promise<WorldEdit> {
    return this.#queue.run(async () => {
      this.#saver.requireWriting();
      // Asked when its turn has come: the same edit may have waited before it.
      if (origin && this.#content.ledger.includes(origin)) return { chunks: [], clocks: [], repeated: true };
      return this.#content.whenLoaded(request.touched, async () => {
        const { epoch } = await this.#eras.open();
        // A save may have failed while this edit waited.
        this.#saver.requireWriting();
        return this.#apply(request, epoch, origin);
      });
    });
  }

  /** Nothing waits in here: a save has all of this or nothing, the edit as well as who made it. */
  #apply({ change, placements }: EditRequest, epoch: number, origin: EditOrigin | undefined): WorldEdit {
    const before = this.#content.field;
    const { field, chunks, regions } = change(before);
    const clocks = this.#content.clocks.bump(regions, epoch);
    const edit: WorldEdit = { chunks, clocks, repeated: false };
    if (origin) this.#content.noteOrigin(origin);
    this.#content.noteEdit(field, edit);
    if (clocks.length > 0 || origin) {
      const entry = { before, after: field, chunks, clocks, origin, placements };
      this.#saver.noteChange("worldMs", () => journalEditOf(entry));
    }
    if (clocks.length > 0) this.#listeners.tell(edit);
    return edit;
  }
}
