import { Axes } from "@orthant/core/lattice";
import { clipboardBytes } from "@orthant/core/operations";
import type { OwnedRun, SyncOperations } from "@orthant/protocol/server";
import type { KeptOptions, WorldEngine } from "@orthant/world/engine";

/** Adapts the operations of a world for a sync server. */
export function syncOperationsOf({ operations, shape }: WorldEngine): SyncOperations {
  const axes = new Axes(shape);
  const { kept } = operations;
  // With durable acknowledgement, the server itself waits for the disk.
  const optionsOf = (run: OwnedRun): KeptOptions => ({ ...run, axes, wait: "applied" });
  return {
    plan: (operation, run) => operations.plan(operation, { ...run, axes }),
    apply: (operation, run) => kept.apply(operation, optionsOf(run)),
    undo: (entryId, run) => kept.undo(entryId, optionsOf(run)),
    redo: (entryId, run) => kept.redo(entryId, optionsOf(run)),
    async list(owner, ageMs) {
      const entries = await kept.history(owner, ageMs);
      return entries.map(({ id, text, count, box, timeMs, undone }) => ({
        entryId: id,
        text,
        count,
        box,
        timeMs,
        undone,
      }));
    },
    copy: (selection, { bytesMax, ...run }) => operations.clipboard(selection, { ...run, axes }, bytesMax),
    bytesOf: clipboardBytes,
    turned: (clipboard, steps) => operations.turned(clipboard, steps),
  };
}
