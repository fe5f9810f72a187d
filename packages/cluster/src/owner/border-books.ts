import type { WorldDescription } from "@orthant/save";
import type { EntitiesRecord } from "../shard/entity-record.ts";
import type { StepRecord } from "../shard/step-record.ts";
import { borderEditsOf, type SavedBooks, transfersOf } from "./checkpoint.ts";
import { EditBook } from "./edit-book.ts";
import { TransferBook } from "./transfer-book.ts";

/** What a shard knows about what crosses its border. */
export class BorderBooks {
  /** The entities that cross the border of the shard, and the stamps of its sectors. */
  readonly transfers: TransferBook = new TransferBook();
  /** The edits of steps that cross the border. */
  readonly edits: EditBook = new EditBook();

  /** Takes over the state in a save. Returns false if it has none. */
  load(description: WorldDescription): boolean {
    const [transfers, edits] = [transfersOf(description), borderEditsOf(description)];
    if (transfers !== undefined) this.transfers.load(transfers);
    if (edits !== undefined) this.edits.load(edits);
    return transfers !== undefined;
  }

  /** Returns the state for a save. */
  toSave(): SavedBooks {
    return { transfers: this.transfers.toBytes(), edits: this.edits.toBytes() };
  }

  /** Applies a record of the journal. */
  replay(record: EntitiesRecord | StepRecord): void {
    if (record.kind === "step") this.edits.replay(record);
    else {
      this.transfers.replay(record);
      for (const item of record.items) if (item.kind === "delivered") this.edits.delivered(item.transfer);
    }
  }

  /** Forgets the outboxes, which stay with the shard that this one was split from. */
  clearOutboxes(): void {
    this.transfers.clearOutbox();
    this.edits.clearOutbox();
  }
}
