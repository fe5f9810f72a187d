import {
  ClientOperations,
  type PastOperation,
  type RemoteClipboard,
  type RemoteOperation,
} from "@orthant/client";
import type { WorldReplica } from "@orthant/client/replica";
import { type Box, type Chunk, type Dimensions, uniformChunk } from "@orthant/core";
import { Axes, boxAt } from "@orthant/core/lattice";
import {
  CachedVoxels,
  type Clipboard,
  copyVoxels,
  type OperationWorld,
  type Selection,
} from "@orthant/core/operations";
import type { BuildOptions, DoneOperation, HeldClipboard, SourceBuilder } from "./source-builder.ts";
import { PICTURE_VOXELS_MAX } from "./world-builder.ts";

/** Bytes of the blocks that are copied to be shown. */
const SHOWN_BYTES_MAX: number = PICTURE_VOXELS_MAX * 2;

/** Returns the operations of a player on a server. Clipboards are on the server; what is shown of them is what is loaded here. */
export function replicaBuilder(replica: WorldReplica): SourceBuilder {
  const axes = new Axes<Dimensions>(replica.shape);
  const operations = new ClientOperations<Dimensions>(replica, axes);
  const done = ({ count, undo }: RemoteOperation): DoneOperation => ({
    count,
    undo: async () => done(await undo()),
  });
  const held = (clipboard: RemoteClipboard, shown: Clipboard | undefined): HeldClipboard => ({
    size: clipboard.size,
    shown,
    turned: (turn) =>
      "mirror" in turn
        ? held(clipboard.mirror(turn.mirror) as RemoteClipboard, shown?.mirror(turn.mirror))
        : held(
            clipboard.rotate(turn.rotate, turn.turns) as RemoteClipboard,
            shown?.rotate(turn.rotate, turn.turns),
          ),
    paste: async (at, options) => done(await operations.apply({ paste: clipboard, at }, applied(options))),
  });
  const past = (one: PastOperation) => ({
    text: one.text,
    operation: { count: one.count, undo: async () => done(await one.revert()) },
  });
  let latest: RemoteClipboard | undefined;
  return {
    apply: async (operation, options) => done(await operations.apply(operation, applied(options))),
    async copy(selection) {
      const before = latest;
      const copied = await operations.copy(selection);
      latest = copied;
      // The server keeps only a few.
      if (before !== undefined) await operations.release(before);
      return held(copied, await shownOf(selection, replica, axes));
    },
    async earlier() {
      const { undo, redo } = await operations.list();
      return { done: undo.map(past).reverse(), undone: redo.map(past).reverse() };
    },
  };
}

function applied({ signal, onProgress, confirm }: BuildOptions) {
  return { signal, onProgress, confirm };
}

/** Returns what is loaded of a selection; `undefined` if it is too much. */
async function shownOf(
  selection: Selection,
  replica: WorldReplica,
  axes: Axes<Dimensions>,
): Promise<Clipboard | undefined> {
  try {
    return await copyVoxels(new LoadedWorld(replica, axes), selection, SHOWN_BYTES_MAX);
  } catch {
    // It is only a picture: what is copied is on the server.
    return undefined;
  }
}

/** What a client holds of a world; air where it holds nothing. */
class LoadedWorld implements OperationWorld {
  readonly axes: Axes<Dimensions>;
  readonly reader: CachedVoxels;
  readonly generated: CachedVoxels;
  readonly #replica: WorldReplica;

  constructor(replica: WorldReplica, axes: Axes<Dimensions>) {
    const { chunks, shape } = replica;
    const air = uniformChunk(shape.volume, 0);
    const held = (x: number, y: number, z: number, w: number): Chunk =>
      chunks.has(boxAt([x, y, z, w])) ? (chunks.chunkAt(x, y, z, w) ?? air) : air;
    this.axes = axes;
    this.reader = new CachedVoxels(shape, held);
    this.generated = this.reader;
    this.#replica = replica;
  }

  get shape() {
    return this.#replica.shape;
  }

  get catalog() {
    return this.#replica.catalog;
  }

  async load(_voxels: Box): Promise<void> {
    // What is not here is not shown.
  }

  pause(): undefined {
    return undefined;
  }

  spend(): void {
    // Clipboards of the server have their own limits.
  }

  remember(): void {
    // See above.
  }
}
