import { type BlockCatalog, type BlockDefinitions, type BlockHandles, OrthantError } from "@orthant/core";
import {
  type BlockCatalogChange,
  blockHandles,
  defineBlocks,
  diffBlockCatalogs,
  renameBlock,
  retireBlock,
} from "@orthant/core/chunk";
import { ListenerSet } from "@orthant/core/world";
import type { WorldContent } from "../content/world-content.ts";
import type { WorldSaver } from "../saving/world-saver.ts";

/** A change of the blocks of a world. */
export interface BlocksEvent {
  /** The catalog after it. */
  readonly catalog: BlockCatalog;
  readonly change: BlockCatalogChange;
}

/** What {@link WorldBlocks} needs of a world. */
interface WorldBlocksContext {
  readonly content: WorldContent;
  readonly saver: WorldSaver;
  /** Whether something outside the world holds its catalog, so that the world must not change it. */
  readonly isFixed: boolean;
  /** Throws unless the world accepts changes. */
  requireWritable(): void;
}

/**
 * Adds, renames and retires the block types of an open world. A change is in memory when the call returns its promise,
 * before all later edits, on disk and in the journal too; in a world with a journal the promise waits until it is
 * durable.
 */
export class WorldBlocks {
  readonly #context: WorldBlocksContext;
  readonly #listeners = new ListenerSet<[BlocksEvent]>();

  constructor(context: WorldBlocksContext) {
    this.#context = context;
  }

  /** Adds types that are missing. See `World.defineBlocks`. */
  async define<const Definitions extends BlockDefinitions>(
    definitions: Definitions,
  ): Promise<BlockHandles<Definitions>> {
    const catalog = await this.#change((before) => defineBlocks(before, definitions));
    return blockHandles(catalog, definitions);
  }

  /** Gives a type another name. See `World.renameBlock`. */
  async rename(name: string, newName: string): Promise<void> {
    await this.#change((before) => renameBlock(before, name, newName));
  }

  /** Takes a type out of use. See `World.retireBlock`. */
  async retire(name: string): Promise<void> {
    await this.#change((before) => retireBlock(before, name));
  }

  /**
   * Takes over the catalog of what shares this world, which no log has to store. It has all types that this world has.
   */
  take(catalog: BlockCatalog): void {
    const { content, requireWritable } = this.#context;
    requireWritable();
    const change = diffBlockCatalogs(content.catalog, catalog);
    if (change === undefined) return;
    content.changeCatalog(catalog);
    this.#listeners.emit({ catalog, change });
  }

  /** Calls `listener` after each change. Returns an unsubscribe function. */
  onChange(listener: (event: BlocksEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  async #change(next: (before: BlockCatalog) => BlockCatalog): Promise<BlockCatalog> {
    const { content, saver, isFixed, requireWritable } = this.#context;
    requireWritable();
    const catalog = next(content.catalog);
    const change = diffBlockCatalogs(content.catalog, catalog);
    if (change !== undefined) {
      if (isFixed) throw fixedBlocks();
      content.changeCatalog(catalog);
      saver.addChange("world", { kind: "blocks", change });
      this.#listeners.emit({ catalog, change });
    }
    // Waits even if nothing changed: what it found may not be on the disk yet.
    if (saver.isJournaling) await saver.whenDurable();
    return catalog;
  }
}

function fixedBlocks(): OrthantError {
  return new OrthantError(
    "ORT_ARGUMENT",
    "the blocks of a world that a cluster shares are in the cluster's map: call defineBlocks of a ClusterGateway",
  );
}
