import type { DataCodec, Dimensions, EditEvent, Position } from "@orthant/core";
import type { Axes } from "@orthant/core/lattice";
import type { WorldState } from "@orthant/core/tree";
import { ChunksEdit } from "@orthant/core/world";
import type { WorldEngine } from "./world-engine.ts";

/** Calls `listener` with each edit of an engine as a world shows it. Returns an unsubscribe function. */
export function onShownEdit<D extends Dimensions>(
  engine: WorldEngine,
  { axes, codec }: { readonly axes: Axes<D>; readonly codec: DataCodec },
  listener: (edit: EditEvent<D>) => void,
): () => void {
  return engine.onEdit(({ chunks }, before, after, author) => {
    const chunkIn = (state: WorldState) => (chunk: Position) => state.realizeChunk(...chunk);
    const difference = { before: chunkIn(before), after: chunkIn(after), author, codec };
    listener(new ChunksEdit(axes, engine.shape, chunks, difference));
  });
}
