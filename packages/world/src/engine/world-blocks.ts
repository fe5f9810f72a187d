import type {
  BlockCatalog,
  BlockDefinitions,
  BlockHandles,
  BlockTypeChanges,
  DefineBlocksOptions,
} from "@orthant/core";
import {
  type BlockCatalogChange,
  blockHandles,
  changeBlock,
  defineBlocks,
  diffBlockCatalogs,
  renameBlock,
  retireBlock,
} from "@orthant/core/chunk";
import { ListenerSet } from "@orthant/core/world";
import { type EngineCore, requireNoShard } from "./engine-core.ts";

/** A change of the blocks of a world. */
export interface BlocksEvent {
  /** The catalog after it. */
  readonly catalog: BlockCatalog;
  readonly change: BlockCatalogChange;
}

/**
 * Adds, changes, renames and retires the block types of an open world. A change is in memory when the call returns its promise,
 * before all later edits, on disk and in the journal too; in a world with a journal the promise waits until it is
 * durable.
 */
export class WorldBlocks {
  readonly #core: EngineCore;
  readonly #listeners = new ListenerSet<[BlocksEvent]>();

  /** @internal */
  constructor(core: EngineCore) {
    this.#core = core;
  }

  /** Adds types that are missing. See `World.defineBlocks`. */
  async define<const Definitions extends BlockDefinitions>(
    definitions: Definitions,
    options?: DefineBlocksOptions,
  ): Promise<BlockHandles<Definitions>> {
    const catalog = await this.#change((before) => defineBlocks(before, definitions, options));
    return blockHandles(catalog, definitions);
  }

  /** Changes colour and behaviour of a type. See `World.changeBlock`. */
  async change(name: string, changes: BlockTypeChanges): Promise<void> {
    await this.#change((before) => changeBlock(before, name, changes));
  }

  /** Gives a type another name. See `World.renameBlock`. */
  async rename(name: string, newName: string): Promise<void> {
    await this.#change((before) => renameBlock(before, name, newName));
  }

  /** Takes a type out of use. See `World.retireBlock`. */
  async retire(name: string): Promise<void> {
    await this.#change((before) => retireBlock(before, name));
  }

  /** Takes over the catalog of the cluster, which no log has to store. It has all types that this world has. */
  take(catalog: BlockCatalog): void {
    const { content, requireWritable } = this.#core;
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
    const { content, saver, requireWritable } = this.#core;
    requireWritable();
    const catalog = next(content.catalog);
    const change = diffBlockCatalogs(content.catalog, catalog);
    if (change !== undefined) {
      requireNoShard(this.#core, "blocks");
      content.changeCatalog(catalog);
      saver.addChange("world", { kind: "blocks", change });
      this.#listeners.emit({ catalog, change });
    }
    // Waits even if nothing changed: what it found may not be on the disk yet.
    if (saver.isJournaling) await saver.whenDurable();
    return catalog;
  }
}
