import type { Dimensions } from "@orthant/core";
import { Axes } from "@orthant/core/lattice";
import type { Clipboard, Operation } from "@orthant/core/operations";
import type { WorldEngine } from "@orthant/world/engine";
import type { BuildOptions, DoneOperation, HeldClipboard, SourceBuilder } from "./source-builder.ts";

type Done = Awaited<ReturnType<WorldEngine["operations"]["apply"]>>;

/** Returns the operations of a world that this worker has opened itself. */
export function engineBuilder({ operations, shape }: WorldEngine): SourceBuilder {
  const axes = new Axes<Dimensions>(shape);
  const shown = (done: Done): DoneOperation => ({
    count: done.count,
    undo: async () => shown(await operations.undo(done, { axes })),
  });
  const apply = async (operation: Operation, options: BuildOptions): Promise<DoneOperation> =>
    shown(await operations.apply(operation, { axes, ...options }));
  const held = (clipboard: Clipboard): HeldClipboard => ({
    size: clipboard.size,
    shown: clipboard,
    turned: (turn) =>
      held("mirror" in turn ? clipboard.mirror(turn.mirror) : clipboard.rotate(turn.rotate, turn.turns)),
    paste: (at, options) => apply({ paste: clipboard, at }, options),
  });
  const earlier = async () => ({ done: [], undone: [] });
  return { apply, earlier, copy: async (selection) => held(await operations.clipboard(selection, { axes })) };
}
